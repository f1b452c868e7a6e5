-- All domains that were not asked for are added up under the empty name.
SELECT toDate(seen_at, {zone:String}) AS local_day, if(toString(domain) IN {names:Array(String)}, toString(domain), '') AS name,
    countIf(kind = 'ads') AS text_ads, countIf(kind = 'shopping') AS shopping_ads
FROM ad_results
WHERE domain != ''${within}${where}
GROUP BY local_day, name
ORDER BY local_day, name
