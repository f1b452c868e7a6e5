-- The engine's own id of a product's merchant.
ALTER TABLE ${local}ad_results ${on_cluster} ADD COLUMN IF NOT EXISTS merchant_id String DEFAULT '' CODEC(ZSTD);

-- What the ads of a day show about the advertisers behind them: ids, accounts, hosts, texts and pictures, by brand so that a reader sees those of own
-- captures alone. The job `link-advertisers` writes a day again as long as it changes; equal rows replace each other.
CREATE TABLE IF NOT EXISTS ${local}ad_signals ${on_cluster}
(
    day        Date CODEC(ZSTD),
    brand_id   UInt32,
    country    LowCardinality(String),
    domain     LowCardinality(String),
    kind       LowCardinality(String),
    value      String CODEC(ZSTD),
    -- Finds the other domains that show a value without reading texts.
    value_hash UInt64 MATERIALIZED sipHash64(kind, value),
    -- Distinct ads of the day that show it.
    ads        UInt32,
    capture_id UUID CODEC(ZSTD)
)
ENGINE = ${ReplacingMergeTree}
PARTITION BY toYYYYMM(day)
ORDER BY (domain, kind, value, brand_id, country, day);
