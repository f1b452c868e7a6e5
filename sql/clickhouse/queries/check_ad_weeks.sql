-- The weeks whose rows differ from the sum of their days, each by its first day.
SELECT toDate(toUInt16({days:Array(Tuple(UInt16, UInt64))}[1].1)) AS day, seen.views AS results, kept.views AS rolled_up
FROM
(
    SELECT sum(rows) AS views,
        groupBitXor(sipHash64(brand_id, term_id, keyword, keyword_type, localization_id, region, ad, text, rows, ranks, first, last)) AS sum
    FROM
    (
        SELECT brand_id, term_id, keyword, keyword_type, localization_id, region, ad, any((title, description)) AS text,
            sum(ad_days.views) AS rows, sum(rank_sum) AS ranks, min(first_seen) AS first, max(last_seen) AS last
        FROM ad_days
        WHERE (toUInt16(day), build) IN {days:Array(Tuple(UInt16, UInt64))}
            AND day BETWEEN toDate({week:UInt16}) AND toDate({week:UInt16}) + 6
        GROUP BY brand_id, term_id, keyword, keyword_type, localization_id, region, ad
    )
) AS seen
CROSS JOIN
(
    SELECT sum(ad_weeks.views) AS views,
        groupBitXor(sipHash64(brand_id, term_id, keyword, keyword_type, localization_id, region, ad, (title, description),
            toUInt64(ad_weeks.views), toUInt64(rank_sum), first_seen, last_seen)) AS sum
    FROM ad_weeks
    WHERE build = {build:UInt64} AND week = toDate({week:UInt16})
) AS kept
WHERE seen.sum != kept.sum
-- Groups spill to disk beyond 256 MiB: those of a large day need more memory than a query gets.
SETTINGS max_bytes_before_external_group_by = 268435456
