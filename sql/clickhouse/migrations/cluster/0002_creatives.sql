-- One domain lies on one shard, so its distinct ads are counted where they are.
CREATE TABLE IF NOT EXISTS creatives ${on_cluster} AS ${local}creatives
ENGINE = Distributed(${cluster}, currentDatabase(), ${local}creatives, sipHash64(domain));
