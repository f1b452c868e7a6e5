SELECT toString(country) AS in_country, toString(device) AS on_device,
    countIf(seen_at >= toDateTime({since:UInt32}, 'UTC')) AS now_views, countIf(seen_at < toDateTime({since:UInt32}, 'UTC')) AS earlier_views
FROM ad_results
WHERE domain = {name:String}${within}${where}
GROUP BY country, device
ORDER BY in_country, on_device
