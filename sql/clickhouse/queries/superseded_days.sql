-- Builds that no day is read from and none of whose days changed in the last hour. That is longer than a calendar is cached plus the
-- longest query that may still read them.
SELECT build
FROM ad_days
WHERE build < toUnixTimestamp64Micro(now64(6)) - 3600000000
    AND build NOT IN (SELECT build FROM ad_day_builds FINAL WHERE sealed)
GROUP BY build
HAVING countIf(day IN (SELECT day FROM ad_day_builds FINAL WHERE version > now64(3) - toIntervalHour(1))) = 0
