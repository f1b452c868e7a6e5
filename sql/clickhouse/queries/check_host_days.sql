-- `sealed`: the builds of the days that count and have hosts.
SELECT day, seen.views AS results, kept.views AS rolled_up
FROM
(
    SELECT day, sum(rows) AS views,
        groupBitXor(sipHash64(brand_id, term_id, keyword, keyword_type, localization_id, country, region, engine, device, kind,
            domain, rows, before_hours)) AS sum
    FROM
    (
        SELECT day, brand_id, term_id, keyword, keyword_type, localization_id, country, region, engine, device, kind, domain,
            count() AS rows, arrayMap(views -> toUInt32(views), [${views_before_hours}]) AS before_hours
        FROM ad_results
        WHERE toUInt16(day) IN {days:Array(UInt16)}
            AND day BETWEEN toDate(arrayMin({days:Array(UInt16)})) AND toDate(arrayMax({days:Array(UInt16)}))
        GROUP BY day, brand_id, term_id, keyword, keyword_type, localization_id, country, region, engine, device, kind, domain
    )
    GROUP BY day
) AS seen
FULL JOIN
(
    SELECT day, sum(host_days.views) AS views,
        groupBitXor(sipHash64(brand_id, term_id, keyword, keyword_type, localization_id, country, region, engine, device, kind,
            domain, toUInt64(host_days.views), arrayMap(hour -> hour.2, tupleToNameValuePairs(views_before)))) AS sum
    FROM host_days
    WHERE (toUInt16(day), build) IN {sealed:Array(Tuple(UInt16, UInt64))}
        AND day BETWEEN toDate(arrayMin({days:Array(UInt16)})) AND toDate(arrayMax({days:Array(UInt16)}))
    GROUP BY day
) AS kept USING (day)
WHERE seen.sum != kept.sum
ORDER BY day
-- Groups spill to disk beyond 256 MiB: those of a large day need more memory than a query gets.
SETTINGS max_bytes_before_external_group_by = 268435456
