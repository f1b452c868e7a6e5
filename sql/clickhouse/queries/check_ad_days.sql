WITH sealed AS (SELECT day, build FROM ad_day_builds FINAL WHERE sealed AND toUInt16(day) IN {days:Array(UInt16)})
SELECT day, seen.views AS results, kept.views AS rolled_up
FROM
(
    SELECT day, sum(rows) AS views,
        groupBitXor(sipHash64(brand_id, term_id, keyword, keyword_type, localization_id, region, ad, rows, ranks, first, last)) AS sum
    FROM
    (
        SELECT day, brand_id, term_id, keyword, keyword_type, localization_id, region, ad,
            count() AS rows, sum(rank) AS ranks, min(slot_time) AS first, max(slot_time) AS last
        FROM ad_results
        WHERE day IN (SELECT day FROM sealed)
            AND day BETWEEN toDate(arrayMin({days:Array(UInt16)})) AND toDate(arrayMax({days:Array(UInt16)}))
        GROUP BY ALL
    )
    GROUP BY day
) AS seen
FULL JOIN
(
    SELECT day, sum(ad_days.views) AS views,
        groupBitXor(sipHash64(brand_id, term_id, keyword, keyword_type, localization_id, region, ad,
            toUInt64(ad_days.views), toUInt64(rank_sum), first_seen, last_seen)) AS sum
    FROM ad_days
    WHERE (day, build) IN sealed
        AND day BETWEEN toDate(arrayMin({days:Array(UInt16)})) AND toDate(arrayMax({days:Array(UInt16)}))
    GROUP BY day
) AS kept USING (day)
WHERE seen.sum != kept.sum
ORDER BY day
