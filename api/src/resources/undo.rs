//! Undoing an operation: what it replaced is kept, and its author can take it back for a moment, all of it or nothing.

use std::collections::BTreeMap;

use axum::http::StatusCode;
use chrono::TimeDelta;
use postgres::capture_quotas::TouchedPlans;
use postgres::kept_changes::{self, KeptChange, Operation, TakenChange};
use postgres::resources::{self as rows, Assignment, ReachedFrom};
use serde_json::{Map, Value as Json, json};
use uuid::Uuid;
use vocabulary::resources::rights::Permission;
use vocabulary::resources::{Field, Model, Value};

use super::call::Call;
use super::kept_links::{self, changed_meanwhile, these};
use super::trail::AuditTrail;
use super::{STEERING, deleted, is_steering, protected, record};
use crate::access::Caller;
use crate::failure::ApiError;
use crate::quotas;
use crate::state::ApiState;

/// Clients offer it for 10 s; the rest is for their way to the server.
const UNDONE_WITHIN: TimeDelta = TimeDelta::seconds(15);
/// Changes of one operation that are undone at most: they are locked and written in one transaction.
const MOST_UNDONE: usize = 50_000;

/// The fields of a row before a change, and after it.
type Fields = Map<String, Json>;

/// What an operation replaced in one row.
#[derive(Clone, Debug, Default, PartialEq)]
struct Replaced {
    before: Fields,
    after: Fields,
}

/// Keeps what a change replaced, so that it can be undone, in the transaction of the change. `before` and `after` are the rows as clients see them,
/// `changes` the fields that were set. Without the name of an operation, and for models that do not steer the
/// watch, nothing is kept.
pub(super) async fn keep_changes(
    connection: &mut postgres::Connection,
    call: &Call,
    model: &'static Model,
    (before, after): (&[Json], &[Json]),
    changes: &[Assignment],
) -> Result<(), ApiError> {
    if call.operation()?.is_none() || !is_steering(model) {
        return Ok(());
    }
    let fields: Vec<&Field> = changes
        .iter()
        .map(|(field, _)| *field)
        .filter(|field| !field.moves)
        .collect();
    let was: BTreeMap<Option<i64>, &Json> = before.iter().map(|row| (id_of(row), row)).collect();
    let of_fields = |row: &Json| -> Fields {
        let value = |field: &&Field| (field.name.to_owned(), row.get(field.name).cloned().unwrap_or_default());
        fields.iter().map(value).collect()
    };
    let mut kept = Vec::with_capacity(after.len());
    for row in after {
        let id = id_of(row);
        let (Some(id), Some(was)) = (id.and_then(|id| i32::try_from(id).ok()), was.get(&id)) else {
            continue;
        };
        let (before, after) = (of_fields(was), of_fields(row));
        if before != after {
            kept.push(KeptChange {
                model: model.name.to_owned(),
                row: id,
                before: before.into(),
                after: after.into(),
            });
        }
    }
    kept_links::keep(connection, call, &kept).await
}

/// Undoes an operation of the caller, all of it or nothing: what it deleted comes back, what it changed is as before, what it linked or unlinked, too.
/// Returns how many rows and links that were. 404 for one that the caller has not, or no longer; a conflict when its time is over, when a field or link it
/// changed was changed again since, or when something is in the way of what it deleted.
pub(crate) async fn undo(state: ApiState, caller: Caller, name: Uuid) -> Result<usize, ApiError> {
    let author = caller.audit_actor();
    let call = Call::without_request(state, caller);
    let mut transaction = postgres::begin(&call.state.postgres).await?;
    let operation = Operation { author: &author, name };
    let taken = kept_changes::take(&mut *transaction, operation).await?;
    let mut removed = Vec::new();
    for model in STEERING {
        removed.push(rows::lock_deleted_by(&mut transaction, &call.caller.scope, model, operation).await?);
    }
    let changed_at = taken.iter().map(|taken| taken.at);
    let Some(last) = changed_at.chain(removed.iter().flatten().map(|row| row.at)).max() else {
        return Err(ApiError::NotFound("There is nothing to undo".to_owned()));
    };
    if last + UNDONE_WITHIN < call.state.clock.now() {
        return Err(refused("UNDO_OVER", "The time to undo this is over."));
    }
    if taken.len() + removed.iter().map(Vec::len).sum::<usize>() > MOST_UNDONE {
        return Err(refused("UNDO_TOO_MUCH", "This is too much to be undone at once."));
    }
    let mut undone = 0;
    for (model, removed) in STEERING.into_iter().zip(removed) {
        if !removed.is_empty() {
            call.check_rights(model, &[Permission::Remove])?;
            undone += removed.len();
            deleted::put_back(&mut transaction, &call, model, &removed).await?;
        }
        let replaced = replaced_rows(&taken, model);
        if !replaced.is_empty() {
            call.check_rights(model, &[Permission::Change])?;
            undone += replaced.len();
            put_back(&mut transaction, &call, model, replaced).await?;
        }
    }
    undone += kept_links::put_back(&mut transaction, &call, &taken).await?;
    undone += kept_links::put_back_cases(&mut transaction, &call, &taken).await?;
    quotas::keep(&call.state, &mut transaction, TouchedPlans::Any).await?;
    transaction.commit().await.map_err(postgres::Error::from)?;
    Ok(undone)
}

/// What an operation replaced in each row of a model: of several changes of one field the first value before, and the last one after.
fn replaced_rows(taken: &[TakenChange], model: &Model) -> BTreeMap<i32, Replaced> {
    let mut rows: BTreeMap<i32, Replaced> = BTreeMap::new();
    let of_model = taken.iter().map(|taken| &taken.change);
    for change in of_model.filter(|change| change.model == model.name) {
        let row = rows.entry(change.row).or_default();
        for (name, value) in change.before.as_object().into_iter().flatten() {
            row.before.entry(name.clone()).or_insert_with(|| value.clone());
        }
        row.after.extend(change.after.as_object().cloned().unwrap_or_default());
    }
    rows
}

/// Sets the fields of rows to what they were, and writes the audit log. A conflict when a row is gone, is out of the caller's reach, or holds something
/// else than what the operation left.
async fn put_back(
    transaction: &mut postgres::Tx,
    call: &Call,
    model: &'static Model,
    replaced: BTreeMap<i32, Replaced>,
) -> Result<(), ApiError> {
    let scope = &call.caller.scope;
    let all = these(model, replaced.keys().copied());
    let now = rows::lock(transaction, scope, model, ReachedFrom::Anywhere, &all, replaced.len()).await?;
    let is_as_left = |row: &Json| {
        let left = id_of(row).and_then(|id| replaced.get(&i32::try_from(id).ok()?));
        left.is_some_and(|left| left.after.iter().all(|(name, value)| row.get(name) == Some(value)))
    };
    if now.len() != replaced.len() || !now.iter().all(is_as_left) {
        return Err(changed_meanwhile());
    }
    let mut alike: Vec<(Fields, Vec<i32>)> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for (id, Replaced { before, .. }) in replaced {
        let place = *places.entry(json!(before).to_string()).or_insert_with(|| {
            alike.push((before, Vec::new()));
            alike.len() - 1
        });
        alike[place].1.push(id);
    }
    let mut trail = AuditTrail::new(call, model);
    for (before, ids) in alike {
        let changes = assignments(call, model, &before)?;
        protected::check_change(model, &now, &changes)?;
        let condition = these(model, ids.into_iter());
        let after = rows::update(transaction, scope, model, &condition, &changes)
            .await
            .map_err(|error| record::refused(model, &changes, error))?;
        trail.changed(&now, &after, &changes);
    }
    trail.store(&mut **transaction).await
}

/// The values of fields as clients see them, to be stored again, with the time of the change where the model keeps one.
fn assignments(call: &Call, model: &'static Model, fields: &Fields) -> Result<Vec<Assignment>, ApiError> {
    let mut changes = Vec::with_capacity(fields.len() + 1);
    for field in model.fields {
        if field.moves {
            changes.push((field, Value::Date(call.state.clock.now())));
        } else if let Some(value) = fields.get(field.name) {
            changes.push((field, Value::parse(field, value).map_err(ApiError::internal)?));
        }
    }
    Ok(changes)
}

fn id_of(row: &Json) -> Option<i64> {
    row.get("id").and_then(Json::as_i64)
}

fn refused(code: &'static str, text: &str) -> ApiError {
    ApiError::Coded(StatusCode::CONFLICT, code, text.to_owned())
}
