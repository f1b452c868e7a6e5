SELECT seen_at, kind, position, real_position, mark, block, domain, domain_learnt, title, description, display_url, target_url, image, price, merchant, comparator_name
FROM ad_results
WHERE batch = {batch:UInt64} AND capture_id = toUUID({capture:String})
ORDER BY real_position, row
