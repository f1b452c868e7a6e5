-- `sealed`: the builds of the days that count and have captures.
SELECT day, seen.views AS results, kept.views AS rolled_up
FROM
(
    SELECT day, sum(rows) AS views,
        groupBitXor(sipHash64(brand_id, term_id, keyword, keyword_type, localization_id, country, region, engine, device,
            seen_at, capture, shown, rows)) AS sum
    FROM
    (
        SELECT day, brand_id, term_id, keyword, keyword_type, localization_id, country, region, engine, device, seen_at,
            cityHash64(capture_id) AS capture, arraySort(groupUniqArray(domain)) AS shown, count() AS rows
        FROM ad_results
        WHERE toUInt16(day) IN {days:Array(UInt16)}
            AND day BETWEEN toDate(arrayMin({days:Array(UInt16)})) AND toDate(arrayMax({days:Array(UInt16)}))
        GROUP BY day, brand_id, term_id, keyword, keyword_type, localization_id, country, region, engine, device, seen_at, capture
    )
    GROUP BY day
) AS seen
FULL JOIN
(
    SELECT day, sum(capture_days.results) AS views,
        groupBitXor(sipHash64(brand_id, term_id, keyword, keyword_type, localization_id, country, region, engine, device,
            seen_at, capture, arraySort(hosts), toUInt64(capture_days.results))) AS sum
    FROM capture_days
    WHERE (toUInt16(day), build) IN {sealed:Array(Tuple(UInt16, UInt64))}
        AND day BETWEEN toDate(arrayMin({days:Array(UInt16)})) AND toDate(arrayMax({days:Array(UInt16)}))
    GROUP BY day
) AS kept USING (day)
WHERE seen.sum != kept.sum
ORDER BY day
-- Groups spill to disk beyond 256 MiB: those of a large day need more memory than a query gets.
SETTINGS max_bytes_before_external_group_by = 268435456
