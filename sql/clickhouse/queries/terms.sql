-- One row a term, with the words and the place of the capture that saw it last. A brand's own domains are no competitors of it.
SELECT term_id, toString(facts.1) AS content, toString(facts.2) AS on_engine, facts.3 AS place, toString(facts.4) AS target,
    nb_competitors, nb_ads, nb_views
FROM
(
    SELECT
        term_id,
        argMax((keyword, engine, localization_id, region), last_seen) AS facts,
        uniqExactIf(domain, ${competitor}) AS nb_competitors,
        uniqExact(ad) AS nb_ads,
        sum(views) AS nb_views
    FROM
    (
${source}
    )
    GROUP BY term_id
)
ORDER BY ${order}, term_id ASC
LIMIT {limit:UInt32} OFFSET {offset:UInt64}
