-- With their versions and builds, the newest first.
SELECT toUInt16(day) AS number, toUnixTimestamp64Milli(version) AS newest, build
FROM ad_day_builds FINAL
WHERE sealed AND hosts = 0
ORDER BY number DESC
