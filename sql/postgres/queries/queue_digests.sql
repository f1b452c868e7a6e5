insert into mail_outbox (business_key, kind, user_id, recipients, message_id, context)
select concat('alert:', a.id, ':', extract(epoch from $2::timestamptz), ':', u.id), 'alert', u.id, jsonb_build_array(u.email),
    gen_random_uuid()::text, jsonb_build_object('alert', a.id, 'from', $3::timestamptz, 'to', $4::timestamptz)
from alert a
    cross join lateral jsonb_array_elements_text(case jsonb_typeof(a.recipient_ids) when 'array' then a.recipient_ids else '[]' end) as r (id)
    join user_account u on u.id::text = r.id
where a.id = $1
on conflict (business_key) do nothing
