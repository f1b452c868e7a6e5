-- A headline of an advertiser is one creative wherever it is seen. Countries are collected for the most viewed only: for all of them they would double
-- the time.
SELECT toString(domain) AS host, toString(kind) AS ad_kind, title AS headline,
    CAST(arraySort(groupUniqArray(country)), 'Array(String)') AS countries, sum(views) AS nb_views
FROM
(
${source}
)
WHERE creative GLOBAL IN
(
    SELECT creative
    FROM
    (
${source}
    )
    WHERE creative != 0
    GROUP BY creative
    ORDER BY sum(views) DESC
    LIMIT {limit:UInt32} WITH TIES
)
GROUP BY domain, kind, title
ORDER BY nb_views DESC, host, ad_kind, headline
LIMIT {limit:UInt32}
