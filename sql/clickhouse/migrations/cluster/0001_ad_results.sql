-- One domain lies on one shard, so its distinct ads are counted where they are.
CREATE TABLE IF NOT EXISTS ad_results ${on_cluster} AS ${local}ad_results
ENGINE = Distributed(${cluster}, currentDatabase(), ${local}ad_results, sipHash64(domain));
