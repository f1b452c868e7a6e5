-- Two levels, so that the words of an ad are counted before they are collected.
SELECT
    ad,
    toString(argMax(last_capture, last)) AS capture,
    sum(seen) AS views,
    sum(ranks) / views AS mean_rank,
    toUnixTimestamp(min(first)) AS first_seen,
    toUnixTimestamp(max(last)) AS last_seen,
    arrayMap(word -> word.2, arraySort(groupArray((-toInt64(seen), toString(keyword))))) AS keywords
FROM
(
    SELECT
        ad,
        keyword,
        count() AS seen,
        sum(rank) AS ranks,
        min(slot_time) AS first,
        max(slot_time) AS last,
        argMax(capture_id, slot_time) AS last_capture
    FROM ad_results
    WHERE domain != ''${where}
    GROUP BY ad, keyword
)
GROUP BY ad
ORDER BY views DESC, ad
LIMIT {limit:UInt32}
