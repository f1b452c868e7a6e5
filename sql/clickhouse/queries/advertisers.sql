-- The country and the engine are part of an ad's identity, and so is the domain.
SELECT brand_id, toString(domain) AS host, toString(country) AS in_country, toString(engine) AS on_engine, sum(views) AS nb_views, uniqExact(ad) AS nb_ads
FROM
(
${source}
)
GROUP BY brand_id, domain, country, engine
ORDER BY brand_id, host, in_country, on_engine
LIMIT {limit:UInt32}
