-- `sealed`: the builds of the days that count.
SELECT day, seen.views AS results, kept.views AS rolled_up
FROM
(
    SELECT day, sum(rows) AS views,
        groupBitXor(sipHash64(brand_id, term_id, keyword, keyword_type, localization_id, region, ad, text, rows, ranks, first, last)) AS sum
    FROM
    (
        SELECT day, brand_id, term_id, keyword, keyword_type, localization_id, region, ad, any((title, description)) AS text,
            count() AS rows, sum(rank) AS ranks, min(seen_at) AS first, max(seen_at) AS last
        FROM ad_results
        WHERE toUInt16(day) IN {days:Array(UInt16)}
            AND day BETWEEN toDate(arrayMin({days:Array(UInt16)})) AND toDate(arrayMax({days:Array(UInt16)}))
        GROUP BY day, brand_id, term_id, keyword, keyword_type, localization_id, region, ad
    )
    GROUP BY day
) AS seen
FULL JOIN
(
    SELECT day, sum(ad_days.views) AS views,
        groupBitXor(sipHash64(brand_id, term_id, keyword, keyword_type, localization_id, region, ad, (title, description),
            toUInt64(ad_days.views), toUInt64(rank_sum), first_seen, last_seen)) AS sum
    FROM ad_days
    WHERE (toUInt16(day), build) IN {sealed:Array(Tuple(UInt16, UInt64))}
        AND day BETWEEN toDate(arrayMin({days:Array(UInt16)})) AND toDate(arrayMax({days:Array(UInt16)}))
    GROUP BY day
) AS kept USING (day)
WHERE seen.sum != kept.sum
ORDER BY day
-- Groups spill to disk beyond 256 MiB: those of a large day need more memory than a query gets.
SETTINGS max_bytes_before_external_group_by = 268435456
