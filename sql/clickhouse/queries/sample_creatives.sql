INSERT INTO creatives
    (domain, kind, engine, device, country, language, title, description, display_url, image, price, merchant, comparator_name,
     comparator_url)
SELECT domain, kind, engine, device, country, language, title, description, display_url, image, price, merchant, comparator_name,
    comparator_url
FROM ad_results
WHERE batch BETWEEN {first_batch:UInt64} AND {last_batch:UInt64}
LIMIT 1 BY domain, ad
