-- A latest result of each ad. Each column of the sort key has a test of its own: one test of all of them takes longer than it saves.
SELECT ad, toString(capture_id) AS capture, target_url, aclk_urls
FROM ad_results
PREWHERE brand_id IN {brands:Array(UInt32)} AND toUInt16(day) IN {days:Array(UInt16)} AND domain IN {domains:Array(String)}
    AND ad IN {ads:Array(UInt64)} AND (ad, toUnixTimestamp(seen_at)) IN {latest:Array(Tuple(UInt64, UInt32))}
WHERE 1${where}
LIMIT 1 BY ad
