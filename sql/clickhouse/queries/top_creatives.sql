-- A headline of an advertiser is one creative wherever it is seen. Countries are collected for the most viewed only: for all of them they would double
-- the time.
SELECT toString(domain) AS host, toString(kind) AS ad_kind, title AS headline,
    CAST(arraySort(groupUniqArray(country)), 'Array(String)') AS countries, sum(views) AS nb_views
FROM
(
${source}
)
WHERE title != '' AND cityHash64(domain, kind, title) GLOBAL IN
(
    SELECT cityHash64(domain, kind, title) AS creative
    FROM
    (
${source}
    )
    WHERE title != ''
    GROUP BY creative
    ORDER BY sum(views) DESC
    LIMIT {limit:UInt32} WITH TIES
)
GROUP BY domain, kind, title
ORDER BY nb_views DESC, host, ad_kind, headline
LIMIT {limit:UInt32}
