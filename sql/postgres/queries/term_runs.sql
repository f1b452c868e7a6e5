select t.id as "term_id!", devices.device as "device!", d.next_slot as "next_slot?",
    last.capture_id as "last_capture?", last.at as "last_at?", last.state as "last_state?", last.reason as "last_reason?",
    last.verdict as "last_verdict?", last.text_ads as "last_text_ads?", last.shopping_ads as "last_shopping_ads?",
    exists (
        select from slot s
        where s.term_id = t.id and s.device = devices.device and s.settled_at is null and s.slot_ts > now() - interval '2 days'
    ) as "is_under_way!"
from term t
cross join unnest('{desktop,mobile,tablet}'::text[]) as devices (device)
left join term_due d on d.term_id = t.id and d.device = devices.device
left join lateral (
    -- The longest interval on offer is a month: two of them and some days.
    select s.capture_id, coalesce(c.taken_at, s.slot_ts) as at, s.state, s.reason, c.verdict, c.text_ads, c.shopping_ads
    from slot s left join capture c on c.slot_id = s.id and c.slot_ts = s.slot_ts
    where s.term_id = t.id and s.device = devices.device and s.settled_at is not null and s.slot_ts > now() - interval '70 days'
    order by s.slot_ts desc limit 1
) last on true
where t.id = any($3) and ($1::int[] is null or t.brand_id = any($1) or t.id = any($2))
    and (d.term_id is not null or last.capture_id is not null)
order by t.id, devices.device
