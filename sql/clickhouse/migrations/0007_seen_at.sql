-- An ad has two times: that of its slot, which identifies the run, and that of its page, which every figure uses. Existing rows keep the
-- time of their slot until `vigie backfill` gives them that of their page; both expressions agree on them, so no part is rewritten.
ALTER TABLE ${local}ad_results ${on_cluster}
ADD COLUMN IF NOT EXISTS seen_at DateTime('UTC') DEFAULT slot_time CODEC(ZSTD) AFTER slot_time;

ALTER TABLE ${local}ad_results ${on_cluster}
MODIFY COLUMN day Date MATERIALIZED toDate(seen_at);
