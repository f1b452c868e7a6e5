select s.capture_id, coalesce(t.term, '') as "term!", coalesce(t.engine, 'GOOGLE') as "engine!",
    s.device as "device: String", l.locale as "locale?", s.state, s.reason, s.slot_ts, c.taken_at as "taken_at?",
    c.text_ads as "text_ads?", c.shopping_ads as "shopping_ads?"
from slot s
join term t on t.id = s.term_id
left join localization l on l.id = t.localization_id
left join capture c on c.slot_id = s.id and c.slot_ts = s.slot_ts
-- No grid is wider than a month.
where s.slot_ts > now() - interval '35 days' and ($1::int[] is null or t.brand_id = any($1) or t.id = any($2))
order by s.slot_ts desc, s.id desc
limit $3
