-- All versions of an id lie on one shard.
CREATE TABLE IF NOT EXISTS sems_by_hand ${on_cluster} AS ${local}sems_by_hand
ENGINE = Distributed(${cluster}, currentDatabase(), ${local}sems_by_hand, id);
