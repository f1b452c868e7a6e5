select s.id
from slot s
where s.state = 'failed' and s.settled_at > now() - interval '30 days' and s.slot_ts > now() - interval '65 days' and (s.reason = any($1::text[])) = $2::boolean
    and not exists (select from operator_act a where a.slot_id = s.id and a.at >= s.settled_at)
order by s.settled_at desc
limit $3
