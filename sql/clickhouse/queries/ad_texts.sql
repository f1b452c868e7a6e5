-- What a latest capture of each ad shows of it, by its place in the sort key. All lists have one entry an ad.
SELECT ad, toString(capture_id) AS capture, toString(domain) AS host, toString(kind) AS ad_kind, toString(engine) AS on_engine,
    toString(device) AS on_device, toString(country) AS in_country, toString(language) AS in_language, title, description, display_url,
    target_url, aclk_urls, image, price, toString(comparator_name) AS comparator, comparator_url
FROM ad_results
WHERE (brand_id, day, domain, ad) IN arrayZip(
    {brands:Array(UInt32)},
    arrayMap(seconds -> toDate(toDateTime(seconds, 'UTC')), {last_seen:Array(UInt32)}),
    {domains:Array(String)},
    {ads:Array(UInt64)})
AND (ad, toUnixTimestamp(slot_time)) IN arrayZip({ads:Array(UInt64)}, {last_seen:Array(UInt32)})${where}
LIMIT 1 BY ad
