-- The texts of ads. They are part of what makes an ad, so they are the same in each of its results.
SELECT ad, toString(kind) AS ad_kind, toString(engine) AS on_engine, toString(device) AS on_device, toString(country) AS in_country,
    toString(language) AS in_language, title, description, display_url, image, price, toString(comparator_name) AS comparator, comparator_url
FROM creatives
WHERE domain IN {domains:Array(String)} AND ad IN {ads:Array(UInt64)}
LIMIT 1 BY ad
