//! Any resource, read and written by its descriptor.
//!
//! Names in the SQL come from descriptors alone; all input of clients is bound. Every statement starts from what the scope sees.

mod conditions;
mod deleted;
mod links;
mod patterns;
mod read;
mod rows;
mod sight;
mod write;

pub use deleted::{
    BROUGHT_BACK_WITHIN, DeletedRow, Deletion, HeldBack, Obstacle, bring_back, find_deleted, forget_deleted_before,
    held_back, keep_deleted, lock_deleted, lock_deleted_by,
};
pub use links::{
    Ended, Linked, append_reference, drop_references, end_links, is_linked, link, link_all, restore_links, unlink,
    unlink_all,
};
pub use patterns::{settle, settle_for};
pub use read::{FoundRow, brands_of, count, find, holds_for_all, seen_before_change, seen_by_first_only, sees};
pub use write::{Assignment, add_history, insert, lock, remove, update};

use sqlx::{Postgres, QueryBuilder};
use vocabulary::resources::Relation;

type Sql = QueryBuilder<Postgres>;

/// The rows that a query of a model starts from.
#[derive(Clone, Copy, Debug)]
pub enum ReachedFrom<'a> {
    /// From nowhere: all of them.
    Anywhere,
    /// Through a relation, from rows with these ids (for a relation that points at one row: these are that row's ids).
    Related(&'static Relation, &'a [String]),
}
