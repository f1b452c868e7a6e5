-- When an ad was stored last. An ad that is seen is stored again every hour, so one that was stored long ago has not been seen since.
ALTER TABLE ${local}creatives ${on_cluster} ADD COLUMN IF NOT EXISTS stored_at DateTime('UTC') DEFAULT now() CODEC(ZSTD);

ALTER TABLE ${local}creatives ${on_cluster} MATERIALIZE COLUMN stored_at;
