-- What the life of a case depends on besides its status (decisions D42, D46, D214, D215). Every statement passes its time, so that a test can move it.
alter table action
    -- Who of the staff works on it.
    add column owner_id integer references user_account on delete set null,
    -- The reminder clock: when the last mail left, or the cycle was begun by hand.
    add column clock_at timestamptz,
    -- When we wrote last, or notified the advertiser by other means.
    add column contacted_at timestamptz,
    -- When a person answered last.
    add column replied_at timestamptz,
    -- No reminder leaves before this day.
    add column paused_until date,
    -- The quota of reminders when the last one was sent.
    add column cycle_quota integer check (cycle_quota >= 0);
create index action_owner on action (owner_id, status) where owner_id is not null;
update action set clock_at = greatest(inprogress_date, reminded_date), contacted_at = greatest(inprogress_date, reminded_date)
where status in ('inprogress', 'reminded');

update action set metas = coalesce(metas, '{}') || jsonb_build_object('blockedReason',
    jsonb_build_array(jsonb_build_object('date', to_char(blocked_date at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'reason', 'unknown')))
where status = 'blocked' and blocked_date is not null and not coalesce(metas ? 'blockedReason', false);

-- The history is written once (decision D55); it goes with its action, and an author who is deleted leaves a gap.
alter table action_history
    -- Whether Vigie itself did it; a gap in `actor_id` alone does not say so.
    add column is_automatic boolean not null default false,
    alter column at drop default;
update action_history set is_automatic = true where actor_id is null;

create function refuse_change_of_history() returns trigger language plpgsql as $$
begin
    if tg_op = 'UPDATE' and new.actor_id is null and to_jsonb(new) - 'actor_id' = to_jsonb(old) - 'actor_id' then
        return new;
    end if;
    if tg_op = 'DELETE' and not exists (select from action where id = old.action_id) then
        return old;
    end if;
    raise exception 'table % is append only', tg_table_name using errcode = 'restrict_violation';
end $$;
create trigger action_history_append_only before update or delete on action_history
    for each row execute function refuse_change_of_history();

alter table note
    -- The company account of the author; null for staff. Others that see the brand do not see the notes of that company. The number of a company
    -- account that is gone still hides them.
    add column company_account_id integer,
    alter column created_date drop default,
    alter column updated_date drop default;

-- An instant as clients read it, in UTC to the millisecond.
create function shown_instant(at timestamptz) returns text language sql immutable as $$
    select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

-- How a brand wants advertisers to be reminded: what it does not say, its company account does, else the defaults (decision D46).
create function reminder_settings(of_brand integer) returns table (is_automatic boolean, frequency integer, quota integer) language sql stable as $$
    select
        coalesce(
            case when jsonb_typeof(b.reminder -> 'autoReminder') = 'boolean' then (b.reminder ->> 'autoReminder')::boolean end,
            case when jsonb_typeof(c.reminder -> 'autoReminder') = 'boolean' then (c.reminder ->> 'autoReminder')::boolean end,
            false),
        coalesce(
            case when jsonb_typeof(b.reminder -> 'frequency') = 'number' then (b.reminder ->> 'frequency')::numeric::integer end,
            case when jsonb_typeof(c.reminder -> 'frequency') = 'number' then (c.reminder ->> 'frequency')::numeric::integer end,
            15),
        coalesce(
            case when jsonb_typeof(b.reminder -> 'quota') = 'number' then (b.reminder ->> 'quota')::numeric::integer end,
            case when jsonb_typeof(c.reminder -> 'quota') = 'number' then (c.reminder ->> 'quota')::numeric::integer end,
            3)
    from (select) always
        left join brand b on b.id = of_brand
        left join lateral (
            select account.reminder from brand_company_account l join company_account account on account.id = l.company_account_id
            where l.brand_id = of_brand and account.reminder is not null order by account.id limit 1
        ) c on true
$$;

-- Whether anybody can be written to about a host: a contact of its own dealer or of that of its registrable domain.
create function has_active_contact(of_advertiser integer, of_domain text) returns boolean language sql stable as $$
    select exists (
        select from dealer_contact l join contact c on c.id = l.contact_id
        where coalesce(c.state, 'active') = 'active'
            and l.dealer_id in (of_advertiser, (select own.id from dealer own where own.domain = of_domain))
    )
$$;

-- The invariants of the life of cases, as far as Postgres alone can know; each returns the rows that break it. `since`: cases changed since then.
-- O4: no more reminders in a cycle than the quota allowed when the last one was sent, and no fewer than the history has since the cycle began.
create function broken_reminder_quota(since timestamptz) returns table (subject text, detail text) language sql stable as $$
    select 'action ' || a.id, a.cycle_reminders || ' reminders in the cycle, the quota was ' || a.cycle_quota
    from action a
    where a.updated_date >= since and a.cycle_quota is not null and a.cycle_reminders > a.cycle_quota
    union all
    select 'action ' || a.id, a.cycle_reminders || ' reminders in the cycle, ' || a.reminded_count || ' in all'
    from action a
    where a.updated_date >= since and a.cycle_reminders > a.reminded_count
$$;

-- O6: the counters cover the mails that are stored. Cases that were imported may count mails of which nothing is stored.
create function broken_mail_counts(since timestamptz) returns table (subject text, detail text) language sql stable as $$
    select 'action ' || a.id, 'counts ' || a.received_count || ' received, ' || a.unread_count || ' unread, ' || a.sended_count
        || ' sent; stored are ' || e.received || ', ' || e.unread || ', ' || e.sent
    from action a cross join lateral (
        select count(*) filter (where status = 'received') as received,
            count(*) filter (where status = 'received' and not coalesce(open, false)) as unread,
            count(*) filter (where status in ('sent', 'unknown')) as sent
        from email where action_id = a.id
    ) e
    where a.updated_date >= since
        and (a.received_count < e.received or a.unread_count < e.unread or a.sended_count < e.sent or a.unread_count > a.received_count)
$$;

-- O7: nobody waits for an advertiser whose answer is newer than what we wrote last.
create function broken_waiting(since timestamptz) returns table (subject text, detail text) language sql stable as $$
    select 'action ' || a.id, 'waits, but the advertiser answered at ' || a.replied_at
    from action a
    where a.updated_date >= since and a.waiting and a.replied_at > coalesce(a.contacted_at, '-infinity')
    union all
    select 'action ' || a.id, 'waits, and is ' || a.status
    from action a
    where a.updated_date >= since and a.waiting and a.status in ('ignored', 'accepted', 'refused', 'disappeared')
$$;

-- O13: the history of a case ends in its status, at the time of it, and never goes back in time. What an import says of its end is not ours to judge.
create function broken_history(since timestamptz) returns table (subject text, detail text) language sql stable as $$
    select 'action ' || a.id, 'is ' || a.status || ' since ' || coalesce(a.last_status_date::text, '?') || ', its history ends in '
        || h.status || ' at ' || h.at
    from action a cross join lateral (select * from action_history where action_id = a.id order by id desc limit 1) h
    where a.updated_date >= since and (h.is_automatic or h.actor_id is not null) and (h.status::text <> a.status::text or h.at is distinct from a.last_status_date)
    union all
    select 'action ' || action_id, 'its history goes back in time at ' || at
    from (
        select h.action_id, h.at, lag(h.at) over (partition by h.action_id order by h.id) as before
        from action a join action_history h on h.action_id = a.id
        where a.updated_date >= since
    ) steps
    where at < before
$$;

-- O14: a case has the date of its status, and of a block the reason with that date.
create function broken_status_dates(since timestamptz) returns table (subject text, detail text) language sql stable as $$
    select 'action ' || a.id, 'is ' || a.status || ' without its date'
    from action a cross join lateral (select * from action_history where action_id = a.id order by id desc limit 1) h
    where a.updated_date >= since and (h.is_automatic or h.actor_id is not null)
        and case a.status
            when 'reappearance' then a.reappearance_date
            when 'requested' then a.requested_date
            when 'inprogress' then a.inprogress_date
            when 'reminded' then a.reminded_date
            when 'accepted' then a.accepted_date
            when 'refused' then a.refused_date
            when 'ignored' then a.ignored_date
            when 'blocked' then a.blocked_date
            when 'disappeared' then a.disappeared_date
            else a.created_date
        end is null
    union all
    select 'action ' || a.id, 'is blocked without a reason'
    from action a cross join lateral (select * from action_history where action_id = a.id order by id desc limit 1) h
    where a.updated_date >= since and a.status = 'blocked' and (h.is_automatic or h.actor_id is not null)
        and not a.metas @> jsonb_build_object('blockedReason', jsonb_build_array(jsonb_build_object('date', shown_instant(a.blocked_date))))
$$;
create index action_updated on action (updated_date);

-- Whether a user has a role of the staff.
create function is_staff(of_user integer) returns boolean language sql stable as $$
    select exists (
        select from role_mapping m join role r on r.id = m.role_id
        where m.principal_id = of_user::text and coalesce(m.principal_type, 'USER') = 'USER' and r.name in ('admin', 'operator')
    )
$$;
