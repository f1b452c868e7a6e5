-- Ads entered through the API, in addition to captured ones: every field may be missing, and a row may change. The newest version of an id
-- counts; a removal is a version too. `brand_id` is the brand of the term when the row was written (decision D81); 0: none.
CREATE TABLE IF NOT EXISTS ${local}sems_by_hand ${on_cluster}
(
    id            UInt64,
    version       UInt64,
    removed       Bool,
    brand_id      UInt32,
    term          Nullable(String),
    -- Milliseconds since 1970 began.
    date          Nullable(Int64),
    brand         Nullable(String),
    title         Nullable(String),
    description   Nullable(String),
    display_url   Nullable(String),
    target_url    Nullable(String),
    position      Nullable(Float64),
    real_position Nullable(Float64),
    domain        Nullable(String),
    country       Nullable(String),
    language      Nullable(String),
    region        Nullable(String),
    engine        Nullable(String),
    type          Nullable(String),
    device        Nullable(String),
    term_id       Nullable(Int64),
    dealer_id     Nullable(Int64)
)
ENGINE = ${ReplacingMergeTree:version}
ORDER BY id
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;
