-- What the latest capture of each ad shows of it.
SELECT ad, toString(domain) AS host, toString(kind) AS ad_kind, toString(engine) AS on_engine, toString(device) AS on_device,
    toString(country) AS in_country, toString(language) AS in_language, title, description, display_url, target_url, aclk_urls, image, price,
    toString(comparator_name) AS comparator, comparator_url
FROM ad_results
WHERE ad IN {ads:Array(UInt64)}
AND day IN arrayMap(seconds -> toDate(toDateTime(seconds, 'UTC')), {last_seen:Array(UInt32)})
AND toString(capture_id) IN {captures:Array(String)}${where}
LIMIT 1 BY ad
