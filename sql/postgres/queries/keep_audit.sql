insert into audit_entry (actor_id, actor_name, acting_as_id, acting_as_name, request_id, event, model, target, details)
select $1::int, (select email from user_account where id = $1), $2::int, (select email from user_account where id = $2), left($3, 64),
    done.event, done.model, done.target, done.details
from unnest($4::text[], $5::text[], $6::text[], $7::jsonb[]) as done (event, model, target, details)
