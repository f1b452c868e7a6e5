-- A week whose views are not those of its days does not count.
INSERT INTO ad_week_builds (week, version, build, days)
SELECT week, now64(3), {build:UInt64}, days
FROM
(
    SELECT week, sum(views) AS views
    FROM ad_weeks
    WHERE build = {build:UInt64} AND week BETWEEN toDate({first:UInt16}) AND toDate({last:UInt16})
    GROUP BY week
) AS added
INNER JOIN
(
    SELECT toStartOfMonth(day) + intDiv(toDayOfMonth(day) - 1, 7) * 7 AS week, sum(views) AS views,
        arraySort(groupUniqArray((day, build))).2 AS days
    FROM ad_days
    WHERE (toUInt16(day), build) IN {sealed:Array(Tuple(UInt16, UInt64))}
        AND day BETWEEN toDate({first:UInt16}) AND toDate({last:UInt16})
    GROUP BY week
) AS parts USING (week)
WHERE added.views = parts.views
