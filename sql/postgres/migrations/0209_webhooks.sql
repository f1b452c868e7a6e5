-- Webhooks: addresses of users that are told of what happens to cases of the brands they see.
create table webhook (
    id integer generated always as identity primary key,
    user_id integer not null references user_account on delete cascade,
    -- All brands of the user without one.
    brand_id integer references brand on delete cascade,
    url text not null check (char_length(url) between 1 and 2000),
    events text[] not null check (events <> '{}' and events <@ array['advertiser.new', 'advertiser.relapsed', 'case.changed']),
    -- Sealed with the key of the application. After a change the earlier one signs as well, until its end.
    secret text not null,
    earlier_secret text,
    earlier_until timestamptz,
    created_at timestamptz not null,
    -- Set while nothing is sent; the reason only where Vigie stopped it.
    stopped_at timestamptz,
    stop_reason text check (stop_reason in ('failing', 'gone', 'behind')),
    check ((earlier_secret is null) = (earlier_until is null)),
    check (stop_reason is null or stopped_at is not null)
);
create index webhook_user on webhook (user_id);
create index webhook_brand on webhook (brand_id);

-- What a webhook is told, and how that went.
create table webhook_delivery (
    id bigint generated always as identity primary key,
    webhook_id integer not null references webhook on delete cascade,
    -- The receiver knows a message by this, also when it comes again.
    message uuid not null default gen_random_uuid(),
    event text not null check (event in ('advertiser.new', 'advertiser.relapsed', 'case.changed', 'webhook.test')),
    -- None for a test.
    action_id integer references action on delete cascade,
    status action_status,
    at timestamptz not null,
    -- As it was sent first: every further attempt sends the same bytes.
    body text,
    tries integer not null default 0,
    -- When it is tried next; none once it is settled.
    due_at timestamptz,
    leased_until timestamptz,
    settled_at timestamptz,
    -- How the last attempt went: the status of the answer, or why there was none.
    answer integer,
    reason text,
    took_ms integer,
    check ((due_at is null) <> (settled_at is null)),
    check ((action_id is null) = (event = 'webhook.test'))
);
create index webhook_delivery_due on webhook_delivery (webhook_id, due_at, id) where due_at is not null;
create index webhook_delivery_leased on webhook_delivery (webhook_id, leased_until) where leased_until is not null;
create index webhook_delivery_webhook on webhook_delivery (webhook_id, id desc);
create index webhook_delivery_action on webhook_delivery (action_id);
create index webhook_delivery_settled on webhook_delivery (settled_at) where settled_at is not null;

-- Whether a user sees a brand: staff all of them, others those of their company account.
create function sees_brand(reader integer, brand integer) returns boolean language sql stable as $$
    select exists (
        select from user_account u
        where u.id = reader
            and (
                exists (
                    select from role_mapping m join role r on r.id = m.role_id
                    where coalesce(m.principal_type, 'USER') = 'USER' and m.principal_id = u.id::text and r.name is not null
                )
                or exists (select from brand_company_account c where c.company_account_id = u.company_account_id and c.brand_id = brand)
            )
    )
$$;

-- Written in the transaction in which it happened.
create function note_webhooks() returns trigger language plpgsql as $$
begin
    insert into webhook_delivery (webhook_id, event, action_id, status, at, due_at)
    select w.id, e.event, a.id, h.status, h.at, h.at
    from entered h
        join action a on a.id = h.action_id
        cross join lateral (
            select 'case.changed'
            union all select 'advertiser.new' where h.status = 'new' and h.is_automatic
            union all select 'advertiser.relapsed' where h.status = 'reappearance'
        ) as e (event)
        join webhook w on w.stopped_at is null and e.event = any(w.events) and (w.brand_id is null or w.brand_id = a.brand_id)
    where sees_brand(w.user_id, a.brand_id)
    order by h.at, w.id;
    return null;
end $$;
create trigger webhooks after insert on action_history referencing new table as entered
    for each statement execute function note_webhooks();

-- The capture in which something was seen that happened to a case, as long as its page is kept.
create function capture_of_event(of_action integer, happened timestamptz) returns uuid language sql stable as $$
    select c.id
    from (
        select r.capture_id as id from relapse r join action_history e on e.id = r.history_id where e.action_id = of_action and e.at = happened
        union all
        -- The page that opened a case was received when the case was opened.
        select s.id
        from action_history e join action_term t on t.action_id = e.action_id join capture s on s.term_id = t.term_id
        where e.action_id = of_action and e.at = happened and e.status = 'new'
            and s.taken_at >= happened - interval '1 second' and s.taken_at <= happened + interval '1 second'
    ) seen
        join capture c on c.id = seen.id and c.slot_ts >= captures_from(seen.id) and c.slot_ts < captures_until(seen.id)
    where c.files_gone_at is null
    limit 1
$$;
