//! The scheduled jobs: `GET /operations/jobs`.

use ::schedules::calendar;
use axum::Json;
use axum::extract::State;

use super::views::{JobView, ListView};
use crate::access::Administrator;
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// The housekeeping jobs: their calendar, next and last runs, and failures.
#[utoipa::path(
    get, path = "/operations/jobs", tag = "Operations",
    responses((status = 200, body = ListView<JobView>), (status = 401, body = FailureBody), (status = 403, body = FailureBody)),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn list_jobs(
    State(state): State<ApiState>,
    _administrator: Administrator,
) -> Result<Json<ListView<JobView>>, ApiError> {
    let jobs = calendar::overview(&state.postgres, state.settings.time_zone, state.clock.now()).await?;
    Ok(Json(ListView {
        data: jobs.into_iter().map(JobView::from).collect(),
    }))
}
