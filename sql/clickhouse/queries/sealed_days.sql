SELECT toUInt16(day)
FROM ad_day_builds FINAL
WHERE sealed
ORDER BY day
