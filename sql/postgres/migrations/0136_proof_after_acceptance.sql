-- The ad that began a case again which had ended: what an entry of its history was entered for.
create table relapse (
    history_id integer primary key references action_history on delete cascade,
    -- When the advertiser had agreed; null where the case had disappeared.
    accepted_at timestamptz,
    capture_id uuid not null,
    seen_at timestamptz not null,
    -- The words that were searched.
    term text not null,
    kind text not null check (kind in ('ads', 'shopping')),
    -- The headline and the text of the ad.
    words text not null,
    -- The rank over the whole page.
    rank integer not null
);

-- Captures in addition to the grids that look whether an advertiser who agreed has stopped.
create table acceptance_check (
    id bigint generated always as identity primary key,
    action_id integer not null references action on delete cascade,
    accepted_at timestamptz not null,
    -- Days after the acceptance.
    day integer not null check (day > 0),
    planned_at timestamptz not null,
    unique (action_id, accepted_at, day)
);
create index acceptance_check_planned on acceptance_check (planned_at);

-- The slots of a check: those of the grids that were captured anyhow, and those planned for it.
create table acceptance_check_slot (
    check_id bigint not null references acceptance_check on delete cascade,
    slot_id bigint not null,
    is_extra boolean not null,
    primary key (check_id, slot_id)
);
create index action_accepted on action (accepted_date) where status = 'accepted';
