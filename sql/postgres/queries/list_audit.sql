select id, at, actor_id, actor_name, acting_as_id, acting_as_name, event, model, target, details, request_id
from audit_entry
where ($1::int is null or actor_id = $1)
    and ($2::int is null or acting_as_id = $2)
    and ($3::text is null or event = $3)
    and ($4::text is null or model = $4)
    and ($5::text is null or target = $5)
    and ($6::timestamptz is null or at >= $6)
    and ($7::timestamptz is null or at < $7)
    and ($8::text is null or request_id = $8)
    and ($9::bigint is null or id < $9)
order by id desc
limit $10
