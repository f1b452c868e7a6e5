SELECT toDate(seen_at, {zone:String}) AS local_day, uniqExact(term_id) AS terms, count() AS views
FROM ad_results
WHERE domain != ''${where}
GROUP BY local_day
ORDER BY local_day
