//! Schedules and the queue against a real Postgres.

#![allow(clippy::unwrap_used, reason = "tests")]

mod pass;
mod sweep;
