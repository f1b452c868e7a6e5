-- `transform` runs once for each host of a block, not for each result.
SELECT toDate(seen_at, {zone:String}) AS local_day,
    CAST(transform(domain, {hosts:Array(String)}, {numbers:Array(UInt16)}, toUInt16(0)), 'UInt16') AS voice,
    countIf(kind = 'ads') AS text_ads, countIf(kind = 'shopping') AS shopping_ads
FROM ad_results
WHERE domain != ''${within}${where}
GROUP BY local_day, voice
ORDER BY local_day, voice
