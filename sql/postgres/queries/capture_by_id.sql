select c.id, c.attempt, c.term_id, c.brand_id, c.localization_id, c.term, c.brand, c.keyword_type, c.engine, c.device as "device: String",
    c.locale, c.city, c.region, c.slot_ts, c.taken_at, c.final_url, c.http_status,
    c.headers as "headers: Json<Headers>", c.page_sha256, c.page_bytes, c.screenshot_sha256, c.files_gone_at, c.verdict, c.doubt,
    c.reader_version, c.generation, c.text_ads, c.shopping_ads, c.other_units as "other_units: Json<BTreeMap<String, u16>>",
    c.view_sha256, c.view_bytes, c.saves_text_ads, c.saves_shopping_ads, c.organic_results
from capture c
where c.id = $1 and c.slot_ts >= captures_from($1) and c.slot_ts < captures_until($1)
