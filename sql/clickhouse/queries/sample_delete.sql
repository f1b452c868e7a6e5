ALTER TABLE ${local}ad_results ${on_cluster}
DELETE WHERE batch >= {first_batch:UInt64}
SETTINGS mutations_sync = 2
