select d.term_id, coalesce(t.term, '') as "term!", b.label as "brand?", coalesce(t.engine, 'GOOGLE') as "engine!",
    d.device as "device: String", l.locale as "locale?", d.every_ms, d.next_slot,
    last.capture_id as "last_capture?", last.seen_at as "last_at?", last.state as "last_state?", last.reason as "last_reason?",
    recent.runs as "runs!", recent.failures as "failures!", recent.missed as "missed!"
from term_due d
join term t on t.id = d.term_id
left join brand b on b.id = t.brand_id
left join localization l on l.id = t.localization_id
left join lateral (
    select s.capture_id, coalesce(c.taken_at, s.slot_ts) as seen_at, s.state, s.reason
    from slot s left join capture c on c.slot_id = s.id and c.slot_ts = s.slot_ts
    where s.term_id = d.term_id and s.device = d.device
        and s.slot_ts > now() - interval '35 days' - d.every_ms * interval '1 millisecond'
    order by s.slot_ts desc limit 1
) last on true
cross join lateral (
    select count(*) as runs, count(*) filter (where s.state = 'failed') as failures,
        count(*) filter (where s.state = 'missed') as missed
    from slot s
    where s.term_id = d.term_id and s.device = d.device and s.slot_ts > now() - interval '7 days'
) recent
where ($1 = '' or strpos(lower(t.term), lower($1)) > 0)
    and ($2::text is null or lower(t.engine) = $2)
    and (not $3::boolean or exists (
        select from slot s
        where s.term_id = d.term_id and s.device = d.device and s.state = 'failed' and s.slot_ts > now() - interval '7 days'
    ))
order by d.next_slot, d.term_id, d.device
limit $4 offset $5
