select t.id, t.user_id, t.ttl, t.scopes, t.created, t.impersonated_by, t.parent_id, t.last_used,
    parent.ttl as "parent_ttl?", parent.created as "parent_created?"
from access_token t
left join access_token parent on parent.id = t.parent_id
where t.sha256 = $1
    and (t.impersonated_by is null or exists (
        select from role_mapping m join role r on r.id = m.role_id
        where m.principal_id = t.impersonated_by::text and coalesce(m.principal_type, 'USER') = 'USER' and r.name = 'admin'))
