select s.id
from capture c join slot s on s.id = c.slot_id
where c.doubt is not null and s.state = 'verified' and c.taken_at > now() - interval '30 days'
    and not exists (select from operator_act a where a.slot_id = s.id and a.at >= s.settled_at)
order by c.taken_at desc
limit $1
