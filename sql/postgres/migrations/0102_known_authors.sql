-- An author as a reader may know it: see `postgres::authors`. Null if the reader may not know of the author.
create function known_author(
    reader integer, company integer, sees_everything boolean, administers boolean,
    actor integer, acting_as integer, actor_address text, acting_as_address text
) returns jsonb language sql stable as $$
    select case
        when administers then jsonb_build_object(
            'kind', case when author.id is null then 'gone' else 'person' end,
            'name', coalesce(author.name, actor_address),
            'as', case when acting_as is not null then coalesce(other.name, acting_as_address, '') end)
        when acting_as is not null then '{"kind": "staff"}'
        when author.id = reader then jsonb_build_object('kind', 'person', 'name', author.name)
        when author.id is null then '{"kind": "gone"}'
        when exists (
            select from role_mapping m join role r on r.id = m.role_id
            where m.principal_id = author.id::text and coalesce(m.principal_type, 'USER') = 'USER' and r.name in ('admin', 'operator')
        ) then '{"kind": "staff"}'
        when sees_everything then jsonb_build_object('kind', 'company', 'name', author.company_name)
        when author.company_account_id = company then jsonb_build_object('kind', 'person', 'name', author.name)
    end
    from (select) reading
        left join (
            select u.id, u.company_account_id, coalesce(a.label, a.name) as company_name,
                coalesce(nullif(concat_ws(' ', nullif(u.first_name, ''), nullif(u.last_name, '')), ''), u.email) as name
            from user_account u left join company_account a on a.id = u.company_account_id
        ) author on author.id = actor
        left join (
            select u.id, coalesce(nullif(concat_ws(' ', nullif(u.first_name, ''), nullif(u.last_name, '')), ''), u.email) as name
            from user_account u
        ) other on other.id = acting_as
$$;
