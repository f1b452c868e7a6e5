-- A day is closed ten minutes after its end: more than clocks of nodes may differ.
SELECT toUInt16(day) AS number, toUnixTimestamp64Milli(max(version)) AS newest
FROM (SELECT DISTINCT day FROM ad_results WHERE day < toDate(now('UTC') - 600)) AS results
LEFT JOIN ad_day_builds USING (day)
GROUP BY day
HAVING NOT argMax(sealed, version)
ORDER BY number
