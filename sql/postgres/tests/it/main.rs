//! The records against a real Postgres.

#![allow(clippy::unwrap_used, reason = "tests")]

mod accounts;
mod actions;
mod brakes;
mod case_counts;
mod case_mails;
mod coverage;
mod empty_spells;
mod housekeeping;
mod ledger;
mod life_of_cases;
mod months;
mod partners;
mod pool;
mod pooler;
mod proof;
mod resources;
mod schema;
mod scope;
