DROP TABLE IF EXISTS ${local}ad_results_beside ${on_cluster} SYNC
SETTINGS max_table_size_to_drop = 0
