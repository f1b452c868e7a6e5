-- A latest result of each ad, found by its place in the sort key; few columns, because each place costs a block of each.
SELECT ad, toString(capture_id) AS capture, target_url, aclk_urls
FROM ad_results
WHERE (brand_id, day, domain, ad) IN {places:Array(Tuple(UInt32, Date, String, UInt64))}
AND (ad, toUnixTimestamp(slot_time)) IN {latest:Array(Tuple(UInt64, UInt32))}${where}
LIMIT 1 BY ad
