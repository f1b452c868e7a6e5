-- `sealed`: the builds of the days that the weeks are added up from.
INSERT INTO ad_weeks
    (build, week, brand_id, term_id, keyword, keyword_type, localization_id, country, region, engine, device, kind, domain, ad,
     title, description, views, rank_sum, first_seen, last_seen)
SELECT
    {build:UInt64}, toStartOfMonth(day) + intDiv(toDayOfMonth(day) - 1, 7) * 7 AS week,
    brand_id, term_id, keyword, keyword_type, localization_id,
    -- These are part of the ad's identity.
    any(country), region, any(engine), any(device), any(kind), any(domain), ad,
    any(title), any(description), sum(views), sum(rank_sum), min(first_seen), max(last_seen)
FROM ad_days
WHERE (toUInt16(day), build) IN {sealed:Array(Tuple(UInt16, UInt64))}
    AND day BETWEEN toDate({first:UInt16}) AND toDate({last:UInt16})
GROUP BY week, brand_id, term_id, keyword, keyword_type, localization_id, region, ad
-- Groups spill to disk beyond 256 MiB: those of a large day need more memory than a query gets.
SETTINGS max_bytes_before_external_group_by = 268435456
