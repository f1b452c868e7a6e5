//! Deleting figures of items.

use axum::Json;
use axum::extract::State;
use postgres::audit::Event;
use postgres::google;
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use super::item;
use crate::access::Administrator;
use crate::extract::{self, Path};
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// Ids of one call.
const MOST_IDS: usize = 50_000;
const PURGED: (Event, &str) = (Event::Remove, "GoogleStatistic");

/// Figures to be deleted.
#[derive(Deserialize, ToSchema)]
pub(super) struct PurgeBody {
    /// Id of the item.
    #[serde(rename = "customerConfigID")]
    item: i32,
    /// Ids of paid figures.
    #[serde(rename = "SEA", default)]
    sea: Vec<i32>,
    /// Ids of unpaid figures.
    #[serde(rename = "SEO", default)]
    seo: Vec<i32>,
}

/// How many figures were deleted.
#[derive(Serialize, ToSchema)]
pub(super) struct PurgedView {
    data: PurgedCountView,
}

#[derive(Serialize, ToSchema)]
struct PurgedCountView {
    count: u64,
}

/// Deletes figures of an item by their ids (decision D124).
#[utoipa::path(
    delete, path = "/google/keyword/stats", tag = "Google", request_body = PurgeBody,
    responses(
        (status = 200, body = PurgedView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 404, body = FailureBody, description = "No such item"),
        (status = 422, body = FailureBody, description = "Too many ids"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn purge_rows(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    extract::Json(body): extract::Json<PurgeBody>,
) -> Result<Json<PurgedView>, ApiError> {
    item(&state, &caller, body.item).await?;
    if body.sea.len() + body.seo.len() > MOST_IDS {
        return Err(ApiError::of_field("SEA", format!("{MOST_IDS} ids at most")));
    }
    let mut tx = postgres::begin(&state.postgres).await?;
    let count = google::purge(&mut *tx, &caller.scope, body.item, (&body.sea, &body.seo)).await?;
    caller
        .record(&mut tx, PURGED, body.item.into(), json!({ "count": count }))
        .await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    Ok(Json(PurgedView {
        data: PurgedCountView { count },
    }))
}

/// Deletes all figures of an item.
#[utoipa::path(
    post, path = "/google/{id}/purge", tag = "Google",
    params(("id" = i32, Path, description = "Id of the item")),
    responses(
        (status = 200, body = PurgedView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 404, body = FailureBody, description = "No such item"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn purge_item(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    Path(id): Path<i32>,
) -> Result<Json<PurgedView>, ApiError> {
    item(&state, &caller, id).await?;
    let mut tx = postgres::begin(&state.postgres).await?;
    let count = google::purge_item(&mut *tx, &caller.scope, id).await?;
    caller
        .record(&mut tx, PURGED, id.into(), json!({ "count": count }))
        .await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    Ok(Json(PurgedView {
        data: PurgedCountView { count },
    }))
}
