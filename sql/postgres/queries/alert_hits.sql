with hit as (
    select action_id, max(at) as at from alert_hit where alert_id = $1 and digest = $2 group by action_id
)
select h.action_id, capture_of_event(h.action_id, h.at) as "capture_id?"
from hit h
order by h.at desc, h.action_id
