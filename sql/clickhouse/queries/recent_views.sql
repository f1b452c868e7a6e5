-- Sealed days from the roll-up, the others from the results.
SELECT ${columns}, sum(views) AS views
FROM
(
    SELECT brand_id, term_id, toString(domain) AS domain, ad_days.views AS views
    FROM ad_days
    WHERE domain != '' AND day >= toDate({first:UInt16})
        AND (day, build) IN (SELECT day, build FROM ad_day_builds FINAL WHERE sealed)
    UNION ALL
    SELECT brand_id, term_id, toString(domain) AS domain, toUInt32(1) AS views
    FROM ad_results
    WHERE domain != '' AND day >= toDate({first:UInt16})
        AND day NOT IN (SELECT day FROM ad_day_builds FINAL WHERE sealed)
)
GROUP BY ${columns}
