-- When terms are due, what became of every due run, and what was kept and stored of each capture.

create domain device as text check (value in ('desktop', 'mobile', 'tablet'));

-- The grid of one enabled term on one device (decision D141): slots are first_slot, first_slot + every, …; next_slot is the next one to
-- run. The row is made, changed and removed by the scheduling pass alone.
create table term_due (
    term_id integer not null references term on delete cascade,
    device device not null,
    every_ms bigint not null check (every_ms > 0),
    first_slot timestamptz not null,
    next_slot timestamptz not null check (next_slot >= first_slot),
    primary key (term_id, device)
);
create index term_due_next on term_due (next_slot);

-- The slot ledger: one row for every due run, whatever became of it. A row is never changed without naming the attempt it was read with.
create table slot (
    id bigint generated always as identity primary key,
    term_id integer not null references term on delete cascade,
    device device not null,
    slot_ts timestamptz not null,
    -- The public name of the capture this slot makes; random, because captures are public by their id.
    capture_id uuid not null unique default gen_random_uuid(),
    state text not null default 'queued'
        check (state in ('queued', 'capturing', 'captured', 'storing', 'verified', 'failed', 'missed')),
    -- Claims so far. It is the fence: who holds an older number changes nothing.
    attempt integer not null default 0 check (attempt >= 0),
    failures integer not null default 0 check (failures >= 0),
    lost_claims integer not null default 0 check (lost_claims >= 0),
    last_failure text,
    leased_by text,
    lease_until timestamptz,
    -- When the job in the queue may run; the sweeper asks again for slots whose job went missing.
    run_at timestamptz not null default now(),
    reason text,
    created_at timestamptz not null default now(),
    settled_at timestamptz,
    unique (term_id, device, slot_ts),
    check ((leased_by is null) = (lease_until is null)),
    check (lease_until is not null or state <> 'capturing'),
    check (lease_until is null or state in ('capturing', 'captured', 'storing')),
    check ((settled_at is not null) = (state in ('verified', 'failed', 'missed'))),
    check ((reason is not null) = (state in ('failed', 'missed')))
);
create index slot_lease on slot (lease_until) where lease_until is not null;
create index slot_waiting on slot (run_at) where lease_until is null and settled_at is null;
create index slot_unsettled on slot (state) where settled_at is null;
create index slot_settled on slot (settled_at) where settled_at is not null;

-- What one capture was and what was read off it, as things stood when it was taken (decision D81). The two files stand in the file
-- store under their hashes: the document as read (never served) and the viewing copy.
create table capture (
    id uuid primary key,
    slot_id bigint unique references slot on delete set null,
    attempt integer not null check (attempt > 0),
    term_id integer references term on delete set null,
    brand_id integer references brand on delete set null,
    localization_id integer references localization on delete set null,
    term text not null,
    brand text,
    keyword_type text not null check (keyword_type in ('GENERIC', 'BRAND', 'GENERIC_BRAND', 'MULTIBRAND')),
    engine text not null check (engine in ('google', 'bing')),
    device device not null,
    locale text not null check (locale ~ '^[a-z]{2,3}_[A-Z]{2}$'),
    city text,
    region text,
    slot_ts timestamptz not null,
    taken_at timestamptz not null,
    final_url text not null,
    http_status smallint check (http_status between 100 and 599),
    verdict text not null check (verdict in ('results', 'doubtful')),
    page_sha256 bytea not null check (octet_length(page_sha256) = 32),
    view_sha256 bytea not null check (octet_length(view_sha256) = 32),
    reader_version text not null check (reader_version <> ''),
    text_ads integer not null check (text_ads >= 0),
    shopping_ads integer not null check (shopping_ads >= 0),
    -- Which ads the options of the term asked for, and how many rows that makes; null organic_results means that none were asked for.
    saves_text_ads boolean not null,
    saves_shopping_ads boolean not null,
    n_rows integer not null check (n_rows = case when saves_text_ads then text_ads else 0 end
        + case when saves_shopping_ads then shopping_ads else 0 end),
    organic_results integer check (organic_results >= 0)
);
create index capture_brand on capture (brand_id, slot_ts desc);
create index capture_term on capture (term_id, slot_ts desc);
create index capture_slot_ts on capture (slot_ts desc);
create index capture_organic on capture (term_id, device, taken_at) where organic_results is not null;

create table organic_result (
    capture_id uuid not null references capture on delete cascade,
    position integer not null check (position > 0),
    domain text,
    url text not null,
    title text not null,
    primary key (capture_id, position)
);

-- One insert into ClickHouse. Its number and epoch are the insert's deduplication token; a new epoch is used after an outcome that had to be
-- undone. The row limit leaves room for the id of an ad: manifest id * 8192 + row.
create table manifest (
    id bigint generated always as identity primary key,
    epoch integer not null default 1 check (epoch > 0),
    month date not null check (extract(day from month) = 1),
    n_rows integer not null check (n_rows between 1 and 8192),
    state text not null default 'storing' check (state in ('storing', 'verified', 'abandoned')),
    leased_by text,
    lease_until timestamptz,
    created_at timestamptz not null default now(),
    settled_at timestamptz,
    check ((leased_by is null) = (lease_until is null)),
    check (lease_until is null or state = 'storing'),
    check ((settled_at is not null) = (state <> 'storing'))
);
create index manifest_storing on manifest (lease_until) where state = 'storing';

-- Which rows of a manifest are whose. A capture stands in one manifest at a time.
create table manifest_capture (
    capture_id uuid primary key references capture on delete cascade,
    manifest_id bigint not null references manifest,
    first_row integer not null check (first_row >= 0),
    n_rows integer not null check (n_rows > 0),
    unique (manifest_id, first_row)
);

-- The invariants of the data path. Each answers the rows that break it, so an empty answer is the proof.

-- I1, the part that Postgres knows: a verified slot has a capture whose rows stand in a verified manifest, and the parts add up.
create function broken_stored_once() returns table (subject text, detail text) language sql stable as $$
    select 'slot ' || s.id, 'verified, but its ' || coalesce(c.n_rows, 0) || ' rows are in no verified manifest'
    from slot s left join capture c on c.slot_id = s.id
        left join manifest_capture mc on mc.capture_id = c.id
        left join manifest m on m.id = mc.manifest_id
    where s.state = 'verified'
        and (c.id is null or (c.n_rows > 0 and (m.state is distinct from 'verified' or mc.n_rows <> c.n_rows)))
    union all
    select 'manifest ' || m.id, 'says ' || m.n_rows || ' rows, its captures have ' || coalesce(sum(mc.n_rows), 0)
    from manifest m left join manifest_capture mc on mc.manifest_id = m.id
    where m.state <> 'abandoned'
    group by m.id having m.n_rows <> coalesce(sum(mc.n_rows), 0)
    union all
    select 'manifest ' || m.id, 'was given up, but capture ' || mc.capture_id || ' still counts on it'
    from manifest m join manifest_capture mc on mc.manifest_id = m.id where m.state = 'abandoned'
$$;

-- I2: between the first and the next slot of every grid, each slot has a row, and none is unsettled past the deadline.
create function broken_no_slot_skipped(since timestamptz, deadline interval)
returns table (subject text, detail text) language sql stable as $$
    select 'term ' || d.term_id || ' on ' || d.device, 'has no slot at ' || due
    from term_due d
        cross join lateral generate_series(
            d.first_slot + ceil(greatest(extract(epoch from since - d.first_slot), 0) * 1000 / d.every_ms)
                * d.every_ms * interval '1 millisecond',
            d.next_slot - interval '1 millisecond',
            d.every_ms * interval '1 millisecond') due
        left join slot s on s.term_id = d.term_id and s.device = d.device and s.slot_ts = due
    where s.id is null
    union all
    select 'slot ' || s.id, 'is ' || s.state || ' since ' || s.created_at
    from slot s where s.settled_at is null and s.created_at < now() - deadline
$$;

-- I3: one capture of a slot is visible: the one the slot names.
create function broken_one_capture_per_slot() returns table (subject text, detail text) language sql stable as $$
    select 'capture ' || c.id, 'is not the one slot ' || s.id || ' names'
    from capture c join slot s on s.id = c.slot_id where c.id <> s.capture_id
    union all
    select 'capture ' || c.id, 'hangs on slot ' || s.id || ', which is ' || s.state || ', and stands in a verified manifest'
    from capture c join slot s on s.id = c.slot_id
        join manifest_capture mc on mc.capture_id = c.id join manifest m on m.id = mc.manifest_id
    where s.state in ('queued', 'capturing', 'failed', 'missed') and m.state = 'verified'
$$;

-- I7, the part that Postgres knows: a slot past 'captured' names the files that its ads can be read from again.
create function broken_page_kept() returns table (subject text, detail text) language sql stable as $$
    select 'slot ' || s.id, 'is ' || s.state || ' without a capture record'
    from slot s left join capture c on c.slot_id = s.id
    where s.state in ('captured', 'storing', 'verified') and c.id is null
$$;
