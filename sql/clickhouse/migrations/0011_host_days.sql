-- What the home page asks of closed days, in far fewer rows than their results: who was seen in which hours, and what each capture showed.
CREATE TABLE IF NOT EXISTS ${local}host_days ${on_cluster}
(
    build           UInt64 CODEC(Delta, ZSTD),
    day             Date,
    brand_id        UInt32,
    term_id         UInt32,
    keyword         LowCardinality(String),
    keyword_type    LowCardinality(String),
    localization_id UInt32,
    country         LowCardinality(String),
    region          LowCardinality(String),
    engine          LowCardinality(String),
    device          LowCardinality(String),
    kind            LowCardinality(String),
    domain          LowCardinality(String),
    views           UInt32,
    -- The views before each full hour: days of most time zones begin at a full hour of UTC. A query reads one or two of them.
    views_before    Tuple(
        h1 UInt32, h2 UInt32, h3 UInt32, h4 UInt32, h5 UInt32, h6 UInt32, h7 UInt32, h8 UInt32, h9 UInt32, h10 UInt32, h11 UInt32, h12 UInt32, h13
        UInt32, h14 UInt32, h15 UInt32, h16 UInt32, h17 UInt32, h18 UInt32, h19 UInt32, h20 UInt32, h21 UInt32, h22 UInt32, h23 UInt32)
)
ENGINE = ${MergeTree}
PARTITION BY toYYYYMM(day)
ORDER BY (brand_id, day, domain)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS ${local}capture_days ${on_cluster}
(
    build           UInt64 CODEC(Delta, ZSTD),
    day             Date,
    brand_id        UInt32,
    term_id         UInt32,
    keyword         LowCardinality(String),
    keyword_type    LowCardinality(String),
    localization_id UInt32,
    country         LowCardinality(String),
    region          LowCardinality(String),
    engine          LowCardinality(String),
    device          LowCardinality(String),
    seen_at         DateTime('UTC') CODEC(ZSTD),
    -- Of one capture. It has several rows where results of it were corrected by hand, to another term, say.
    capture         UInt64 CODEC(ZSTD),
    -- Each host once; '' for ads that name none.
    hosts           Array(LowCardinality(String)),
    results         UInt16
)
ENGINE = ${MergeTree}
PARTITION BY toYYYYMM(day)
ORDER BY (brand_id, day, seen_at)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

-- The build of the hosts and captures of a day, which come after its ads; 0 until then.
ALTER TABLE ${local}ad_day_builds ${on_cluster} ADD COLUMN IF NOT EXISTS hosts UInt64 DEFAULT 0;

-- A headline of an advertiser, so that the most viewed are found without reading texts; 0 without a headline.
ALTER TABLE ${local}ad_days ${on_cluster}
    ADD COLUMN IF NOT EXISTS creative UInt64 MATERIALIZED if(title = '', 0, cityHash64(domain, kind, title)) AFTER description;

ALTER TABLE ${local}ad_weeks ${on_cluster}
    ADD COLUMN IF NOT EXISTS creative UInt64 MATERIALIZED if(title = '', 0, cityHash64(domain, kind, title)) AFTER description;
