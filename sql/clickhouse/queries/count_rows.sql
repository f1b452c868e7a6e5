SELECT count()
FROM ad_results
WHERE batch IN {batches:Array(UInt64)} AND batch * 8192 + row IN {ids:Array(UInt64)}
