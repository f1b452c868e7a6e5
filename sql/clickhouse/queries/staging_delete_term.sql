ALTER TABLE ${local}ad_results_beside ${on_cluster}
DELETE WHERE term_id = {term:UInt32}
SETTINGS mutations_sync = 2
