-- The distinct ads of a day, each with one of its addresses; brands that have none are left out.
SELECT brand_id AS brand, toString(country) AS place, toString(master) AS host, title AS headline, description AS words, image AS picture,
    merchant_id AS merchant_number, any(target_url) AS target, any(aclk_urls) AS clicks, toString(argMax(capture_id, seen_at)) AS capture
FROM ad_results
WHERE day = {day:Date} AND master != '' AND brand_id != 0
GROUP BY brand_id, country, master, title, description, image, merchant_id
