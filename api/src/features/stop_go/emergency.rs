//! The way to let everything go: `/stop-go/emergency`.

use std::collections::BTreeSet;

use axum::Json;
use axum::extract::State;
use postgres::audit::Event;
use postgres::stop_go::{brands, lanes, lists};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;
use vocabulary::SystemScope;

use super::{decide, no_row};
use crate::access::{Administrator, Caller};
use crate::extract;
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

const MODEL: &str = "StopGoEmergency";
const SCOPE: SystemScope = SystemScope::new("letting the lanes of a brand go");

/// The brand whose lists are let go, confirmed by its name.
#[derive(Deserialize, ToSchema)]
pub(super) struct EmergencyBody {
    /// Id of the brand's row.
    #[serde(rename = "ID")]
    id: i32,
    /// The label of the brand, as typed.
    confirmation: String,
}

/// What an emergency is about.
#[derive(Serialize, ToSchema)]
pub(super) struct EmergencyView {
    data: EmergencyResult,
}

/// What is let go.
#[derive(Serialize, ToSchema)]
struct EmergencyResult {
    /// Lists that are detached from their campaigns.
    lists: usize,
    /// Lanes that were stopped.
    lanes: usize,
}

/// Detaches the negative lists of a brand's accounts from their campaigns, and stops nothing until the emergency is ended. Other brands of these accounts go with
/// it.
#[utoipa::path(
    post, path = "/stop-go/emergency", tag = "StopGo", request_body = EmergencyBody,
    responses(
        (status = 200, body = EmergencyView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 404, body = FailureBody, description = "No such row"),
        (status = 422, body = FailureBody, description = "The confirmation is not the name of the brand"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn let_everything_go(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    extract::Json(body): extract::Json<EmergencyBody>,
) -> Result<Json<EmergencyView>, ApiError> {
    change(&state, &caller, &body, true).await
}

/// Ends the emergency of a brand's accounts: the rule decides again.
#[utoipa::path(
    delete, path = "/stop-go/emergency", tag = "StopGo", request_body = EmergencyBody,
    responses(
        (status = 200, body = EmergencyView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 404, body = FailureBody, description = "No such row"),
        (status = 422, body = FailureBody, description = "The confirmation is not the name of the brand"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn end_emergency(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    extract::Json(body): extract::Json<EmergencyBody>,
) -> Result<Json<EmergencyView>, ApiError> {
    change(&state, &caller, &body, false).await
}

async fn change(
    state: &ApiState,
    caller: &Caller,
    body: &EmergencyBody,
    begins: bool,
) -> Result<Json<EmergencyView>, ApiError> {
    let mut tx = postgres::begin(&state.postgres).await?;
    let found = brands::list(&mut *tx, &caller.scope, Some(body.id)).await?;
    let brand = found.into_iter().next().ok_or_else(|| no_row(body.id))?;
    if body.confirmation.trim() != brand.label.trim() {
        return Err(ApiError::of_field("confirmation", "is not the name of the brand"));
    }
    let own = lanes::of_brand(&mut *tx, &SCOPE, brand.brand).await?;
    let mut accounts = BTreeSet::new();
    for lane in &own {
        accounts.extend(lanes::get(&mut *tx, &SCOPE, *lane).await?.map(|lane| lane.account));
    }
    let (mut lists_changed, mut stopped) = (0, 0);
    for account in &accounts {
        if begins {
            lists_changed += lists::begin_emergency(&mut tx, &SCOPE, account, state.clock.now())
                .await?
                .len();
        } else {
            lists_changed += usize::from(lists::end_emergency(&mut tx, &SCOPE, account).await?);
        }
        let all = lanes::of_account(&mut *tx, &SCOPE, account).await?;
        stopped += all.iter().filter(|(_, desired)| *desired).count();
        let ids: Vec<i32> = all.into_iter().map(|(id, _)| id).collect();
        decide(state, &mut tx, &ids).await?;
    }
    let details = json!({ "after": { "brandId": brand.brand, "isEmergency": begins, "lanes": stopped } });
    caller
        .record(&mut tx, (Event::Change, MODEL), body.id.into(), details)
        .await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    Ok(Json(EmergencyView {
        data: EmergencyResult {
            lists: lists_changed,
            lanes: stopped,
        },
    }))
}
