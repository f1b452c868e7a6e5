-- An ad has two times: that of its slot, which tells runs apart, and that of its page, under which it stands everywhere. Rows that are
-- there keep the time of their slot until they are given that of their page (`vigie backfill`); both expressions agree on them, so
-- no part is written anew.
ALTER TABLE ${local}ad_results ${on_cluster}
ADD COLUMN IF NOT EXISTS seen_at DateTime('UTC') DEFAULT slot_time CODEC(ZSTD) AFTER slot_time;

ALTER TABLE ${local}ad_results ${on_cluster}
MODIFY COLUMN day Date MATERIALIZED toDate(seen_at);
