//! Backups of everything that cannot be made again: PostgreSQL, the results in ClickHouse, and captured pages and files.
//!
//! A [`Repository`] is a folder of pieces, each named by its content and stored once, and of backups that list pieces. What did not change since an
//! earlier backup is not written again. With a key, pieces and backups are encrypted.
//!
//! PostgreSQL is copied first: it decides what counts. Pages and results that came after it are more than it knows, never less.

mod back_up;
mod check;
mod contents;
mod error;
mod pieces;
mod postgres_programs;
mod prune;
mod repository;
mod restore;

use std::path::Path;

pub use back_up::{Written, back_up};
pub use check::{Checked, check};
pub use contents::{BackupId, Contents};
pub use error::Error;
pub use prune::{Pruned, prune};
pub use repository::Repository;
pub use restore::{Restored, restore};

/// The stores that are copied, or restored into.
#[derive(Clone, Copy)]
pub struct Stores<'a> {
    /// Connections to PostgreSQL.
    pub postgres: &'a postgres::Pool,
    /// Its address, `postgres://…`, for its own programs.
    pub postgres_url: &'a str,
    /// The folder of `pg_dump` and `pg_restore`, of the server's version or a later one.
    pub postgres_programs: &'a Path,
    /// The store of results.
    pub analytics: &'a analytics::Client,
    /// Captured pages and files.
    pub blobs: &'a blobs::Blobs,
}
