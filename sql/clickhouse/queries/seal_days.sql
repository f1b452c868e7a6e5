-- One step after the version seen before the build began to read, so that a day opened meanwhile stays open. A day whose views do
-- not add up is left open too.
INSERT INTO ad_day_builds (day, version, build, sealed)
SELECT
    day,
    fromUnixTimestamp64Milli(toInt64({versions:Array(Int64)}[indexOf({days:Array(UInt16)}, toUInt16(day))]) + 1),
    {build:UInt64},
    true
FROM (SELECT day, sum(views) AS views FROM ad_days WHERE build = {build:UInt64} GROUP BY day) AS rolled
INNER JOIN
(
    SELECT day, count() AS views
    FROM ad_results
    WHERE toUInt16(day) IN {days:Array(UInt16)}
    GROUP BY day
) AS results USING (day)
WHERE rolled.views = results.views
