SELECT term_id AS term, toDayOfWeek(seen_at, 0, {zone:String}) AS weekday, toHour(seen_at, {zone:String}) AS hour,
    uniqExact(capture_id) AS captures
FROM ad_results
WHERE true${where}
GROUP BY term, weekday, hour
