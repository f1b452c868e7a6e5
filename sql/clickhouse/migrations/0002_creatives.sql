-- The texts of each distinct ad, once. Written before the results that show it, so no result lacks its creative; a creative without
-- results harms nothing.
CREATE TABLE IF NOT EXISTS ${local}creatives ${on_cluster}
(
    domain          LowCardinality(String),
    kind            LowCardinality(String),
    engine          LowCardinality(String),
    device          LowCardinality(String),
    country         LowCardinality(String),
    language        LowCardinality(String),
    title           String CODEC(ZSTD),
    description     String CODEC(ZSTD),
    display_url     String CODEC(ZSTD),
    image           String CODEC(ZSTD),
    price           String CODEC(ZSTD),
    merchant        String CODEC(ZSTD),
    comparator_name LowCardinality(String),
    comparator_url  String CODEC(ZSTD),
    ad              UInt64 MATERIALIZED sipHash64(domain, kind, engine, device, country, language, title, description, display_url,
                        if(kind = 'shopping', image, ''), if(kind = 'shopping', price, ''))
)
ENGINE = ${ReplacingMergeTree}
ORDER BY (domain, ad)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;
