SELECT day, countIf(kind = 'ads') AS text_ads, countIf(kind = 'shopping') AS shopping_ads
FROM ad_results
WHERE domain != ''${where}
GROUP BY day
ORDER BY day
