-- Two levels, so that the words of an ad are counted before they are collected.
SELECT
    ad,
    any(host) AS domain,
    argMax(brand, last) AS brand,
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
        toString(any(domain)) AS host,
        argMax(brand_id, last_seen) AS brand,
        sum(views) AS seen,
        sum(rank_sum) AS ranks,
        min(first_seen) AS first,
        max(last_seen) AS last
    FROM
    (
${source}
    )
    GROUP BY ad, keyword
)
GROUP BY ad
ORDER BY views DESC, ad
LIMIT {limit:UInt32}
