ALTER TABLE ${local}ad_results_beside ${on_cluster}
DELETE WHERE batch = {batch:UInt64} AND has({captures:Array(String)}, toString(capture_id))
SETTINGS mutations_sync = 2
