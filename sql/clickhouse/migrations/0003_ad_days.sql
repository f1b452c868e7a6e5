-- The results of closed days, added up by ad and term: about a quarter of the rows when ads repeat over captures. A day is built as a
-- whole from `ad_results` under a new build number and counts from the moment `ad_day_builds` names that build; a day without a
-- sealed build is read from `ad_results`. So a roll-up can be late, but not wrong.
CREATE TABLE IF NOT EXISTS ${local}ad_days ${on_cluster}
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
    views           UInt32,
    rank_sum        UInt32,
    first_seen      DateTime('UTC') CODEC(ZSTD),
    last_seen       DateTime('UTC') CODEC(ZSTD),
    -- For the ads of one domain over all brands.
    PROJECTION by_domain (SELECT * ORDER BY (domain, day, ad))
)
ENGINE = ${MergeTree}
PARTITION BY toYYYYMM(day)
ORDER BY (brand_id, day, domain, ad)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

-- Which build of a day counts. The newest version of a day wins: a build seals it with the time before it began to read, a late
-- row or a deletion opens it again with its own time, so that a build never hides a row it has not seen.
CREATE TABLE IF NOT EXISTS ${local}ad_day_builds ${on_cluster}
(
    day     Date,
    version DateTime64(3, 'UTC'),
    build   UInt64,
    sealed  Bool
)
ENGINE = ${ReplacingMergeTree:version}
ORDER BY day
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;
