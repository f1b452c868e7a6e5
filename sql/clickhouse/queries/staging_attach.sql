ALTER TABLE ${local}ad_results_beside ${on_cluster} ATTACH PARTITION ID {month:String} FROM ${local}ad_results
