//! Deleted terms, brands and tags: they are kept for a while, and can be brought back.

use axum::http::StatusCode;
use chrono::{DateTime, Utc};
use postgres::capture_quotas::TouchedPlans;
use postgres::resources::{self as rows, BROUGHT_BACK_WITHIN, DeletedRow, Deletion, HeldBack, Obstacle};
use serde_json::Value as Json;
use vocabulary::resources::Model;
use vocabulary::resources::rights::Permission;

use super::call::Call;
use super::trail::AuditTrail;
use super::{is_steering, steering_model};
use crate::access::Caller;
use crate::failure::ApiError;
use crate::quotas;
use crate::state::ApiState;

/// Rows that one call brings back at most, as many as one deletes.
const MOST_BROUGHT_BACK: usize = 10_000;

/// Keeps rows that are about to be deleted, locked and as clients see them, in the transaction of the deletion. Rows of models that do not come back are
/// not kept.
pub(super) async fn keep(
    connection: &mut postgres::Connection,
    call: &Call,
    model: &'static Model,
    rows: &[Json],
) -> Result<(), ApiError> {
    if !is_steering(model) {
        return Ok(());
    }
    let author = call.caller.audit_actor();
    let deletion = Deletion {
        author: &author,
        operation: call.operation()?,
        at: call.state.clock.now(),
    };
    let ids: Vec<i64> = rows.iter().filter_map(|row| row.get("id")?.as_i64()).collect();
    Ok(rows::keep_deleted(connection, model, &ids, deletion).await?)
}

/// The rows of a model that were deleted in the last 30 days and that the caller may bring back, newest first: those of deletions with numbers below
/// `before` where that is given, at most `limit`. Each comes with the instant until which it can be brought back. 404 for a model whose rows do not come back,
/// `Forbidden` for one whose rows the caller may not delete.
pub(crate) async fn list_deleted(
    state: ApiState,
    caller: Caller,
    model: &str,
    before: Option<i64>,
    limit: i64,
) -> Result<Vec<(DeletedRow, DateTime<Utc>)>, ApiError> {
    let (call, model) = permitted(state, caller, model)?;
    let pool = &call.state.postgres;
    let found = rows::find_deleted(pool, &call.caller.scope, model, first_kept(&call), before, limit).await?;
    let until = |row: DeletedRow| {
        let until = row.at + BROUGHT_BACK_WITHIN;
        (row, until)
    };
    Ok(found.into_iter().map(until).collect())
}

/// Brings deleted rows back by their ids, all or none, and returns how many. 404 where one of them was not deleted, cannot be brought back any more or is not
/// for the caller; a conflict where something is in the way of one,
/// or where they would plan more than a quota allows. Otherwise like [`list_deleted`].
pub(crate) async fn bring_back(
    state: ApiState,
    caller: Caller,
    model: &str,
    mut ids: Vec<i64>,
) -> Result<usize, ApiError> {
    let (call, model) = permitted(state, caller, model)?;
    ids.sort_unstable();
    ids.dedup();
    if ids.len() > MOST_BROUGHT_BACK {
        return Err(ApiError::of_field("ids", format!("are more than {MOST_BROUGHT_BACK}")));
    }
    if ids.is_empty() {
        return Ok(0);
    }
    let mut transaction = postgres::begin(&call.state.postgres).await?;
    let found = rows::lock_deleted(&mut *transaction, &call.caller.scope, model, first_kept(&call), &ids).await?;
    if found.len() != ids.len() {
        return Err(ApiError::NotFound("There is no such deleted row".to_owned()));
    }
    put_back(&mut transaction, &call, model, &found).await?;
    quotas::keep(&call.state, &mut transaction, TouchedPlans::Any).await?;
    transaction.commit().await.map_err(postgres::Error::from)?;
    Ok(found.len())
}

/// The call of a caller who may delete rows of the model with this name, and the model.
fn permitted(state: ApiState, caller: Caller, model: &str) -> Result<(Call, &'static Model), ApiError> {
    let model = steering_model(model)?;
    let call = Call::without_request(state, caller);
    call.check_rights(model, &[Permission::Remove])?;
    Ok((call, model))
}

/// The instant since which deleted rows can be brought back.
fn first_kept(call: &Call) -> DateTime<Utc> {
    call.state.clock.now() - BROUGHT_BACK_WITHIN
}

/// Brings locked deleted rows of a model back, with entries in the audit log. A conflict where something is in the way of one.
pub(super) async fn put_back(
    transaction: &mut postgres::Tx,
    call: &Call,
    model: &'static Model,
    deleted: &[DeletedRow],
) -> Result<(), ApiError> {
    let deletions: Vec<i64> = deleted.iter().map(|row| row.deletion).collect();
    if let Some(held) = rows::held_back(&mut **transaction, model, &deletions).await? {
        return Err(refused(&held));
    }
    rows::bring_back(transaction, model, &deletions)
        .await
        .map_err(|error| {
            // Somebody was faster, or two of them are alike.
            if error.violated_key().is_some() {
                conflict(
                    "EXISTS_AGAIN",
                    "There are others of the same name or words by now.".to_owned(),
                )
            } else if error.violates_reference() || error.violated_check(model.table).is_some() {
                conflict(
                    "CHANGED_MEANWHILE",
                    "What this belongs to has changed since.".to_owned(),
                )
            } else {
                error.into()
            }
        })?;
    let mut trail = AuditTrail::new(call, model);
    trail.brought_back(deleted.iter().map(|deleted| &deleted.row));
    trail.store(&mut **transaction).await
}

/// The conflict of a row that cannot come back; it names the row, and its brand where that is what it lacks.
fn refused(held: &HeldBack) -> ApiError {
    let HeldBack {
        called,
        obstacle,
        brand,
    } = held;
    match obstacle {
        Obstacle::Exists => conflict("EXISTS_AGAIN", format!("There is another '{called}' by now.")),
        Obstacle::Brand => {
            let brand = brand.as_ref().map(|brand| format!(" '{brand}'")).unwrap_or_default();
            let text = format!("The brand{brand} of '{called}' was deleted; bring it back first.");
            conflict("BRAND_GONE", text)
        }
        Obstacle::Localization => conflict(
            "LOCALIZATION_GONE",
            format!("The localization of '{called}' was deleted."),
        ),
    }
}

fn conflict(code: &'static str, text: String) -> ApiError {
    ApiError::Coded(StatusCode::CONFLICT, code, text)
}
