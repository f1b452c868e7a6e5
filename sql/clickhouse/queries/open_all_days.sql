-- As `open_days.sql`, for every day that was ever built.
INSERT INTO ad_day_builds (day, version, build, sealed)
SELECT day, greatest(now64(3), fromUnixTimestamp64Milli(toUnixTimestamp64Milli(max(version)) + 2)), 0, false
FROM ad_day_builds
GROUP BY day
