SELECT count()
FROM ad_results
WHERE batch >= {first_batch:UInt64}
