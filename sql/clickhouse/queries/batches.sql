SELECT batch, count() AS rows
FROM ad_results
WHERE batch BETWEEN {first:UInt64} AND {last:UInt64}
GROUP BY batch
ORDER BY batch
