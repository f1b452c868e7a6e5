-- The same ad shows on many terms, so the ads of the terms do not add up.
SELECT uniqExact(term_id) AS total, sum(views) AS total_views, uniqExact(ad) AS total_ads
FROM
(
${source}
)
