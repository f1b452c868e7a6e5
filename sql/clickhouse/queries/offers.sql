-- Prices in shopping ads, by seller and by the service that placed the ad, with the days of a time zone on which each was seen.
SELECT brand_id AS brand, toString(country) AS place, title AS headline, price AS shown_price, any(merchant) AS seller, toString(domain) AS host,
    toString(comparator_name) AS service, groupUniqArray(toUInt16(toDate(seen_at, {zone:String}))) AS days, count() AS views,
    toString(argMax(capture_id, seen_at)) AS capture
FROM ad_results
WHERE domain != '' AND kind = 'shopping' AND title != '' AND price != ''${where}
GROUP BY brand_id, country, title, price, domain, comparator_name
LIMIT {limit:UInt32}
