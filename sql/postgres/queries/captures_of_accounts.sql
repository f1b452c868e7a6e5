-- Stored captures of the terms of company accounts $1 since $2: of sealed days from their sums, of the rest from the ledger.
with of_account as materialized (
    select l.company_account_id as account, t.id as term_id
    from brand_company_account l join term t on t.brand_id = l.brand_id
    where l.company_account_id = any($1)
    union
    select company_account_id, term_id from term_company_account where company_account_id = any($1)
), days as materialized (
    select begun.day::date as day, s.day is not null as is_summed,
        case when s.day is null then begun.day else coalesce(s.until, begun.day + interval '1 day') end as rest_from,
        begun.day + interval '1 day' as rest_to
    from generate_series($2::timestamptz at time zone 'UTC', now() at time zone 'UTC', interval '1 day') as begun (day)
        left join lateral (
            select of_day.day, of_day.until at time zone 'UTC' as until from ledger_day_seal of_day where of_day.day = begun.day::date
        ) s on true
), counted as (
    select a.account, sum(d.valid + d.doubtful) as captures
    from of_account a join ledger_day d on d.term_id = a.term_id and d.day in (select day from days where is_summed)
    group by a.account
    union all
    select a.account, count(*)
    from days
        join slot s on s.slot_ts >= days.rest_from at time zone 'UTC' and s.slot_ts < days.rest_to at time zone 'UTC' and s.state = 'verified'
        join of_account a on a.term_id = s.term_id
    where days.rest_from < days.rest_to
    group by a.account
)
select account as "account!", sum(captures)::bigint as "captures!" from counted group by account
