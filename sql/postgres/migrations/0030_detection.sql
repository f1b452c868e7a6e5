-- What is seen of an action, kept beside it, so that its list is filtered and ordered without asking the store of ads.

alter table action
    add column languages text[] not null default '{}',
    -- The last 30 days on which text ads and shopping ads were seen: bit 0 is the day `seen_until`, bit n the nth day before it.
    add column seen_until date,
    add column text_days integer not null default 0 check (text_days >= 0),
    add column shopping_days integer not null default 0 check (shopping_days >= 0),
    -- Views and distinct ads of the last 30 days, as they were counted last night.
    add column views bigint not null default 0 check (views >= 0),
    add column ads bigint not null default 0 check (ads >= 0);

-- The terms an action was seen on.
create table action_term (
    action_id integer not null references action on delete cascade,
    term_id integer not null references term on delete cascade,
    -- To the day.
    last_seen date not null,
    primary key (action_id, term_id)
);
create index action_term_term on action_term (term_id);

-- Across all brands, in the orders that the list offers most.
create index action_seen_last on action (last_view desc nulls last, id desc);
create index action_seen_first on action (created_date desc nulls last, id desc);
create index action_status_seen on action (status, last_view desc nulls last, id desc);
