//! The store of ad results: ClickHouse, on a node of its own, a cluster, or embedded. All of them are reached over HTTP.
//!
//! Every statement is a file of `sql/clickhouse` with server-side parameters; [`filter`] and the scope add fixed fragments and named
//! parameters, never text of a caller.

mod client;
mod error;
pub mod filter;
mod in_flight;
pub mod ingest;
mod layout;
pub mod migrate;
mod pulse;
pub mod reports;
pub mod resources;
pub mod retention;
pub mod roll_up;
pub mod sample;
mod scoped;
pub mod signals;
mod statement;
mod tls;
pub mod transfer;

pub use client::{Client, ConnectOptions};
pub use error::Error;
