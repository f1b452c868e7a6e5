select c.id, c.attempt, c.term_id, c.brand_id, c.localization_id, c.term, c.brand, c.keyword_type, c.engine, c.device as "device: String",
    c.locale, c.city, c.region, c.slot_ts, c.taken_at, c.final_url, c.http_status, c.verdict, c.page_sha256, c.view_sha256,
    c.reader_version, c.text_ads, c.shopping_ads, c.saves_text_ads, c.saves_shopping_ads, c.organic_results
from capture c
where c.slot_id = $1
