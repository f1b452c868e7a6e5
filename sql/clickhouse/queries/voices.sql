-- No row spans both times, so `first_seen` tells which it is of. The domain is part of what an ad is: distinct ads of domains add up.
SELECT
    toString(domain) AS name,
    CAST(domain != ''${own}, 'Bool') AS is_own,
    sumIf(views, first_seen >= toDateTime({since:UInt32}, 'UTC')) AS period_views,
    sumIf(views, first_seen < toDateTime({since:UInt32}, 'UTC')) AS earlier_views,
    countIf(period_views > 0) OVER () AS period_domains,
    countIf(earlier_views > 0) OVER () AS earlier_domains,
    sum(period_views) OVER () AS period_total_views,
    sum(earlier_views) OVER () AS earlier_total_views,
    sum(uniqExactIf(ad, first_seen >= toDateTime({since:UInt32}, 'UTC'))) OVER () AS period_total_ads,
    sum(uniqExactIf(ad, first_seen < toDateTime({since:UInt32}, 'UTC'))) OVER () AS earlier_total_ads
FROM
(
${source}
)
GROUP BY domain
ORDER BY is_own DESC, period_views DESC, earlier_views DESC, domain ASC
LIMIT {most:UInt32} BY is_own
