-- A capture whose results were corrected to several days counts once for each.
SELECT toDayOfWeek(captured_at, 0, {zone:String}) AS weekday, toHour(captured_at, {zone:String}) AS hour, countIf(has_others) AS with_others,
    count() AS captures
FROM
(
    SELECT min(seen_at) AS captured_at, max(shows_others) AS has_others
    FROM
    (
${source}
    )
    GROUP BY day, capture
)
GROUP BY weekday, hour
