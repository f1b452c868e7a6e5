SELECT toDayOfWeek(slot_time, 0, {zone:String}) AS weekday, toHour(slot_time, {zone:String}) AS hour, count() AS views, uniqExact(ad) AS ads,
    uniqExact(capture_id) AS captures
FROM ad_results
WHERE domain != ''${where}
GROUP BY weekday, hour
