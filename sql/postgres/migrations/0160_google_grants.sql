-- What people consented to at Google, the customers it reaches, and what is read with it.

-- A consent: of a manager account (by an administrator) or of one item (by invitation).
create table google_grant (
    id bigint generated always as identity primary key,
    kind text not null check (kind in ('manager', 'item')),
    email text check (char_length(email) <= 320),
    scopes text[] not null,
    -- Sealed with the key of the settings; no call of the API returns it.
    refresh_token text not null,
    status text not null default 'ok' check (status in ('ok', 'failing', 'revoked')),
    checked_at timestamptz not null,
    last_error text check (char_length(last_error) <= 1000),
    created_by integer references user_account on delete set null,
    created_date timestamptz not null
);
create index google_grant_created_by on google_grant (created_by) where created_by is not null;

-- A sign-in at Google under way: used once, within ten minutes, by the browser that began it.
create table google_sign_in (
    state_digest bytea primary key check (length(state_digest) = 32),
    browser_digest bytea not null check (length(browser_digest) = 32),
    verifier text not null,
    google_connect_id integer references google_connect on delete cascade,
    user_id integer references user_account on delete cascade,
    until timestamptz not null,
    check ((google_connect_id is null) <> (user_id is null))
);
create index google_sign_in_connect on google_sign_in (google_connect_id) where google_connect_id is not null;
create index google_sign_in_user on google_sign_in (user_id) where user_id is not null;

-- The customers that a grant reaches, as they were last seen.
create table google_customer (
    grant_id bigint not null references google_grant on delete cascade,
    customer_id text not null check (customer_id ~ '^[0-9]{1,20}$'),
    -- The account that the grant reaches by itself, above this one.
    manager_id text not null check (manager_id ~ '^[0-9]{1,20}$'),
    name text not null check (char_length(name) <= 255),
    is_manager boolean not null,
    is_enabled boolean not null,
    level integer not null,
    currency text check (char_length(currency) = 3),
    time_zone text check (char_length(time_zone) <= 64),
    seen_at timestamptz not null,
    primary key (grant_id, customer_id)
);

alter table google_connect
    -- What Google Ads is read with, and Search Console where the brand's staff consented.
    add column ads_grant_id bigint references google_grant on delete set null,
    add column site_grant_id bigint references google_grant on delete set null,
    -- Two letters: the market that its figures are of; null: that of most of its keywords.
    add column country text check (country ~ '^[A-Z]{2}$'),
    -- The property of Search Console, as in sc-domain:brand.example.
    add column site_url text check (char_length(site_url) <= 500),
    add column health text not null default 'ok' check (health in ('ok', 'failing', 'revoked')),
    add column last_error text check (char_length(last_error) <= 1000),
    add column last_ok timestamptz,
    -- The digest of the invitation's token; null once it was used.
    add column invitation_digest bytea unique check (length(invitation_digest) = 32);
create index google_connect_ads_grant on google_connect (ads_grant_id) where ads_grant_id is not null;
create index google_connect_site_grant on google_connect (site_grant_id) where site_grant_id is not null;

alter table google_statistic
    add column cost_micros bigint not null default 0 check (cost_micros >= 0),
    add column currency text check (char_length(currency) = 3),
    add column fetched_at timestamptz,
    -- Whether Google no longer changes the figure.
    add column final boolean not null default true;
create index google_statistic_connect on google_statistic (google_connect_id, date);

-- One question to Google about a month of an item: what is shown while it runs, and afterwards.
create table google_retrieval (
    id bigint generated always as identity primary key,
    google_connect_id integer not null references google_connect on delete cascade,
    source text not null check (source in ('SEA', 'SEO')),
    first_day date not null,
    last_day date not null,
    terms integer[] not null check (cardinality(terms) between 1 and 20000),
    -- The digest of the terms, by which two of the same are known.
    terms_key text not null,
    state text not null default 'queued' check (state in ('queued', 'running', 'done', 'failed', 'stopped')),
    -- When it may be taken; while it runs, when its worker counts as lost.
    run_at timestamptz not null default now(),
    tries integer not null default 0,
    pages integer not null default 0,
    rows_read integer not null default 0,
    operations integer not null default 0,
    request_id text check (char_length(request_id) <= 200),
    note text check (char_length(note) <= 1000),
    -- Null: of the nightly refresh.
    requested_by integer references user_account on delete set null,
    requested_at timestamptz not null default now(),
    ended_at timestamptz,
    check (first_day <= last_day)
);
-- Asked for twice, it is read once.
create unique index google_retrieval_once on google_retrieval (google_connect_id, source, first_day, last_day, terms_key)
    where state in ('queued', 'running');
create index google_retrieval_due on google_retrieval (run_at) where state in ('queued', 'running');
create index google_retrieval_item on google_retrieval (google_connect_id, id);
create index google_retrieval_requested_by on google_retrieval (requested_by) where requested_by is not null;

-- Operations of Google Ads by hour, of the whole project.
create table google_usage (
    hour timestamptz primary key,
    operations integer not null default 0,
    refused integer not null default 0
);

-- Until when nothing is asked of Google Ads, because Google said so.
create table google_pause (
    one boolean primary key default true check (one),
    until timestamptz not null,
    reason text not null
);

-- The texts that a list of negative keywords at Google has, and should have.
create table google_negative (
    google_connect_id integer not null references google_connect on delete cascade,
    country text not null check (country ~ '^[A-Z]{2}$'),
    shared_set text not null check (shared_set ~ '^[0-9]{1,20}$'),
    campaigns text[] not null default '{}',
    desired text[] not null default '{}',
    observed text[] not null default '{}',
    checked_at timestamptz,
    primary key (google_connect_id, country)
);
