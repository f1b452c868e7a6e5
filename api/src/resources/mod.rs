//! The LoopBack-style resource set: one engine that reads descriptors (`vocabulary::resources`).
//!
//! `routes` makes every path of every model and relation from the lists in `operation`; `read`, `write` and `related` carry them out; `accounts`,
//! `brands` and `tags` hold what is special about accounts with their tokens, about brands, and about tags; `trail` writes the audit log and `shown_trail` reads it,
//! `term_access` says which company accounts see many terms, and `official_domains` which sites are a brand's own; `undo` takes changes back, those of links with `kept_links`, `deleted` keeps deleted rows, and `since_seen` keeps what others changed meanwhile.

mod accounts;
mod arguments;
mod body;
mod brands;
mod call;
mod changes;
mod deleted;
mod export;
mod flat;
mod include;
mod kept_links;
mod official_domains;
mod openapi;
mod operation;
mod paths;
mod protected;
mod read;
mod record;
mod related;
mod routes;
mod row;
mod row_names;
mod sem_names;
mod sems;
mod shown_trail;
mod since_seen;
mod store;
mod tags;
mod term_access;
mod trail;
mod undo;
mod write;

pub(crate) use body::of_request as body_fields;
pub(crate) use brands::{PATTERN_PATIENCE, match_words};
pub(crate) use call::Call;
pub(crate) use deleted::{bring_back, list_deleted};
pub(crate) use official_domains::{OfficialDomainsChange, change_official_domains, read_official_domains};
pub(crate) use openapi::document;
pub(crate) use paths::{canonical, missing};
pub(crate) use read::{account, account_in_path, own_account};
pub(crate) use routes::routes;
pub(crate) use row::Row;
pub(crate) use shown_trail::{ChangedField, read_trail};
pub(crate) use term_access::{AccessChange, change_term_access};
pub(crate) use undo::undo;

use vocabulary::resources::Model;
use vocabulary::resources::models::{BRAND, CATEGORY, TERM};

use crate::failure::ApiError;

/// What steers the watch: changes of these rows can be undone and do not overwrite others unseen, deleted ones can be brought back, and each shows its trail. Rows of later models can belong to
/// those of earlier ones.
const STEERING: [&Model; 3] = [&BRAND, &CATEGORY, &TERM];

/// Whether rows of the model steer the watch.
fn is_steering(model: &Model) -> bool {
    STEERING.iter().any(|other| other.name == model.name)
}

/// The model of this name whose rows steer the watch; 404 for any other name.
fn steering_model(name: &str) -> Result<&'static Model, ApiError> {
    let model = STEERING.into_iter().find(|model| model.name == name);
    model.ok_or_else(|| ApiError::NotFound(format!("There is no such list of {name}")))
}
