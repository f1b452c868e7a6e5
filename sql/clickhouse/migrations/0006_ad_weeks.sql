-- Two levels of roll-ups with the texts of ads: days, and weeks made of days. Both can be rebuilt from the results, so the old form is
-- dropped; until a day is rebuilt it is read from the results.
TRUNCATE TABLE ${local}ad_day_builds ${on_cluster};

DROP TABLE IF EXISTS ${local}ad_days ${on_cluster} SYNC;

CREATE TABLE ${local}ad_days ${on_cluster}
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
    ad              UInt64,
    title           String CODEC(ZSTD),
    description     String CODEC(ZSTD),
    views           UInt32,
    rank_sum        UInt32,
    first_seen      DateTime('UTC') CODEC(ZSTD),
    last_seen       DateTime('UTC') CODEC(ZSTD),
    -- For the ads of one domain over all brands. Their texts lie together in the table's own order alone.
    PROJECTION by_domain (SELECT build, day, brand_id, term_id, keyword, keyword_type, localization_id, country, region, engine, device,
        kind, domain, ad, views, rank_sum, first_seen, last_seen ORDER BY (domain, day, ad))
)
ENGINE = ${MergeTree}
PARTITION BY toYYYYMM(day)
ORDER BY (brand_id, day, domain, ad)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

-- A week is a step of seven days within a month: it begins on the 1st, 8th, 15th, 22nd or 29th, so that it never spans two months. Ads stay
-- for days, so a week has about a fifth of the rows of its days.
CREATE TABLE IF NOT EXISTS ${local}ad_weeks ${on_cluster}
(
    build           UInt64 CODEC(Delta, ZSTD),
    week            Date,
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
    ad              UInt64,
    title           String CODEC(ZSTD),
    description     String CODEC(ZSTD),
    views           UInt32,
    rank_sum        UInt32,
    first_seen      DateTime('UTC') CODEC(ZSTD),
    last_seen       DateTime('UTC') CODEC(ZSTD),
    PROJECTION by_domain (SELECT build, week, brand_id, term_id, keyword, keyword_type, localization_id, country, region, engine, device,
        kind, domain, ad, views, rank_sum, first_seen, last_seen ORDER BY (domain, week, ad))
)
ENGINE = ${MergeTree}
PARTITION BY toYYYYMM(week)
ORDER BY (brand_id, week, domain, ad)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

-- Which build of a week is the newest, and the builds of the days it was added up from, ascending. It counts as long as exactly these days
-- are sealed, so whatever opens a day invalidates its week too.
CREATE TABLE IF NOT EXISTS ${local}ad_week_builds ${on_cluster}
(
    week    Date,
    version DateTime64(3, 'UTC'),
    build   UInt64,
    days    Array(UInt64)
)
ENGINE = ${ReplacingMergeTree:version}
ORDER BY week
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;
