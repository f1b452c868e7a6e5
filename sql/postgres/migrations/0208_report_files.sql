-- Monthly reports as PDF: a user asks for one, a worker prints it as that user sees it, and it is kept for a short time.
create table report_file (
    id bigint generated always as identity primary key,
    user_id integer not null references user_account on delete cascade,
    -- All brands of the user without one.
    brand_id integer references brand on delete cascade,
    month date not null check (extract(day from month) = 1),
    language text not null check (language in ('en', 'fr')),
    -- What its days are in, as in Europe/Paris.
    time_zone text not null,
    requested_at timestamptz not null,
    tries integer not null default 0,
    leased_until timestamptz,
    settled_at timestamptz,
    -- Why it could not be printed.
    reason text,
    pdf bytea,
    check ((settled_at is null) = (reason is null and pdf is null)),
    check (reason is null or pdf is null)
);
create index report_file_user on report_file (user_id);
create index report_file_brand on report_file (brand_id);
create index report_file_requested on report_file (requested_at);
-- What waits is printed once, however often it is asked for.
create unique index report_file_waiting on report_file (user_id, coalesce(brand_id, 0), month, language, time_zone) where settled_at is null;

-- Whether the digests of an alert bring the report of the last month.
alter table alert add column with_report boolean not null default false;
