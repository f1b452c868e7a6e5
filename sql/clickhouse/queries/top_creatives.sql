-- A headline of an advertiser is one creative wherever it is seen.
SELECT toString(domain) AS host, toString(kind) AS ad_kind, title AS headline,
    CAST(arraySort(groupUniqArray(country)), 'Array(String)') AS countries, sum(views) AS nb_views
FROM
(
${source}
)
WHERE title != '' AND toString(domain) NOT IN {own:Array(String)}
GROUP BY domain, kind, title
ORDER BY nb_views DESC, host, ad_kind, headline
LIMIT {limit:UInt32}
