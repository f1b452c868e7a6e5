SELECT count(), toUInt16(toDate(now('UTC')))
FROM ad_results
WHERE batch = {batch:UInt64}
    AND day BETWEEN toDate({first:UInt16}) AND toDate({last:UInt16})
