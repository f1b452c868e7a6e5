select s.id, s.capture_id, s.state, s.reason, s.slot_ts, c.taken_at as "taken_at?", s.settled_at, s.attempt, s.device as "device: String",
    exists (select from operator_act a where a.slot_id = s.id and a.at >= s.settled_at) as "is_handled!",
    coalesce(c.term, t.term, '') as "term!", t.state as term_state, coalesce(c.brand, b.label) as brand, c.brand_id as "brand_id?",
    coalesce(c.engine, lower(t.engine), 'google') as "engine!", coalesce(c.locale, l.locale) as locale,
    c.doubt as "doubt?", c.text_ads as "text_ads?", c.shopping_ads as "shopping_ads?",
    coalesce(c.final_url, f.final_url) as final_url,
    case when c.id is null then f.view_sha256 when c.files_gone_at is null then c.view_sha256 end as view,
    case when c.id is null then f.screenshot_sha256 when c.files_gone_at is null then c.screenshot_sha256 end as screenshot
from slot s
join term t on t.id = s.term_id
left join brand b on b.id = t.brand_id
left join localization l on l.id = t.localization_id
left join lateral (select * from capture where slot_id = s.id and slot_ts = s.slot_ts limit 1) c on true
left join lateral (
    select final_url, view_sha256, screenshot_sha256 from failed_page
    where slot_id = s.id and slot_ts = s.slot_ts and files_gone_at is null
    order by attempt desc limit 1
) f on true
where s.id = any($1::bigint[])
    and s.slot_ts >= (select min(slots_from(id)) from unnest($1) as reviewed (id))
    and s.slot_ts < (select max(slots_until(id)) from unnest($1) as reviewed (id))
order by s.settled_at desc nulls last, s.id desc
