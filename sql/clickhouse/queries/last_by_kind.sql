SELECT
    toString(domain) AS host,
    toString(country) AS in_country,
    toString(engine) AS on_engine,
    maxIf(last_seen, kind = 'ads') AS last_text,
    maxIf(last_seen, kind = 'shopping') AS last_shopping
FROM
(
${source}
)
GROUP BY domain, country, engine
