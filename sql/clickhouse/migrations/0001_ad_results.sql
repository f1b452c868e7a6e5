-- One row is one ad seen in one capture, as it was then (decisions D70, D81). Append-only and the source of every figure; everything else
-- in this store can be rebuilt from it.
--
-- `batch` and `row` name a row for good: rows are stored a manifest at a time (batch), in a fixed order (row). `${…}` is filled by
-- the layout: a single node, or a cluster.
CREATE TABLE IF NOT EXISTS ${local}ad_results ${on_cluster}
(
    batch           UInt64 CODEC(Delta, ZSTD),
    row             UInt16 CODEC(Delta, ZSTD),
    capture_id      UUID CODEC(ZSTD),
    -- The time of the slot, not of the store's clock.
    slot_time       DateTime('UTC') CODEC(ZSTD),
    day             Date MATERIALIZED toDate(slot_time),
    -- 0: the term had no brand.
    brand_id        UInt32,
    term_id         UInt32,
    keyword         LowCardinality(String),
    keyword_type    LowCardinality(String),
    localization_id UInt32,
    country         LowCardinality(String),
    language        LowCardinality(String),
    city            LowCardinality(String),
    region          LowCardinality(String),
    engine          LowCardinality(String),
    device          LowCardinality(String),
    kind            LowCardinality(String),
    position        UInt16,
    real_position   UInt16,
    -- What the average position is made of (decision D70).
    rank            UInt16 MATERIALIZED if(kind = 'ads', real_position, position),
    block           LowCardinality(String),
    -- Empty where neither the display address nor the target names one.
    domain          LowCardinality(String),
    master          LowCardinality(String),
    title           String CODEC(ZSTD),
    description     String CODEC(ZSTD),
    display_url     String CODEC(ZSTD),
    target_url      String CODEC(ZSTD),
    aclk_urls       Array(String) CODEC(ZSTD),
    image           String CODEC(ZSTD),
    price           String CODEC(ZSTD),
    merchant        String CODEC(ZSTD),
    comparator_name LowCardinality(String),
    comparator_url  String CODEC(ZSTD),
    -- The identity of an ad (decision D76). The domain is part of it, so the sum of the distinct ads of each domain is the number of
    -- all distinct ads, and two ads can be taken for one only where 64 bits collide inside one domain.
    ad              UInt64 MATERIALIZED sipHash64(domain, kind, engine, device, country, language, title, description, display_url,
                        if(kind = 'shopping', image, ''), if(kind = 'shopping', price, '')),
    -- Finds the rows of a batch (read-back, and a row by its id) without reading older parts.
    INDEX batch_range batch TYPE minmax GRANULARITY 1
)
ENGINE = ${MergeTree}
PARTITION BY toYYYYMM(day)
-- Brand and day answer the lists; equal ads of a day lie together, which makes distinct counts and texts cheap.
ORDER BY (brand_id, day, domain, ad)
-- An insert is on disk before it is acknowledged.
SETTINGS ${deduplication_window} = 1000, fsync_after_insert = 1, fsync_part_directory = 1;
