SELECT brand_id
FROM ad_results
WHERE brand_id != 0 AND domain != ''${where}
GROUP BY brand_id
ORDER BY count() DESC, brand_id
