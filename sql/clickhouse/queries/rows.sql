SELECT ${columns}
FROM ad_results
WHERE batch IN {batches:Array(UInt64)} AND batch * 8192 + row IN {ids:Array(UInt64)}
ORDER BY batch, row
