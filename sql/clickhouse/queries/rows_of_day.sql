SELECT ${columns}
FROM ad_results
WHERE day = toDate({day:UInt16})
