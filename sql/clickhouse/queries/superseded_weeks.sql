-- As for days (`superseded_days.sql`).
SELECT build
FROM ad_weeks
WHERE build < toUnixTimestamp64Micro(now64(6)) - 3600000000
    AND build NOT IN (SELECT build FROM ad_week_builds FINAL)
GROUP BY build
HAVING countIf(week IN (SELECT week FROM ad_week_builds FINAL WHERE version > now64(3) - toIntervalHour(1))) = 0
