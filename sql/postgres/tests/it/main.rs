//! The records against a real Postgres.

#![allow(clippy::unwrap_used, reason = "tests")]

mod accounts;
mod actions;
mod coverage;
mod empty_spells;
mod housekeeping;
mod ledger;
mod life_of_cases;
mod months;
mod partners;
mod pool;
mod resources;
mod schema;
mod scope;
