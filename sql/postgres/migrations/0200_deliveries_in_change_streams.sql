-- A change of a delivery is announced as a change of its case, so that pages of the case hear of it. The row of the case itself has not changed, and is sent
-- as it is.
create function tell_deliveries() returns trigger language plpgsql as $$
declare
    -- As in `tell_changes`.
    most_bytes constant integer := 3500;
begin
    if tg_op = 'INSERT' then
        perform pg_notify('resource_changes',
            '{"kind": "update", "table": "action", "was": [' || told_row(to_jsonb(a), most_bytes)::text || ']}')
        from action a
        where a.id in (select e.action_id from after_change d join email e on e.id = d.email_id);
    else
        perform pg_notify('resource_changes',
            '{"kind": "update", "table": "action", "was": [' || told_row(to_jsonb(a), most_bytes)::text || ']}')
        from action a
        where a.id in (
            select e.action_id
            from after_change d join before_change b using (id) join email e on e.id = d.email_id
            -- A lease that is renewed shows nowhere.
            where (d.state, d.reason, d.ruling, d.report, d.bounced_at, d.complained_at, d.opened_at, d.not_before)
                is distinct from (b.state, b.reason, b.ruling, b.report, b.bounced_at, b.complained_at, b.opened_at, b.not_before)
        );
    end if;
    return null;
end $$;

-- The token of the picture by which a mail says that it was opened, and when it first did; only where that is switched on (decisions D149, D179).
-- Of the reader nothing is kept.
alter table mail_delivery
    add column open_token text unique check (char_length(open_token) = 26),
    add column opened_at timestamptz;

create trigger mail_delivery_created after insert on mail_delivery referencing new table as after_change
    for each statement execute function tell_deliveries();
create trigger mail_delivery_updated after update on mail_delivery referencing old table as before_change new table as after_change
    for each statement execute function tell_deliveries();
