//! embedded-clickhouse
