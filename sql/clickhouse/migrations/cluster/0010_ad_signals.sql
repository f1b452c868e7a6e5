ALTER TABLE ad_results ${on_cluster} ADD COLUMN IF NOT EXISTS merchant_id String DEFAULT '';

-- All that one domain shows lies on one shard.
CREATE TABLE IF NOT EXISTS ad_signals ${on_cluster} AS ${local}ad_signals
ENGINE = Distributed(${cluster}, currentDatabase(), ${local}ad_signals, sipHash64(domain));
