with hit as (
    select action_id, max(at) as at from alert_hit where alert_id = $1 and digest = $2 group by action_id
)
select h.action_id, (
        select c.id
        from (
            select r.capture_id as id from relapse r join action_history e on e.id = r.history_id where e.action_id = h.action_id and e.at = h.at
            union all
            -- The page that opened a case was received when the case was opened.
            select s.id
            from action_history e join action_term t on t.action_id = e.action_id join capture s on s.term_id = t.term_id
            where e.action_id = h.action_id and e.at = h.at and e.status = 'new'
                and s.taken_at >= h.at - interval '1 second' and s.taken_at <= h.at + interval '1 second'
        ) seen
            join capture c on c.id = seen.id and c.slot_ts >= captures_from(seen.id) and c.slot_ts < captures_until(seen.id)
        where c.files_gone_at is null
        limit 1
    ) as "capture_id?"
from hit h
order by h.at desc, h.action_id
