//! The newest captures: `GET /captures`.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use utoipa::IntoParams;

use super::views::{CaptureView, DataView};
use crate::access::Caller;
use crate::extract::Query;
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

const CAPTURES: u32 = 20;
const MOST_CAPTURES: u32 = 100;

/// How many captures are wanted.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct CaptureListParams {
    /// 20 by default, up to 100.
    limit: Option<u32>,
}

/// The newest runs of the reader's terms, newest first: stored, under way, failed and missed ones. A limit over 100 counts as 100.
#[utoipa::path(
    get, path = "/captures", tag = "Monitoring", params(CaptureListParams),
    responses((status = 200, body = DataView<CaptureView>), (status = 401, body = FailureBody)),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn list_captures(
    State(state): State<ApiState>,
    caller: Caller,
    Query(params): Query<CaptureListParams>,
) -> Result<Json<DataView<CaptureView>>, ApiError> {
    let limit = params.limit.unwrap_or(CAPTURES).min(MOST_CAPTURES);
    let found = postgres::runs::last(&state.postgres, &caller.scope, limit.into()).await?;
    Ok(Json(DataView {
        data: found.into_iter().map(CaptureView::from).collect(),
    }))
}
