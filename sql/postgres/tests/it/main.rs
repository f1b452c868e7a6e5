//! The records against a real Postgres.

mod accounts;
mod ledger;
mod schema;
mod scope;
