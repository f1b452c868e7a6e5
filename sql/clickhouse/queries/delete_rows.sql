DELETE FROM ${local}ad_results ${on_cluster} IN PARTITION ID {month:String}
WHERE batch IN {batches:Array(UInt64)} AND batch * 8192 + row IN {ids:Array(UInt64)}
SETTINGS lightweight_deletes_sync = 2
