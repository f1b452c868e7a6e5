-- What became of the captures planned in a period: for sealed days from their running totals and sums, for the rest from the ledger.
-- `include` says whether a condition has to hold or must not. The first row is the whole, then come engines with countries, then the terms
-- that miss the most captures, of those with a valid share below $6.
with requested as (
    -- Ends are written to the second, and belong to the period.
    select tstzrange($3::timestamptz, $4::timestamptz + interval '1 second') as period
), sealed as materialized (
    select s.day, days.span
    from requested, ledger_day_seal s
        cross join lateral (
            select tstzrange(
                s.day::timestamp at time zone 'UTC', coalesce(s.until, (s.day + 1)::timestamp at time zone 'UTC')
            ) as span
        ) as days
    where requested.period @> days.span
), gaps as materialized (
    -- Each includes its first instant and not its last.
    select coalesce(lower(gap), '-infinity') as first, coalesce(upper(gap), 'infinity') as last
    from requested
        cross join lateral unnest(
            tstzmultirange(requested.period) - coalesce((select range_agg(span) from sealed), tstzmultirange())
        ) as gap
), carried as materialized (
    -- The days after `since` up to `until` are the difference of their totals.
    select greatest(of_period.first - 1, of_totals.first) as since, least(of_period.last, of_totals.last) as until
    from (select min(day) as first, max(day) as last from sealed) of_period,
        (select min(day) as first, max(day) as last from ledger_total_day) of_totals
    where of_period.first is not null and of_totals.first is not null
        and greatest(of_period.first - 1, of_totals.first) < least(of_period.last, of_totals.last)
), totals as materialized (
    select until as day, 1 as sign from carried
    union all
    select since, -1 from carried
), days as materialized (
    select day, 1 as sign from sealed where not exists (select from carried where sealed.day > since and sealed.day <= until)
    union all
    -- Days opened again: the totals still have their old counts.
    select opened::date, -1
    from carried cross join lateral generate_series(since + 1, until, interval '1 day') as opened
    where not exists (select from sealed where sealed.day = opened::date)
), test as materialized (
    select * from jsonb_to_recordset($5::jsonb) as test(field text, include boolean, contains boolean, texts text[])
), selected as materialized (
    select *
    from (
        select t.id as term_id, t.term, lower(t.engine) as engine, split_part(l.locale, '_', 2) as country,
            split_part(l.locale, '_', 1) as language, t.region, t.keyword_type, t.brand_id
        from term t left join localization l on l.id = t.localization_id
        where $1::int[] is null or t.brand_id = any($1) or t.id = any($2)
    ) as w
    where not exists (
        select
        from test
            cross join lateral (
                select case test.field
                    when 'brandID' then coalesce(w.brand_id, 0)::text
                    when 'termId' then w.term_id::text
                    when 'country' then coalesce(w.country, '')
                    when 'language' then coalesce(w.language, '')
                    when 'region' then coalesce(w.region, '')
                    when 'engine' then coalesce(w.engine, '')
                    when 'keywordType' then coalesce(w.keyword_type, '')
                    when 'keywordContent' then coalesce(w.term, '')
                end as is
            ) as known
        where test.field <> 'device' and test.include is distinct from exists (
            select
            from unnest(test.texts) as selected
            where case when test.contains then position(lower(selected) in lower(known.is)) > 0 else selected = known.is end
        )
    )
), devices as materialized (
    select array(
        select device
        from unnest(array['desktop', 'mobile', 'tablet']) as device
        where not exists (
            select
            from test
            where test.field = 'device' and test.include is distinct from exists (
                select
                from unnest(test.texts) as selected
                where case when test.contains then position(lower(selected) in device) > 0 else selected = device end
            )
        )
    ) as chosen
), doubted as materialized (
    select s.term_id, s.device, count(*)::int as captures
    from gaps
        join capture c on c.slot_ts >= gaps.first and c.slot_ts < gaps.last and c.verdict <> 'results'
        join slot s on s.id = c.slot_id and s.slot_ts = c.slot_ts and s.state = 'verified'
    group by s.term_id, s.device
), in_gaps as (
    -- Without a restriction by time, for the terms of a reader term by term; the sums below likewise.
    select s.term_id, s.device, s.state
    from gaps join slot s on s.slot_ts >= gaps.first and s.slot_ts < gaps.last
    where $1::int[] is null
    union all
    select s.term_id, s.device, s.state
    from gaps cross join selected w
        join slot s on s.term_id = w.term_id and s.device = any(array['desktop', 'mobile', 'tablet'])
            and s.slot_ts >= gaps.first and s.slot_ts < gaps.last
    where $1::int[] is not null
), added_up as (
    select t.sign, d.term_id, d.device, d.planned, d.valid, d.doubtful, d.failed, d.missed
    from totals t cross join lateral (select * from ledger_total of_day where of_day.day = t.day offset 0) as d
    where $1::int[] is null
    union all
    select t.sign, d.term_id, d.device, d.planned, d.valid, d.doubtful, d.failed, d.missed
    from totals t cross join selected w join ledger_total d on d.day = t.day and d.term_id = w.term_id
    where $1::int[] is not null
    union all
    select t.sign, d.term_id, d.device, d.planned, d.valid, d.doubtful, d.failed, d.missed
    from days t cross join lateral (select * from ledger_day of_day where of_day.day = t.day offset 0) as d
    where $1::int[] is null
    union all
    select t.sign, d.term_id, d.device, d.planned, d.valid, d.doubtful, d.failed, d.missed
    from days t cross join selected w join ledger_day d on d.day = t.day and d.term_id = w.term_id
    where $1::int[] is not null
), ended as (
    select term_id, device, sign * planned as planned, sign * valid as valid, sign * doubtful as doubtful, sign * failed as failed,
        sign * missed as missed
    from added_up
    union all
    select term_id, device, count(*)::int, (count(*) filter (where state = 'verified'))::int, 0,
        (count(*) filter (where state = 'failed'))::int, (count(*) filter (where state = 'missed'))::int
    from in_gaps group by term_id, device
    union all
    select term_id, device, 0, -captures, captures, 0, 0 from doubted
), of_term as materialized (
    select w.term_id, w.term, w.engine, w.country, o.planned, o.valid, o.doubtful, o.failed, o.missed
    from (
        select term_id, sum(planned) as planned, sum(valid) as valid, sum(doubtful) as doubtful, sum(failed) as failed,
            sum(missed) as missed
        from ended
        where device = any((select chosen from devices)::text[])
        group by term_id
    ) as o join selected w using (term_id)
), shown as (
    select 0 as kind, null::int as term_id, null::text as term, null::text as engine, null::text as country,
        coalesce(sum(planned), 0) as planned, coalesce(sum(valid), 0) as valid, coalesce(sum(doubtful), 0) as doubtful,
        coalesce(sum(failed), 0) as failed, coalesce(sum(missed), 0) as missed
    from of_term
    union all
    (
        select 1, null, null, engine, country, sum(planned), sum(valid), sum(doubtful), sum(failed), sum(missed)
        from of_term group by engine, country
    )
    union all
    (
        select 2, term_id, term, engine, country, planned, valid, doubtful, failed, missed
        from of_term where valid < planned * $6::float8 order by planned - valid desc, term_id limit $7
    )
)
select kind as "kind!", term_id, term, engine, country, planned::bigint as "planned!", valid::bigint as "valid!",
    doubtful::bigint as "doubtful!", failed::bigint as "failed!", missed::bigint as "missed!"
from shown
order by kind, planned - valid desc, engine, country, term_id
