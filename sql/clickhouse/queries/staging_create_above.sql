CREATE TABLE ad_results_beside ${on_cluster} AS ${local}ad_results_beside
ENGINE = Distributed(${cluster}, currentDatabase(), ${local}ad_results_beside, sipHash64(domain))
