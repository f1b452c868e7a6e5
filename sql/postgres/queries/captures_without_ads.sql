-- Valid captures without stored ads, by term and hour of the week: none was read, or all were deleted by hand. `include` says whether a
-- condition has to hold or must not.
select
    coalesce(c.term_id, 0) as "term!",
    extract(isodow from c.taken_at at time zone $6)::int as "weekday!",
    extract(hour from c.taken_at at time zone $6)::int as "hour!",
    count(*) as "captures!"
from (
    select * from capture where n_rows = 0 and verdict = 'results'
    union all
    select c.* from manifest_capture mc join capture c
        on c.id = mc.capture_id and c.slot_ts >= captures_from(mc.capture_id) and c.slot_ts < captures_until(mc.capture_id)
    where mc.n_rows = 0 and c.verdict = 'results'
) as c
where
    -- Only captures whose ads were to be saved: of others, no ads means nothing.
    (c.saves_text_ads or c.saves_shopping_ads)
    and ($1::int[] is null or c.brand_id = any($1) or c.term_id = any($2))
    and ($3::timestamptz is null or c.taken_at >= $3)
    -- To the second, as in the store of ads.
    and ($4::timestamptz is null or c.taken_at < $4 + interval '1 second')
    -- A page is received at most so long after its slot was due: earlier months are not scanned.
    and c.slot_ts >= coalesce($3 - interval '35 days', '-infinity')
    and not exists (
        select
        from jsonb_to_recordset($5::jsonb) as test(field text, include boolean, contains boolean, texts text[])
        cross join lateral (
            select case test.field
                when 'brandID' then coalesce(c.brand_id, 0)::text
                when 'termId' then coalesce(c.term_id, 0)::text
                when 'country' then split_part(c.locale, '_', 2)
                when 'language' then split_part(c.locale, '_', 1)
                when 'region' then coalesce(c.region, '')
                when 'engine' then c.engine
                when 'device' then c.device::text
                when 'keywordType' then c.keyword_type
                when 'keywordContent' then c.term
            end as is
        ) as known
        where test.include is distinct from exists (
            select
            from unnest(test.texts) as sought
            where case when test.contains then position(lower(sought) in lower(known.is)) > 0 else sought = known.is end
        )
    )
group by 1, 2, 3
