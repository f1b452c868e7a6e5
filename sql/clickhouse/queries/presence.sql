-- All results of a capture have the same `seen_at`.
SELECT toDayOfWeek(captured_at, 0, {zone:String}) AS weekday, toHour(captured_at, {zone:String}) AS hour, countIf(has_others) AS with_others,
    count() AS captures
FROM
(
    SELECT any(seen_at) AS captured_at, max(domain != ''${others}) AS has_others
    FROM ad_results
    WHERE true${where}
    GROUP BY capture_id
)
GROUP BY weekday, hour
