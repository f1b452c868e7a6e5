//! Schedules and the queue against a real Postgres.

mod pass;
mod sweep;
