-- One step after the version seen before the build began to read, so that a day opened meanwhile stays open. A day whose hosts or captures do not add up
-- stays without them.
INSERT INTO ad_day_builds (day, version, build, sealed, hosts)
SELECT
    day,
    fromUnixTimestamp64Milli(toInt64({versions:Array(Int64)}[indexOf({days:Array(UInt16)}, toUInt16(day)) AS place]) + 1),
    {builds:Array(UInt64)}[place],
    true,
    {build:UInt64}
FROM
(
    SELECT day, sum(views) AS views
    FROM host_days
    WHERE build = {build:UInt64}
        AND day BETWEEN toDate(arrayMin({days:Array(UInt16)})) AND toDate(arrayMax({days:Array(UInt16)}))
    GROUP BY day
) AS hosts
INNER JOIN
(
    SELECT day, sum(capture_days.results) AS views
    FROM capture_days
    WHERE build = {build:UInt64}
        AND day BETWEEN toDate(arrayMin({days:Array(UInt16)})) AND toDate(arrayMax({days:Array(UInt16)}))
    GROUP BY day
) AS captures USING (day)
INNER JOIN
(
    SELECT day, count() AS views
    FROM ad_results
    WHERE toUInt16(day) IN {days:Array(UInt16)}
        AND day BETWEEN toDate(arrayMin({days:Array(UInt16)})) AND toDate(arrayMax({days:Array(UInt16)}))
    GROUP BY day
) AS results USING (day)
WHERE hosts.views = results.views AND captures.views = results.views
