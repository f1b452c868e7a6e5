-- Of a change the rows are told as they were, so that a listener can tell who lost sight of one by it:
-- {"table", "kind": "create", "ids": […]}, {"table", "kind": "update", "was": [{…}, …]}, or {"table", "kind": "remove", "row": {…}}.
-- Who is given or loses the sight of rows of others is told as {"table": "rights", "kind": "rights", "company" or "user": id}.

-- A row as it is told: whole, or its shortest values. Who sees a row is decided by short ones.
create function told_row(whole jsonb, most_bytes integer) returns jsonb language sql immutable as $$
    select case when octet_length(whole::text) <= most_bytes then whole else (
        select jsonb_object_agg(key, value)
        from (
            select key, value, sum(octet_length(key) + octet_length(value::text) + 6) over (order by octet_length(value::text), key) as bytes
            from jsonb_each(whole)
        ) as fields
        where bytes <= most_bytes
    ) end
$$;

create or replace function tell_changes() returns trigger language plpgsql as $$
declare
    -- A notification holds less than 8,000 bytes. One of several rows is begun anew after half of it, and no row is longer than that.
    most_ids constant integer := 500;
    most_bytes constant integer := 7000;
    unseen constant text[] := coalesce(tg_argv, '{}');
begin
    if tg_op = 'INSERT' then
        perform pg_notify('resource_changes', jsonb_build_object('table', tg_table_name, 'kind', 'create', 'ids', jsonb_agg(id))::text)
        from (select id, (row_number() over (order by id) - 1) / most_ids as piece from after_change) pieces
        group by piece;
    elsif tg_op = 'UPDATE' then
        perform pg_notify('resource_changes', jsonb_build_object('table', tg_table_name, 'kind', 'update', 'was', jsonb_agg(was))::text)
        from (
            select was, sum(octet_length(was::text)) over (order by id) / (most_bytes / 2) as piece
            from (
                select id, told_row(to_jsonb(before_change) - unseen, most_bytes / 2) as was
                from after_change join before_change using (id)
                where to_jsonb(after_change) - unseen is distinct from to_jsonb(before_change) - unseen
            ) changed
        ) pieces
        group by piece;
    else
        perform pg_notify('resource_changes', jsonb_build_object('table', tg_table_name, 'kind', 'remove', 'row',
            told_row(to_jsonb(before_change) - unseen, most_bytes))::text)
        from before_change;
    end if;
    return null;
end $$;

-- The arguments: whose rights they are, and the column that names it.
create function tell_rights() returns trigger language plpgsql as $$
begin
    perform pg_notify('resource_changes', jsonb_build_object('table', 'rights', 'kind', 'rights', tg_argv[0], whose::integer)::text)
    from (
        select to_jsonb(old) ->> tg_argv[1] as whose where tg_op <> 'INSERT'
        union
        select to_jsonb(new) ->> tg_argv[1] where tg_op <> 'DELETE'
    ) as changed
    where whose ~ '^[0-9]{1,9}$';
    return null;
end $$;

create trigger brand_company_account_rights after insert or update or delete on brand_company_account
    for each row execute function tell_rights('company', 'company_account_id');
create trigger term_company_account_rights after insert or update or delete on term_company_account
    for each row execute function tell_rights('company', 'company_account_id');
create trigger role_mapping_rights after insert or update or delete on role_mapping
    for each row execute function tell_rights('user', 'principal_id');
create trigger user_account_rights after update of company_account_id on user_account
    for each row when (old.company_account_id is distinct from new.company_account_id) execute function tell_rights('user', 'id');
create trigger user_account_rights_ended after delete on user_account
    for each row execute function tell_rights('user', 'id');
