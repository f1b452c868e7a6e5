-- Days and weeks as numbers since 1970 with their newest builds. `made_of`: the builds of the days of a week, in the order of days.
SELECT false AS is_week, toUInt16(day) AS number, build, sealed, hosts, CAST([], 'Array(UInt64)') AS made_of
FROM ad_day_builds FINAL
UNION ALL
SELECT true, toUInt16(week), build, true, 0, days
FROM ad_week_builds FINAL
