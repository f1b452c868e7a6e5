-- A capture has one time, so the captures of days add up.
SELECT toString(${key}) AS name, toDate(seen_at, {zone:String}) AS at, count() AS views, uniqExact(capture_id) AS captures
FROM ad_results
WHERE domain != '' AND toString(${key}) IN {names:Array(String)}${where}
GROUP BY ${key}, at
