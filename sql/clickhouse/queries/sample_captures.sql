SELECT toUInt16(toDate(slot_time, 'UTC')) AS day, term_id AS term, toString(device) AS device, uniqExact(capture_id) AS captures
FROM ad_results
WHERE batch >= {first_batch:UInt64}
GROUP BY day, term, device
ORDER BY day, term, device
