-- What a latest capture of each ad shows of it. Brand, day, domain and ad are the sort key.
SELECT ad, toString(capture_id) AS capture, toString(domain) AS host, toString(kind) AS ad_kind, toString(engine) AS on_engine,
    toString(device) AS on_device, toString(country) AS in_country, toString(language) AS in_language, title, description, display_url,
    target_url, aclk_urls, image, price, toString(comparator_name) AS comparator, comparator_url
FROM ad_results
WHERE brand_id IN {brands:Array(UInt32)}
AND day IN arrayMap(seconds -> toDate(toDateTime(seconds, 'UTC')), {last_seen:Array(UInt32)})
AND domain IN {domains:Array(String)}
AND ad IN {ads:Array(UInt64)}
AND (ad, toUnixTimestamp(slot_time)) IN arrayZip({ads:Array(UInt64)}, {last_seen:Array(UInt32)})${where}
LIMIT 1 BY ad
