-- Every change of a resource is told when it is committed, whoever made it, to processes that listen on the channel `resource_changes`:
-- {"table", "kind": "create" | "update", "ids": […]}, or {"table", "kind": "remove", "row": {…}} with the row as it was, so that a listener
-- can tell who saw it. The arguments of a trigger are columns that no reader sees: they are not told, and their change is none.

create function tell_changes() returns trigger language plpgsql as $$
declare
    -- A notification holds less than 8,000 bytes.
    most_ids constant integer := 500;
    most_bytes constant integer := 7000;
    most_bytes_of_value constant integer := 150;
    unseen constant text[] := coalesce(tg_argv, '{}');
begin
    if tg_op = 'INSERT' then
        perform pg_notify('resource_changes', jsonb_build_object('table', tg_table_name, 'kind', 'create', 'ids', jsonb_agg(id))::text)
        from (select id, (row_number() over (order by id) - 1) / most_ids as piece from after_change) pieces
        group by piece;
    elsif tg_op = 'UPDATE' then
        perform pg_notify('resource_changes', jsonb_build_object('table', tg_table_name, 'kind', 'update', 'ids', jsonb_agg(id))::text)
        from (
            select id, (row_number() over (order by id) - 1) / most_ids as piece
            from after_change join before_change using (id)
            where to_jsonb(after_change) - unseen is distinct from to_jsonb(before_change) - unseen
        ) pieces
        group by piece;
    else
        perform pg_notify('resource_changes', jsonb_build_object('table', tg_table_name, 'kind', 'remove', 'row',
            case when octet_length(whole::text) <= most_bytes then whole
            -- Long values are left out: who sees a row is decided by short ones.
            else (select jsonb_object_agg(key, value) from jsonb_each(whole) where octet_length(value::text) <= most_bytes_of_value) end)::text)
        from (select to_jsonb(before_change) - unseen as whole from before_change) removed;
    end if;
    return null;
end $$;

do $$
declare
    told record;
begin
    for told in select * from (values
        ('action', '{cycle,cycle_reminders,cycle_forced,notified_manually,last_capture_at,last_term_id,languages,seen_until,text_days,shopping_days,views,ads}'::text[]),
        ('brand', '{created_at}'),
        ('category', '{created_at}'),
        ('company_account', '{dashboards,created_at}'),
        ('dealer', '{}'),
        ('localization', '{}'),
        ('role', '{}'),
        ('term', '{schedule_stale}'),
        ('user_account', '{password_hash,verification_token,dashboards,language,created_at}')
    ) as resources (name, unseen)
    loop
        execute format('create trigger %I after insert on %I referencing new table as after_change
            for each statement execute function tell_changes(%s)',
            told.name || '_created', told.name, (select string_agg(quote_literal(name), ', ') from unnest(told.unseen) name));
        execute format('create trigger %I after update on %I referencing old table as before_change new table as after_change
            for each statement execute function tell_changes(%s)',
            told.name || '_updated', told.name, (select string_agg(quote_literal(name), ', ') from unnest(told.unseen) name));
        execute format('create trigger %I after delete on %I referencing old table as before_change
            for each statement execute function tell_changes(%s)',
            told.name || '_removed', told.name, (select string_agg(quote_literal(name), ', ') from unnest(told.unseen) name));
    end loop;
end $$;
