ALTER TABLE ad_results ${on_cluster}
ADD COLUMN IF NOT EXISTS seen_at DateTime('UTC') DEFAULT slot_time AFTER slot_time;

ALTER TABLE ad_results ${on_cluster}
MODIFY COLUMN day Date MATERIALIZED toDate(seen_at);
