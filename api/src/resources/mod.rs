//! The LoopBack-style resource set: one engine that reads descriptors (`vocabulary::resources`).
//!
//! `routes` makes every path of every model and relation from the lists in `operation`; `read`, `write` and `related` carry them out; `accounts`,
//! `brands` and `tags` hold what is special about accounts with their tokens, about brands, and about tags; `trail` writes the audit log, and `undo` takes changes back.

mod accounts;
mod arguments;
mod body;
mod brands;
mod call;
mod changes;
mod export;
mod flat;
mod include;
mod openapi;
mod operation;
mod paths;
mod protected;
mod read;
mod record;
mod related;
mod routes;
mod row;
mod sem_names;
mod sems;
mod store;
mod tags;
mod trail;
mod undo;
mod write;

pub(crate) use body::of_request as body_fields;
pub(crate) use brands::PATTERN_PATIENCE;
pub(crate) use call::Call;
pub(crate) use paths::{canonical, missing};
pub(crate) use read::{account, account_in_path, own_account};
pub(crate) use routes::routes;
pub(crate) use row::Row;
pub(crate) use undo::undo;
