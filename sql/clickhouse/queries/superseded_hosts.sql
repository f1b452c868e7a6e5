-- As for days (`superseded_days.sql`).
SELECT build
FROM (SELECT build, day FROM host_days UNION ALL SELECT build, day FROM capture_days)
WHERE build < toUnixTimestamp64Micro(now64(6)) - 3600000000
    AND build NOT IN (SELECT hosts FROM ad_day_builds FINAL WHERE sealed)
GROUP BY build
HAVING countIf(day IN (SELECT day FROM ad_day_builds FINAL WHERE version > now64(3) - toIntervalHour(1))) = 0
