-- Terms whose monthly searches are to be read (decision D93). A row goes when they were stored.
create table search_stats_request (
    term_id integer primary key references term on delete cascade,
    -- When a worker may take it; while one has it, when it counts as lost. Never, once it was tried too often.
    run_at timestamptz not null default now(),
    tries integer not null default 0 check (tries >= 0),
    -- Why the last try failed.
    problem text
);
create index search_stats_request_next on search_stats_request (run_at);

-- Runs that somebody asked for outside the grid, for the quota of each user.
create table run_by_hand (
    slot_id bigint primary key,
    user_id integer not null references user_account on delete cascade,
    asked_at timestamptz not null default now()
);
create index run_by_hand_of_user on run_by_hand (user_id, asked_at);
