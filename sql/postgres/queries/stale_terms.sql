select t.id as "id!", t.state, t.every, t.search_convert_rate,
    coalesce(t.devices, '{}') as "devices!",
    (t.term is not null and btrim(t.term) <> '' and t.engine is not null and l.locale ~ '^[A-Za-z]{2,3}[_-][A-Za-z]{2}$') is true
        as "is_complete!",
    case jsonb_typeof(t.search_stats -> 'monthly') when 'number' then (t.search_stats ->> 'monthly')::double precision end
        as monthly_searches,
    array(select d.device::text from term_due d where d.term_id = t.id order by d.device) as "grid_devices!: Vec<String>",
    array(select d.every_ms from term_due d where d.term_id = t.id order by d.device) as "grid_millis!: Vec<i64>",
    captured.devices as "captured_devices!: Vec<String>", captured.times as "captured_times!: Vec<DateTime<Utc>>"
from (
    -- Before their slots are looked up: there may be many more.
    select * from term where schedule_stale order by id limit $1 for update skip locked
) t left join localization l on l.id = t.localization_id
-- The last slot of each device that was captured, or is about to be.
cross join lateral (
    select coalesce(array_agg(d.device), '{}') as devices, coalesce(array_agg(last.slot_ts), '{}') as times
    from unnest('{desktop,mobile,tablet}'::text[]) as d (device) cross join lateral (
        select s.slot_ts from slot s
        where s.term_id = t.id and s.device = d.device and s.state in ('capturing', 'captured', 'storing', 'verified')
        order by s.slot_ts desc limit 1
    ) last
) captured
order by t.id
