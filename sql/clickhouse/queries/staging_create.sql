CREATE TABLE ${local}ad_results_beside ${on_cluster} AS ${local}ad_results
