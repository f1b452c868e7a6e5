SELECT min(if(mark = 0, real_position, mark)) AS first
FROM ad_results
WHERE brand_id = {brand:UInt32}
AND day IN (toDate(toDateTime({slot_time:UInt32}, 'UTC')), toDate(toDateTime({seen_at:UInt32}, 'UTC')))
AND capture_id = toUUID({capture:String})
AND domain = {domain:String}
AND (kind = {kind:String} OR {kind:String} = '')${where}
