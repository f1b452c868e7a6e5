INSERT INTO ad_days
    (build, day, brand_id, term_id, keyword, keyword_type, localization_id, country, region, engine, device, kind, domain, ad,
     title, description, views, rank_sum, first_seen, last_seen)
SELECT
    {build:UInt64}, day, brand_id, term_id, keyword, keyword_type, localization_id,
    -- These are part of the ad's identity.
    any(country), region, any(engine), any(device), any(kind), any(domain), ad,
    any(title), any(description), count(), sum(rank), min(seen_at), max(seen_at)
FROM ad_results
WHERE toUInt16(day) IN {days:Array(UInt16)}
    AND day BETWEEN toDate(arrayMin({days:Array(UInt16)})) AND toDate(arrayMax({days:Array(UInt16)}))
GROUP BY day, brand_id, term_id, keyword, keyword_type, localization_id, region, ad
-- Groups spill to disk beyond 256 MiB: those of a large day need more memory than a query gets.
SETTINGS max_bytes_before_external_group_by = 268435456
