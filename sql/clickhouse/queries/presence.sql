SELECT toDayOfWeek(seen_at, 0, {zone:String}) AS weekday, toHour(seen_at, {zone:String}) AS hour,
    uniqExactIf(capture_id, domain != '' AND toString(domain) NOT IN {own:Array(String)}) AS with_others, uniqExact(capture_id) AS captures
FROM ad_results
WHERE true${where}
GROUP BY weekday, hour
