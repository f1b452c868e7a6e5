SELECT toDate(seen_at, {zone:String}) AS local_day, countIf(kind = 'ads') AS text_ads, countIf(kind = 'shopping') AS shopping_ads
FROM ad_results
WHERE domain != ''${where}
GROUP BY local_day
ORDER BY local_day
