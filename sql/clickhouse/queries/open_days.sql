-- Newer than a seal that is being written (`seal_days.sql`), whatever the clocks of nodes say. Today cannot be sealed, so it need not
-- be opened.
INSERT INTO ad_day_builds (day, version, build, sealed)
SELECT day, greatest(now64(3), fromUnixTimestamp64Milli(toUnixTimestamp64Milli(max(version)) + 2)), 0, false
FROM
(
    SELECT toDate({first:UInt16}) + number AS day
    FROM numbers({count:UInt32})
    WHERE day < toDate(now('UTC'))
) AS days
LEFT JOIN ad_day_builds USING (day)
GROUP BY day
