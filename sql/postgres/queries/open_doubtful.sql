select s.id
from capture c join slot s on s.id = c.slot_id and s.slot_ts = c.slot_ts
where c.doubt is not null and s.state = 'verified' and c.taken_at > now() - interval '30 days'
    and c.slot_ts > now() - interval '65 days' and s.slot_ts > now() - interval '65 days'
    and not exists (select from operator_act a where a.slot_id = s.id and a.at >= s.settled_at)
order by c.taken_at desc
limit $1
