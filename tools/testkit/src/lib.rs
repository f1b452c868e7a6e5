//! The stores, for tests: one Postgres, one Redis and one embedded ClickHouse per test run, and in them a database per test.
//!
//! The first test that needs a store starts it, detached; the other processes of the run use the same. They stop after five minutes without a
//! test process, or with the command `testkit`. A store that cannot be started fails the test with a message that says what to do.

#![allow(
    clippy::missing_panics_doc,
    reason = "a store that cannot be started fails the test that needs it"
)]

mod clickhouse;
mod dovecot;
mod encrypted;
mod folder;
mod pooler;
mod postgres;
mod programs;
mod redis;
mod repeats;
mod running;
mod sample;

pub use crate::clickhouse::ClickHouse;
pub use crate::dovecot::Dovecot;
pub use crate::encrypted::{Certificates, Server};
pub use crate::pooler::{POOLER_CONNECTIONS, Pooler};
pub use crate::postgres::Postgres;
pub use crate::redis::redis;
pub use crate::repeats::repeats;
pub use programs::{Runner, chromium, postgres as postgres_program};
pub use running::stop;
pub use sample::SETUP;
