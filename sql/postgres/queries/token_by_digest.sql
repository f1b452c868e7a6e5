select t.id as token_id, t.ttl, t.scopes, t.created, t.impersonated_by, t.parent_id, t.ends_by, t.last_used, t.by_provider,
    u.id, u.email, u.email_verified, u.email_at_creation, u.username, u.realm, u.first_name, u.last_name, u.language,
    u.avatar_id, u.queries, u.dashboard_category_filters, u.created_at,
    exists (select from second_factor f where f.user_id = u.id and f.confirmed_at is not null) as "has_second_factor!",
    c.id as "company_account_id?", c.name as "company_name?", c.label as "company_label?",
    coalesce((
        select jsonb_agg(jsonb_build_object('id', b.id, 'name', b.name, 'label', b.label) order by b.name, b.id)
        from brand_company_account bc join brand b on b.id = bc.brand_id
        where bc.company_account_id = c.id
    ), '[]') as "brands!: sqlx::types::Json<Vec<BrandJson>>",
    coalesce((
        select jsonb_agg(jsonb_build_object('id', r.id, 'name', r.name) order by r.id)
        from role_mapping m join role r on r.id = m.role_id
        -- Programs see what their company sees, whatever else is written of them.
        where u.program_of is null and m.principal_id = u.id::text and coalesce(m.principal_type, 'USER') = 'USER'
    ), '[]') as "roles!: sqlx::types::Json<Vec<RoleJson>>",
    array(
        select t.term_id from term_company_account t where t.company_account_id = c.id order by t.term_id
    ) as "terms!: Vec<i32>"
from access_token t
    join user_account u on u.id = t.user_id
    left join company_account c on c.id = coalesce(u.company_account_id, u.program_of)
where t.sha256 = $1
    and (t.impersonated_by is null or exists (
        select from role_mapping m join role r on r.id = m.role_id
        where m.principal_id = t.impersonated_by::text and coalesce(m.principal_type, 'USER') = 'USER' and r.name = 'admin'))
