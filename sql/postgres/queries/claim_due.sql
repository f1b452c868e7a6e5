with due as materialized (
    select grid.term_id, grid.device, grid.every_ms, grid.next_slot,
        grid.next_slot + floor(extract(epoch from now() - grid.next_slot) * 1000 / grid.every_ms) * grid.every_ms
            * interval '1 millisecond' as newest
    from term_due grid join term on term.id = grid.term_id
    where grid.next_slot <= now() and not term.schedule_stale
    order by grid.next_slot
    limit $1
    -- The slots refer to their terms. Who deletes a term waits for its grid, so this must not wait for the term.
    for update of grid skip locked for key share of term skip locked
), moved as (
    update term_due grid set next_slot = due.newest + due.every_ms * interval '1 millisecond'
    from due where grid.term_id = due.term_id and grid.device = due.device
    returning 1
), missed as (
    insert into slot (term_id, device, slot_ts, state, reason, settled_at)
    select due.term_id, due.device, slot_ts, 'missed', 'downtime', now()
    from due cross join lateral generate_series(
        due.next_slot, due.newest - interval '1 millisecond', due.every_ms * interval '1 millisecond') slot_ts
    on conflict (term_id, device, slot_ts) do nothing
    returning 1
), queued as (
    insert into slot (term_id, device, slot_ts)
    select term_id, device, newest from due
    on conflict (term_id, device, slot_ts) do nothing
    returning id
)
select now() as "at!", (select count(*) from moved) as "grids!", (select count(*) from missed) as "missed!",
    array(select id from queued order by id) as "due!: Vec<i64>"
