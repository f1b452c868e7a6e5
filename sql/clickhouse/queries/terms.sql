-- One row per term, with the words and the place of the capture that saw it last. What a brand's own domains cover is no competitor of it.
-- The same ad shows on many terms, so the ads of the terms do not add up: the sets that count them are merged.
SELECT term_id, toString(facts.1) AS content, toString(facts.2) AS on_engine, facts.3 AS place, toString(facts.4) AS target,
    nb_competitors, nb_ads, nb_views, total, total_views, total_ads
FROM
(
    SELECT
        term_id,
        facts,
        nb_competitors,
        finalizeAggregation(ads) AS nb_ads,
        views_of_term AS nb_views,
        count() OVER () AS total,
        sum(views_of_term) OVER () AS total_views,
        uniqExactMerge(ads) OVER () AS total_ads
    FROM
    (
        SELECT
            term_id,
            argMax((keyword, engine, localization_id, region), last_seen) AS facts,
            uniqExactIf(domain, ${competitor}) AS nb_competitors,
            uniqExactState(ad) AS ads,
            sum(views) AS views_of_term
        FROM
        (
${source}
        )
        GROUP BY term_id
    )
)
ORDER BY ${order}, term_id ASC
LIMIT {limit:UInt32} OFFSET {offset:UInt64}
