SELECT toDayOfWeek(seen_at, 0, {zone:String}) AS weekday, toHour(seen_at, {zone:String}) AS hour, count() AS views, uniqExact(ad) AS ads,
    uniqExact(capture_id) AS captures
FROM ad_results
WHERE domain != ''${where}
GROUP BY weekday, hour
