//! `/Deleted`: what was deleted lately, and bringing it back.

use axum::Json;
use axum::extract::State;
use chrono::{DateTime, Utc};
use postgres::authors::KnownAuthor;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::access::Caller;
use crate::author::AuthorView;
use crate::extract::{self, Path, Query};
use crate::failure::{ApiError, FailureBody};
use crate::resources;
use crate::state::ApiState;

const ROWS: u32 = 50;
const MOST_ROWS: u32 = 500;

/// The operations of this slice.
pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(list_deleted))
        .routes(routes!(bring_back))
}

/// Which page is wanted.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct DeletedParams {
    /// Where the page before ended: its `next`.
    before: Option<i64>,
    /// 50 by default, up to 500.
    limit: Option<u32>,
}

/// A page of deleted rows.
#[derive(Serialize, ToSchema)]
struct DeletedPageView {
    data: Vec<DeletedView>,
    /// What to give as `before` for the next page; null on the last one.
    next: Option<i64>,
}

/// A deleted row.
#[derive(Serialize, ToSchema)]
struct DeletedView {
    /// When it was deleted.
    at: DateTime<Utc>,
    /// Until when it can be brought back.
    until: DateTime<Utc>,
    /// Its author; null if the reader may not know.
    by: Option<AuthorView>,
    /// The row as it was.
    #[schema(value_type = HashMap<String, Value>)]
    row: Value,
}

/// The terms, brands or tags that were deleted in the last 30 days and that the caller may bring back, newest first.
#[utoipa::path(
    get, path = "/Deleted/{model}", tag = "Deleted",
    params(("model" = String, Path, description = "`Term`, `Brand` or `Category`"), DeletedParams),
    responses(
        (status = 200, body = DeletedPageView, description = "A page"),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "The caller may not delete such rows"),
        (status = 404, body = FailureBody, description = "Another model"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn list_deleted(
    State(state): State<ApiState>,
    caller: Caller,
    Path(model): Path<String>,
    Query(params): Query<DeletedParams>,
) -> Result<Json<DeletedPageView>, ApiError> {
    let limit = params.limit.unwrap_or(ROWS).clamp(1, MOST_ROWS);
    let found = resources::list_deleted(state, caller, &model, params.before, limit.into()).await?;
    let is_full = u32::try_from(found.len()).is_ok_and(|count| count == limit);
    Ok(Json(DeletedPageView {
        next: found.last().map(|(row, _)| row.deletion).filter(|_| is_full),
        data: found
            .into_iter()
            .map(|(deleted, until)| DeletedView {
                at: deleted.at,
                until,
                by: deleted.by.map(KnownAuthor::into),
                row: deleted.row,
            })
            .collect(),
    }))
}

/// Rows to bring back.
#[derive(Deserialize, ToSchema)]
struct BringBackRequest {
    /// Their ids, 10,000 at most.
    ids: Vec<i32>,
}

/// What was brought back.
#[derive(Serialize, ToSchema)]
struct BroughtBackView {
    /// How many rows.
    count: usize,
}

/// Brings deleted terms, brands or tags back with what was deleted with them, all of them or none. They have their ids again; terms are planned from that moment on.
#[utoipa::path(
    post, path = "/Deleted/{model}/bringBack", tag = "Deleted", request_body = BringBackRequest,
    params(("model" = String, Path, description = "`Term`, `Brand` or `Category`")),
    responses(
        (status = 200, body = BroughtBackView, description = "They are there again"),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "The caller may not delete such rows"),
        (status = 404, body = FailureBody, description = "Another model, or one of the rows is not among the deleted ones"),
        (status = 409, body = FailureBody, description = "Something is in the way of one: EXISTS_AGAIN, BRAND_GONE, LOCALIZATION_GONE or CHANGED_MEANWHILE"),
        (status = 422, body = FailureBody, description = "Too many ids"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn bring_back(
    State(state): State<ApiState>,
    caller: Caller,
    Path(model): Path<String>,
    extract::Json(request): extract::Json<BringBackRequest>,
) -> Result<Json<BroughtBackView>, ApiError> {
    let ids = request.ids.into_iter().map(i64::from).collect();
    let count = resources::bring_back(state, caller, &model, ids).await?;
    Ok(Json(BroughtBackView { count }))
}
