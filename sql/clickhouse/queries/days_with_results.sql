SELECT DISTINCT toUInt16(day) AS number
FROM ad_results
WHERE day BETWEEN toDate({first:UInt16}) AND toDate({last:UInt16})
ORDER BY number
