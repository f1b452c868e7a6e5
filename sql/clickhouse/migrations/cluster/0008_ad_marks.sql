ALTER TABLE ad_results ${on_cluster}
ADD COLUMN IF NOT EXISTS mark UInt16 DEFAULT 0 AFTER real_position;
