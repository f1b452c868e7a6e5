-- The rows of a day from its slots before an instant. Existing rows are updated where they differ.
insert into ledger_day (day, term_id, device, planned, valid, doubtful, failed, missed)
select $1::date, s.term_id, s.device, count(*),
    count(*) filter (where s.state = 'verified' and c.id is null),
    count(*) filter (where s.state = 'verified' and c.id is not null),
    count(*) filter (where s.state = 'failed'),
    count(*) filter (where s.state = 'missed')
from slot s
    left join capture c on c.slot_id = s.id and c.slot_ts = s.slot_ts and c.verdict <> 'results'
        and c.slot_ts >= $1::date::timestamp at time zone 'UTC' and c.slot_ts < $2
where s.slot_ts >= $1::date::timestamp at time zone 'UTC' and s.slot_ts < $2
group by s.term_id, s.device
on conflict (term_id, day, device) do update
set planned = excluded.planned, valid = excluded.valid, doubtful = excluded.doubtful, failed = excluded.failed, missed = excluded.missed
where (ledger_day.planned, ledger_day.valid, ledger_day.doubtful, ledger_day.failed, ledger_day.missed)
    is distinct from (excluded.planned, excluded.valid, excluded.doubtful, excluded.failed, excluded.missed)
