-- An hour is longer than any query that may still read them.
SELECT DISTINCT build
FROM ad_weeks
WHERE build < toUnixTimestamp64Micro(now64(6)) - 3600000000
    AND build NOT IN (SELECT build FROM ad_week_builds FINAL)
