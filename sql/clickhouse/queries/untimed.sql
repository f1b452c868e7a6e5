SELECT capture_id AS capture, toUInt32(ad_results.slot_time) AS slot_time
FROM ad_results
WHERE day = toDate({day:UInt16}) AND seen_at = ad_results.slot_time
GROUP BY capture, slot_time
