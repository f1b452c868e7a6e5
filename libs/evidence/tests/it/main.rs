//! The chain, its check and the bundles, against a real Postgres.

#![allow(clippy::unwrap_used, reason = "tests")]

mod bundles;
mod captured;
mod chain;
