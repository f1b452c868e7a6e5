//! Backups of real stores: a Postgres, an embedded ClickHouse and a folder of files, copied and restored into empty ones.

#![allow(clippy::unwrap_used, reason = "tests")]

mod damage;
mod keys;
mod round_trip;
mod upgrade;
mod world;
