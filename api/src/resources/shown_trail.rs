//! The trail of one term, brand or tag, as its reader may know it.

use std::collections::{BTreeMap, BTreeSet};

use postgres::as_of::AsOf;
use postgres::audit::Event;
use postgres::resources::ReachedFrom;
use postgres::trails::{self, TrailEntry};
use serde_json::{Map, Value as Json};
use vocabulary::resources::models::{BRAND, CATEGORY, COMPANY_ACCOUNT, DEALER, LOCALIZATION};
use vocabulary::resources::rights::Permission;
use vocabulary::resources::{Condition, Filter, Link, Model, Value, ValueTest};

use super::call::{Call, Id};
use super::row_names::called;
use super::{read, steering_model, store};
use crate::access::Caller;
use crate::failure::ApiError;
use crate::state::ApiState;

/// What a trail names, other than the row itself.
const NAMED: [&Model; 5] = [&BRAND, &CATEGORY, &COMPANY_ACCOUNT, &DEALER, &LOCALIZATION];

/// A value of a field before and after; `None` where there was none, or where the reader does not see what it names.
pub(crate) struct ChangedField {
    pub(crate) field: &'static str,
    pub(crate) before: Option<Json>,
    pub(crate) after: Option<Json>,
}

/// A page of a trail.
pub(crate) struct ShownTrail {
    /// Newest first, each with what changed.
    pub(crate) entries: Vec<(TrailEntry, Vec<ChangedField>)>,
    /// What the rows that the entries name are called, by model and id.
    pub(crate) names: BTreeMap<&'static str, BTreeMap<i64, String>>,
}

/// What was done to the row of this id, newest first, at most `limit` entries: where they are given, those with numbers below `before` and those of changes
/// that `since` did not see. 404 for a row that the
/// caller does not see, and for models without trails.
pub(crate) async fn read_trail(
    state: ApiState,
    caller: Caller,
    (model, id): (&str, i32),
    (before, since): (Option<i64>, Option<&AsOf>),
    limit: i64,
) -> Result<ShownTrail, ApiError> {
    let model = steering_model(model)?;
    let call = Call::without_request(state, caller);
    call.check_rights(model, &[Permission::Read])?;
    let row = Id::known(Value::Whole(id.into()));
    if !store::exists(&call, model, &row).await? {
        return Err(read::not_found(&row));
    }
    let scope = &call.caller.scope;
    let entries = trails::of_row(&call.state.postgres, scope, model, id, (before, since), limit).await?;
    let names = names_of(&call, model, &entries).await?;
    let entries = entries.into_iter().map(|entry| {
        let changes = changed_fields(&entry, model, &names, scope.is_everything());
        (entry, changes)
    });
    Ok(ShownTrail {
        entries: entries.collect(),
        names,
    })
}

/// The fields that an entry says were given or changed, in the order of the model, without those that nobody reads and the time of the change. Values that
/// name rows without a name in `names` are left out unless the reader `sees_everything`.
fn changed_fields(
    entry: &TrailEntry,
    model: &'static Model,
    names: &BTreeMap<&'static str, BTreeMap<i64, String>>,
    sees_everything: bool,
) -> Vec<ChangedField> {
    if !matches!(entry.event, Event::Create | Event::Change) {
        return Vec::new();
    }
    let side = |name: &str| entry.details.get(name).and_then(Json::as_object);
    let (before, after) = (side("before"), side("after"));
    let shown = |field: &str, side: Option<&Map<String, Json>>| {
        let value = side?.get(field)?.clone();
        let is_seen = match (target_of(model, field), value.as_i64()) {
            (Some(target), Some(id)) => names.get(target.name).is_some_and(|names| names.contains_key(&id)),
            _ => true,
        };
        (is_seen || sees_everything).then_some(value)
    };
    let is_named = |field: &str| {
        [before, after]
            .into_iter()
            .flatten()
            .any(|side| side.contains_key(field))
    };
    model
        .fields
        .iter()
        .filter(|field| field.is_readable() && !field.confidential && !field.moves && is_named(field.name))
        .map(|field| ChangedField {
            field: field.name,
            before: shown(field.name, before),
            after: shown(field.name, after),
        })
        .collect()
}

/// The model of the row that a field points at.
fn target_of(model: &'static Model, field: &str) -> Option<&'static Model> {
    let mut relations = model.relations.iter();
    let points = relations.find(|relation| matches!(relation.link, Link::BelongsTo { key } if key == field))?;
    Some(points.target)
}

/// What the rows that entries name are called, as far as the caller sees them.
async fn names_of(
    call: &Call,
    model: &'static Model,
    entries: &[TrailEntry],
) -> Result<BTreeMap<&'static str, BTreeMap<i64, String>>, ApiError> {
    let mut ids: BTreeMap<&str, BTreeSet<i64>> = BTreeMap::new();
    for TrailEntry { details, .. } in entries {
        for side in ["before", "after"] {
            for (field, value) in details.get(side).and_then(Json::as_object).into_iter().flatten() {
                if let (Some(target), Some(id)) = (target_of(model, field), value.as_i64()) {
                    ids.entry(target.name).or_default().insert(id);
                }
            }
        }
        let linked = details.get("model").and_then(Json::as_str);
        if let (Some(linked), Some(id)) = (linked, details.get("id").and_then(Json::as_i64)) {
            ids.entry(linked).or_default().insert(id);
        }
    }
    let mut names = BTreeMap::new();
    for named in NAMED {
        let Some(ids) = ids.get(named.name) else { continue };
        let these = ValueTest::OneOf(ids.iter().copied().map(Value::Whole).collect());
        let filter = Filter {
            limit: ids.len() as u64,
            ..Filter::from_condition(Condition::test(named.id(), these))
        };
        let found = store::find(call, named, ReachedFrom::Anywhere, filter).await?;
        let called = found.iter().filter_map(|row| {
            let row = row.json();
            Some((row.get("id")?.as_i64()?, called(named, &row)))
        });
        names.insert(named.name, called.collect());
    }
    Ok(names)
}
