SELECT kind, position, real_position, if(mark = 0, real_position, mark) AS mark, domain, title, description, display_url, price, merchant
FROM ad_results
WHERE brand_id = {brand:UInt32}
AND day IN (toDate(toDateTime({slot_time:UInt32}, 'UTC')), toDate(toDateTime({seen_at:UInt32}, 'UTC')))
AND capture_id = toUUID({capture:String})${where}
ORDER BY mark
