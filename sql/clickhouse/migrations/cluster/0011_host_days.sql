ALTER TABLE ad_day_builds ${on_cluster} ADD COLUMN IF NOT EXISTS hosts UInt64 DEFAULT 0;

-- All that one host shows lies on one shard, as in the results; the captures of a term lie on one.
CREATE TABLE IF NOT EXISTS host_days ${on_cluster} AS ${local}host_days
ENGINE = Distributed(${cluster}, currentDatabase(), ${local}host_days, sipHash64(domain));

CREATE TABLE IF NOT EXISTS capture_days ${on_cluster} AS ${local}capture_days
ENGINE = Distributed(${cluster}, currentDatabase(), ${local}capture_days, sipHash64(term_id));

ALTER TABLE ad_days ${on_cluster}
    ADD COLUMN IF NOT EXISTS creative UInt64 MATERIALIZED if(title = '', 0, cityHash64(domain, kind, title)) AFTER description;

ALTER TABLE ad_weeks ${on_cluster}
    ADD COLUMN IF NOT EXISTS creative UInt64 MATERIALIZED if(title = '', 0, cityHash64(domain, kind, title)) AFTER description;
