ALTER TABLE creatives ${on_cluster} ADD COLUMN IF NOT EXISTS stored_at DateTime('UTC') DEFAULT now();
