-- The rank over the page counts unpaid results too, and the products of a unit share it; so the mark of an ad in the viewing copy has a
-- number of its own. 0 in older rows, whose rank counts ads alone and is the mark.
ALTER TABLE ${local}ad_results ${on_cluster}
ADD COLUMN IF NOT EXISTS mark UInt16 DEFAULT 0 CODEC(ZSTD) AFTER real_position;
