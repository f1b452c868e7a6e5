-- Rows of days without slots, and their seals.
with past as (
    select *
    from unnest($1::date[], $2::int[], $3::text[], $4::int[], $5::int[], $6::int[], $7::int[], $8::int[])
        as past (day, term_id, device, planned, valid, doubtful, failed, missed)
    where not exists (
        select from slot s
        where s.slot_ts >= past.day::timestamp at time zone 'UTC' and s.slot_ts < (past.day + 1)::timestamp at time zone 'UTC'
    )
), written as (
    insert into ledger_day (day, term_id, device, planned, valid, doubtful, failed, missed)
    select day, term_id, device, planned, valid, doubtful, failed, missed from past
    on conflict (term_id, day, device) do nothing
)
insert into ledger_day_seal (day) select distinct day from past on conflict (day) do nothing
