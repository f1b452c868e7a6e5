-- The invariants look at the ledger from a time on, so that checking them costs the same however long the ledger is.
drop function broken_stored_once;
drop function broken_one_capture_per_slot;
drop function broken_page_kept;

-- I1, the part that Postgres knows: a verified slot has a capture whose rows stand in a verified manifest, and the parts add up. What was taken
-- away by hand is not missed.
create function broken_stored_once(since timestamptz) returns table (subject text, detail text) language sql stable as $$
    with removed as (
        select manifest_id, capture_id, count(*) as n from ad_correction where gone group by manifest_id, capture_id
    )
    select 'slot ' || s.id, 'verified, but its ' || coalesce(c.n_rows, 0) || ' rows are in no verified manifest'
    from slot s left join capture c on c.slot_id = s.id and c.slot_ts = s.slot_ts
        left join manifest_capture mc on mc.capture_id = c.id
        left join manifest m on m.id = mc.manifest_id
        left join removed r on r.manifest_id = mc.manifest_id and r.capture_id = mc.capture_id
    where s.slot_ts >= since and s.state = 'verified'
        and (c.id is null
            or (c.n_rows > 0 and (m.state is distinct from 'verified' or mc.n_rows + coalesce(r.n, 0) <> c.n_rows)))
    union all
    select 'manifest ' || m.id, 'says ' || m.n_rows || ' rows, its captures have ' || coalesce(sum(mc.n_rows), 0)
    from manifest m left join manifest_capture mc on mc.manifest_id = m.id
    where m.created_at >= since and m.state <> 'abandoned'
    group by m.id having m.n_rows <> coalesce(sum(mc.n_rows), 0)
    union all
    select 'manifest ' || m.id, 'was given up, but capture ' || mc.capture_id || ' still counts on it'
    from manifest m join manifest_capture mc on mc.manifest_id = m.id
    where m.created_at >= since and m.state = 'abandoned'
$$;
create index manifest_created on manifest (created_at);

-- I3: one capture of a slot is visible: the one the slot names.
create function broken_one_capture_per_slot(since timestamptz) returns table (subject text, detail text) language sql stable as $$
    select 'capture ' || c.id, 'is not the one slot ' || s.id || ' names'
    from capture c join slot s on s.id = c.slot_id and s.slot_ts = c.slot_ts
    where c.slot_ts >= since and c.id <> s.capture_id
    union all
    select 'capture ' || c.id, 'hangs on slot ' || s.id || ', which is ' || s.state || ', and stands in a verified manifest'
    from capture c join slot s on s.id = c.slot_id and s.slot_ts = c.slot_ts
        join manifest_capture mc on mc.capture_id = c.id join manifest m on m.id = mc.manifest_id
    where c.slot_ts >= since and s.state in ('queued', 'capturing', 'failed', 'missed') and m.state = 'verified'
$$;

-- I7, the part that Postgres knows: a slot past 'captured' names the files that its ads can be read from again.
create function broken_page_kept(since timestamptz) returns table (subject text, detail text) language sql stable as $$
    select 'slot ' || s.id, 'is ' || s.state || ' without a capture record'
    from slot s left join capture c on c.slot_id = s.id and c.slot_ts = s.slot_ts
    where s.slot_ts >= since and s.state in ('captured', 'storing', 'verified') and c.id is null
$$;
