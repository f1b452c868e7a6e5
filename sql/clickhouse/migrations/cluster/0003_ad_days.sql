-- Sharded like the results they are made of.
CREATE TABLE IF NOT EXISTS ad_days ${on_cluster} AS ${local}ad_days
ENGINE = Distributed(${cluster}, currentDatabase(), ${local}ad_days, sipHash64(domain));

CREATE TABLE IF NOT EXISTS ad_day_builds ${on_cluster} AS ${local}ad_day_builds
ENGINE = Distributed(${cluster}, currentDatabase(), ${local}ad_day_builds, 0);
