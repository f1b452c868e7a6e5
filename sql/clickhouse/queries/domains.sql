-- The country is part of an ad's identity and so is the domain: distinct ads of domains add up.
SELECT
    toString(domain) AS name,
    CAST(arraySort(groupUniqArray(country)), 'Array(String)') AS countries,
    sum(views) AS nb_views,
    uniqExact(ad) AS nb_ads,
    sum(rank_sum) / nb_views AS average_position,
    count() OVER () AS total,
    sum(nb_views) OVER () AS total_views,
    sum(nb_ads) OVER () AS total_ads
FROM
(
${source}
)
GROUP BY domain
ORDER BY ${order}, domain ASC
LIMIT {limit:UInt32} OFFSET {offset:UInt64}
