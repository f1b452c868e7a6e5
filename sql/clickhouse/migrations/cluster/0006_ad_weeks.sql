DROP TABLE IF EXISTS ad_days ${on_cluster};

-- Sharded like the results they are made of.
CREATE TABLE ad_days ${on_cluster} AS ${local}ad_days
ENGINE = Distributed(${cluster}, currentDatabase(), ${local}ad_days, sipHash64(domain));

CREATE TABLE IF NOT EXISTS ad_weeks ${on_cluster} AS ${local}ad_weeks
ENGINE = Distributed(${cluster}, currentDatabase(), ${local}ad_weeks, sipHash64(domain));

CREATE TABLE IF NOT EXISTS ad_week_builds ${on_cluster} AS ${local}ad_week_builds
ENGINE = Distributed(${cluster}, currentDatabase(), ${local}ad_week_builds, 0);
