-- What makes a capture evidence: all that was received, how it was read, and a chain of digests that shows every later change.

alter table capture
    add screenshot_sha256 bytea check (octet_length(screenshot_sha256) = 32),
    -- The headers of the document as [name, value] pairs, without cookies.
    add headers jsonb not null default '[]' check (jsonb_typeof(headers) = 'array'),
    -- The reading table that read most of the page.
    add generation text,
    add page_bytes integer check (page_bytes >= 0),
    add view_bytes integer check (view_bytes >= 0),
    -- When retention removed the page, the viewing copy and the screenshot; the row and its digests stay.
    add files_gone_at timestamptz,
    -- Why the ads read may not be all there are; null when nothing speaks against them.
    add doubt text check (doubt <> ''),
    -- Paid units that are no ads of ours, as {kind: count}.
    add other_units jsonb not null default '{}' check (jsonb_typeof(other_units) = 'object'),
    -- When its present reading went into the chain; null until then.
    add sealed_at timestamptz;
create index capture_unsealed on capture (taken_at) where sealed_at is null;
create index capture_taken on capture (taken_at);
create index capture_doubtful on capture (slot_ts desc) where doubt is not null;

-- The page of a failed attempt, if one was received: what a captcha, a wall or a shell looked like.
create table failed_page (
    slot_id bigint not null references slot on delete cascade,
    attempt integer not null check (attempt > 0),
    failure text not null check (failure <> ''),
    term text not null,
    engine text not null check (engine in ('google', 'bing')),
    device device not null,
    locale text not null,
    taken_at timestamptz not null,
    final_url text not null,
    http_status smallint check (http_status between 100 and 599),
    headers jsonb not null default '[]' check (jsonb_typeof(headers) = 'array'),
    page_sha256 bytea not null check (octet_length(page_sha256) = 32),
    view_sha256 bytea not null check (octet_length(view_sha256) = 32),
    screenshot_sha256 bytea check (octet_length(screenshot_sha256) = 32),
    reader_version text not null,
    files_gone_at timestamptz,
    primary key (slot_id, attempt)
);
create index failed_page_taken on failed_page (taken_at);

-- The chain: one entry for each reading of a capture, in the order they were sealed. A digest is SHA-256(digest before || manifest as its
-- canonical JSON); the first entry of a day goes on from the last of the day before, the very first from 32 zero bytes. No reference to
-- `capture`: an entry outlives what it speaks of, which is how a removed row shows.
create table evidence_entry (
    day date not null,
    position integer not null check (position > 0),
    capture_id uuid not null,
    digest bytea not null check (octet_length(digest) = 32),
    manifest jsonb not null,
    primary key (day, position)
);
create index evidence_entry_capture on evidence_entry (capture_id, day desc, position desc);

-- Which domain a merchant's shopping ads lead to, learnt from ads that show both.
create table merchant_domain (
    merchant text not null check (merchant <> ''),
    domain text not null check (domain <> ''),
    seen integer not null default 1 check (seen > 0),
    last_seen timestamptz not null,
    primary key (merchant, domain)
);

-- What reading kept pages again changed. A row without `applied_at` is under way: whether its rows are in the store of ads decides whether
-- it is brought to its end or taken back.
create table reread_journal (
    id bigint generated always as identity primary key,
    capture_id uuid not null references capture on delete cascade,
    begun_at timestamptz not null default now(),
    applied_at timestamptz,
    old_reader_version text not null,
    new_reader_version text not null,
    gained jsonb not null default '[]',
    lost jsonb not null default '[]',
    changed jsonb not null default '[]',
    -- What the row of the capture becomes.
    reading jsonb not null,
    -- Under which its rows stand from then on, and how many they are; null where none is left.
    manifest_id bigint,
    n_rows integer not null check (n_rows >= 0),
    check ((manifest_id is null) = (n_rows = 0))
);
create index reread_journal_capture on reread_journal (capture_id, id desc);
create unique index reread_journal_open on reread_journal (capture_id) where applied_at is null;
