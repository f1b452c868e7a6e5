-- Matches of terms with a brand that run in the background (decision D95). A run is deleted once its author was shown how it ended.
create table match_run (
    id bigint generated always as identity primary key,
    brand_id integer not null references brand on delete cascade,
    -- Who started it and is shown how it ends.
    user_id integer not null references user_account on delete cascade,
    all_terms boolean not null,
    begun_at timestamptz not null,
    -- When its process last reported; a run that is silent for long was interrupted, and changed nothing.
    reported_at timestamptz not null,
    -- What part of the work is done.
    share real not null default 0 check (share between 0 and 1),
    ended_at timestamptz,
    -- How many terms changed in which way; null unless it succeeded.
    counts jsonb check (jsonb_typeof(counts) = 'object'),
    -- Why it failed, as a code; null unless it did.
    problem text,
    check (ended_at is null or (counts is null) <> (problem is null))
);
create unique index match_run_open on match_run (brand_id) where ended_at is null;
create index match_run_brand on match_run (brand_id);
create index match_run_user on match_run (user_id, id);
