with planned as (
    select * from unnest($2::int[], $3::text[], $4::bigint[], $5::timestamptz[]) as grid (term_id, device, every_ms, first_slot)
), removed as (
    delete from term_due running
    where running.term_id = any($1)
        and not exists (select from planned where planned.term_id = running.term_id and planned.device = running.device)
), started as (
    insert into term_due (term_id, device, every_ms, first_slot, next_slot)
    select term_id, device, every_ms, first_slot, first_slot from planned
    on conflict (term_id, device) do update
        set every_ms = excluded.every_ms, first_slot = excluded.first_slot, next_slot = excluded.next_slot
        where term_due.every_ms <> excluded.every_ms
)
update term set schedule_stale = false where id = any($1)
