with planned as (
    select * from unnest($2::int[], $3::text[], $4::bigint[], $5::timestamptz[], $6::bool[])
        as grid (term_id, device, every_ms, first_slot, is_due)
), removed as (
    delete from term_due running
    where running.term_id = any($1)
        and not exists (select from planned where planned.term_id = running.term_id and planned.device = running.device)
    returning running.term_id, running.device
), lost as (
    -- Queued slots are missed: they must not run when the term is searched again.
    update slot set state = 'missed', reason = $7, settled_at = now()
    from removed where slot.term_id = removed.term_id and slot.device = removed.device and slot.state = 'queued'
), started as (
    insert into term_due (term_id, device, every_ms, first_slot, next_slot)
    select term_id, device, every_ms, first_slot, first_slot from planned
    on conflict (term_id, device) do update
        set every_ms = excluded.every_ms, first_slot = excluded.first_slot, next_slot = excluded.next_slot
        where term_due.every_ms <> excluded.every_ms
), due as (
    insert into slot (term_id, device, slot_ts)
    select term_id, device, date_trunc('milliseconds', now()) from planned where is_due
    on conflict (term_id, device, slot_ts) do nothing
    returning id
), settled as (
    update term set schedule_stale = false where id = any($1)
)
select id from due order by id
