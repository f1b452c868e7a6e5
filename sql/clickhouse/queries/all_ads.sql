-- Every ad with its texts in one pass; those that make an ad are the same in all its rows.
SELECT
    toString(any(domain)) AS host,
    toString(any(kind)) AS ad_kind,
    toString(any(engine)) AS on_engine,
    toString(any(device)) AS on_device,
    toString(any(country)) AS in_country,
    toString(any(language)) AS in_language,
    any(title) AS headline,
    any(description) AS text,
    any(display_url) AS shown_url,
    argMax(target_url, seen_at) AS landing_url,
    any(price) AS amount,
    toString(argMax(capture_id, seen_at)) AS capture,
    count() AS views,
    avg(rank) AS mean_rank,
    toUnixTimestamp(min(seen_at)) AS first_seen,
    toUnixTimestamp(max(seen_at)) AS last_seen,
    CAST(arraySort(groupUniqArray(keyword)), 'Array(String)') AS keywords
FROM ad_results
WHERE domain != ''${where}
GROUP BY ad
ORDER BY views DESC, ad
LIMIT {limit:UInt32}
