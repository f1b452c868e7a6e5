//! ClickHouse for a machine that has none: chDB's shared library behind ClickHouse's HTTP interface, on loopback.
//!
//! Official clients work with it as with a server. Differences: one user, no `query_log`, no query cache, `async_insert` acts as
//! synchronous, no external tables in a request, no `input()`. The engine can read files and addresses with `file()` and `url()`, so the
//! server listens on loopback only and requires a secret; never pass it a user's SQL.
//!
//! Stored when acknowledged: a batch answered with 200 survives the death of the process. To survive the death of the machine too, set
//! `fsync_after_insert` and `fsync_part_directory` on the table.

mod body;
mod chdb;
mod compression;
mod engine;
mod error;
mod exception;
mod execution;
mod format;
mod http;
mod running;
mod server;
mod sessions;
mod settings;
mod sql;
mod state;
mod statement;

pub use error::Error;
pub use server::Server;
pub use settings::Settings;

/// Starts a server and serves until `shutdown` completes. [`Server`] does both in steps, with its address in between.
pub async fn serve(settings: Settings, shutdown: impl Future<Output = ()> + Send + 'static) -> Result<(), Error> {
    Server::start(settings).await?.run(shutdown).await
}
