SELECT term_id AS term, toDayOfWeek(slot_time, 0, {zone:String}) AS weekday, toHour(slot_time, {zone:String}) AS hour,
    uniqExact(capture_id) AS captures
FROM ad_results
WHERE true${where}
GROUP BY term, weekday, hour
