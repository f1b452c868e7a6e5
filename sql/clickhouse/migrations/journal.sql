CREATE TABLE IF NOT EXISTS ${local}schema_migrations ${on_cluster}
(
    version    UInt32,
    name       String,
    checksum   UInt64,
    applied_at DateTime('UTC') DEFAULT now()
)
ENGINE = ${ReplacingMergeTree}
ORDER BY version;
