SELECT count(), toUInt16(min(day)), toUInt16(max(day))
FROM ad_results
WHERE batch = {batch:UInt64}
