INSERT INTO host_days
    (build, day, brand_id, term_id, keyword, keyword_type, localization_id, country, region, engine, device, kind, domain, views, views_before)
SELECT
    {build:UInt64}, day, brand_id, term_id, keyword, keyword_type, localization_id, country, region, engine, device, kind, domain, count(),
    (${views_before_hours})
FROM ad_results
WHERE toUInt16(day) IN {days:Array(UInt16)}
    AND day BETWEEN toDate(arrayMin({days:Array(UInt16)})) AND toDate(arrayMax({days:Array(UInt16)}))
GROUP BY day, brand_id, term_id, keyword, keyword_type, localization_id, country, region, engine, device, kind, domain
-- Groups spill to disk beyond 256 MiB: those of a large day need more memory than a query gets.
SETTINGS max_bytes_before_external_group_by = 268435456
