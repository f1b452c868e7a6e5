-- The rows of a day from its slots. Those it had go before.
insert into ledger_day (day, term_id, device, planned, valid, doubtful, failed, missed)
select $1::date, s.term_id, s.device, count(*),
    count(*) filter (where s.state = 'verified' and c.id is null),
    count(*) filter (where s.state = 'verified' and c.id is not null),
    count(*) filter (where s.state = 'failed'),
    count(*) filter (where s.state = 'missed')
from slot s
    left join capture c on c.slot_id = s.id and c.slot_ts = s.slot_ts and c.verdict <> 'results'
        and c.slot_ts >= $1::date::timestamp at time zone 'UTC' and c.slot_ts < ($1::date + 1)::timestamp at time zone 'UTC'
where s.slot_ts >= $1::date::timestamp at time zone 'UTC' and s.slot_ts < ($1::date + 1)::timestamp at time zone 'UTC'
group by s.term_id, s.device
