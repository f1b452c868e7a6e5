-- An hour is longer than any query that may still read them.
SELECT DISTINCT build
FROM ad_days
WHERE build < toUnixTimestamp64Micro(now64(6)) - 3600000000
    AND (day, build) NOT IN (SELECT day, build FROM ad_day_builds FINAL WHERE sealed)
    AND build NOT IN (SELECT build FROM ad_day_builds FINAL WHERE sealed)
