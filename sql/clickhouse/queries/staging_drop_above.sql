DROP TABLE IF EXISTS ad_results_beside ${on_cluster} SYNC
