-- Corrections of stored ads by hand, over what was read off their pages.

-- What became of a stored ad: a row an ad, its last correction. It is written before the store of ads is changed; a row without
-- `applied_at` is under way and is brought to its end. An ad that is stored again from its page is stored as it was corrected.
create table ad_correction (
    -- The manifest of the ad; of a made-up ad, a number that no manifest has.
    manifest_id bigint not null,
    row_number integer not null check (row_number between 0 and 8191),
    capture_id uuid not null,
    -- When the ad was seen before its correction.
    slot_ts timestamptz not null,
    -- The ad as it is stored from then on; null: it is taken away.
    ad jsonb check (jsonb_typeof(ad) = 'object'),
    -- Whether the ledger has ceased to count it, so that carrying a correction out once more counts nothing twice.
    gone boolean not null default false,
    begun_at timestamptz not null default now(),
    applied_at timestamptz,
    primary key (manifest_id, row_number)
);
create index ad_correction_open on ad_correction (manifest_id) where applied_at is null;
create index ad_correction_capture on ad_correction (capture_id);

-- Names a try to store corrections. A try whose outcome is not known is never repeated, it is followed by another.
create sequence ad_correction_try;

-- All ads of a capture, and of a manifest, may have been taken away.
alter table manifest
    drop constraint manifest_n_rows_check,
    add constraint manifest_n_rows_check check (n_rows between 0 and 8192);
alter table manifest_capture
    drop constraint manifest_capture_n_rows_check,
    add constraint manifest_capture_n_rows_check check (n_rows >= 0);
create index manifest_capture_emptied on manifest_capture (capture_id) where n_rows = 0;

-- I1: as before, but what was taken away by hand is not missed.
create or replace function broken_stored_once() returns table (subject text, detail text) language sql stable as $$
    with removed as (
        select manifest_id, capture_id, count(*) as n from ad_correction where gone group by manifest_id, capture_id
    )
    select 'slot ' || s.id, 'verified, but its ' || coalesce(c.n_rows, 0) || ' rows are in no verified manifest'
    from slot s left join capture c on c.slot_id = s.id
        left join manifest_capture mc on mc.capture_id = c.id
        left join manifest m on m.id = mc.manifest_id
        left join removed r on r.manifest_id = mc.manifest_id and r.capture_id = mc.capture_id
    where s.state = 'verified'
        and (c.id is null
            or (c.n_rows > 0 and (m.state is distinct from 'verified' or mc.n_rows + coalesce(r.n, 0) <> c.n_rows)))
    union all
    select 'manifest ' || m.id, 'says ' || m.n_rows || ' rows, its captures have ' || coalesce(sum(mc.n_rows), 0)
    from manifest m left join manifest_capture mc on mc.manifest_id = m.id
    where m.state <> 'abandoned'
    group by m.id having m.n_rows <> coalesce(sum(mc.n_rows), 0)
    union all
    select 'manifest ' || m.id, 'was given up, but capture ' || mc.capture_id || ' still counts on it'
    from manifest m join manifest_capture mc on mc.manifest_id = m.id where m.state = 'abandoned'
$$;
