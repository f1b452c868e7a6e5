ALTER TABLE ${local}ad_results ${on_cluster} REPLACE PARTITION ID {month:String} FROM ${local}ad_results_beside
SETTINGS max_partition_size_to_drop = 0${with_nothing}
