-- Digest alerts (decision D146): mails about a brand to people who sign in, by a schedule or after something happened.

-- The brand of an alert: stored as its id, or as an object with it.
create function alert_brand(brand jsonb) returns integer language sql immutable as $$
    select text::integer
    from (select case jsonb_typeof(brand) when 'object' then brand ->> 'id' else brand #>> '{}' end) as b (text)
    where text ~ '^[0-9]{1,9}$'
$$;

alter table alert add column brand_id integer generated always as (alert_brand(brand)) stored;
create index alert_hook on alert (brand_id, hook_trigger) where enable and type = 'hook';
create index alert_brand_id on alert (brand_id);

-- A changed schedule is planned afresh, unless the time of the next mail was given with it.
create function forget_next_send() returns trigger language plpgsql as $$
begin
    if new.next_send is not distinct from old.next_send
        and (new.cron, new.frequency, new.start_date, new.type, new.enable)
            is distinct from (old.cron, old.frequency, old.start_date, old.type, old.enable) then
        new.next_send := null;
    end if;
    return new;
end $$;
create trigger alert_schedule before update of cron, frequency, start_date, type, enable on alert
    for each row execute function forget_next_send();

-- What happened that an alert is about, written in the transaction in which it happened. `digest` is the time of the digest that took it.
create table alert_hit (
    id bigint generated always as identity primary key,
    alert_id integer not null references alert on delete cascade,
    action_id integer not null references action on delete cascade,
    at timestamptz not null,
    digest timestamptz
);
create index alert_hit_waiting on alert_hit (alert_id) where digest is null;
create index alert_hit_digest on alert_hit (alert_id, digest);
create index alert_hit_action on alert_hit (action_id);

create function note_hits_of_history() returns trigger language plpgsql as $$
begin
    insert into alert_hit (alert_id, action_id, at)
    select l.id, a.id, h.at
    from entered h
        join action a on a.id = h.action_id
        join alert l on l.brand_id = a.brand_id and l.enable and l.type = 'hook' and l.hook_trigger = 'action.' || h.status
    where h.status in ('reappearance', 'accepted', 'refused', 'blocked') or h.status = 'new' and h.is_automatic;
    return null;
end $$;
create trigger alert_hits after insert on action_history referencing new table as entered
    for each statement execute function note_hits_of_history();

create function note_hits_of_mails() returns trigger language plpgsql as $$
begin
    insert into alert_hit (alert_id, action_id, at)
    select l.id, a.id, coalesce(m.received_date, now())
    from received m
        join action a on a.id = m.action_id
        join alert l on l.brand_id = a.brand_id and l.enable and l.type = 'hook' and l.hook_trigger = 'email.received'
    where m.direction = 'in' and m.automatic <> 'certain';
    return null;
end $$;
create trigger alert_hits after insert on email referencing new table as received
    for each statement execute function note_hits_of_mails();

-- When a digest was handed to the mail server. One whose sender died after that is 'unknown': it is not sent again.
alter table mail_outbox add column handed_at timestamptz;
