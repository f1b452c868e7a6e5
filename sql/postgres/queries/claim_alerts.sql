select a.id, a.type = 'hook' as "is_hook!", a.cron, a.frequency, a.start_date, a.next_send, a.last_send
from alert a
where a.enable
    and case when a.type = 'hook'
        then (a.last_send is null or a.last_send <= $1::timestamptz - $3::interval)
            and exists (select from alert_hit h where h.alert_id = a.id and h.digest is null)
        else a.next_send is null or a.next_send <= $1 end
order by a.next_send nulls first, a.id limit $2
for update skip locked
