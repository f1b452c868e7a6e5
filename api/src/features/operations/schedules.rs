//! When terms run next: `GET /operations/schedules`.

use axum::Json;
use axum::extract::State;
use postgres::operations::schedules::{self, SchedulesQuery};
use serde::Deserialize;
use utoipa::IntoParams;
use vocabulary::Engine;

use super::views::{ScheduleView, SchedulesView, ShownView};
use crate::access::Administrator;
use crate::extract::Query;
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

const PAGE_SIZE: u32 = 50;
const LARGEST_PAGE: u32 = 200;

/// Which schedules are wanted.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct SchedulesParams {
    /// Part of a term's words; everything when empty.
    #[serde(default)]
    query: String,
    /// `google` or `bing`; both when absent.
    engine: Option<String>,
    /// Only those with a failure in the last seven days.
    #[serde(default)]
    failing: bool,
    /// Number of the page, from 1.
    page: Option<u32>,
    /// Rows a page: 50 by default, up to 200.
    size: Option<u32>,
}

/// When each enabled term runs next on each device, how its last run went, and what failed in seven days; the next run first.
#[utoipa::path(
    get, path = "/operations/schedules", tag = "Operations", params(SchedulesParams),
    responses(
        (status = 200, body = SchedulesView),
        (status = 400, body = FailureBody, description = "An unknown engine"),
        (status = 401, body = FailureBody),
        (status = 403, body = FailureBody),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn list_schedules(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    Query(params): Query<SchedulesParams>,
) -> Result<Json<SchedulesView>, ApiError> {
    let engine = params.engine.as_deref().filter(|engine| !engine.is_empty());
    let engine: Option<Engine> = engine
        .map(str::parse)
        .transpose()
        .map_err(|_| ApiError::BadRequest("engine: it is google or bing".to_owned()))?;
    let number = params.page.unwrap_or(1).max(1);
    let size = params.size.unwrap_or(PAGE_SIZE).clamp(1, LARGEST_PAGE);
    let query = SchedulesQuery {
        text: params.query.trim(),
        engine,
        failing: params.failing,
        limit: size.into(),
        offset: i64::from(number - 1) * i64::from(size),
    };
    let (found, total) = schedules::list(&state.postgres, &caller.scope, &query).await?;
    Ok(Json(SchedulesView {
        data: found.into_iter().map(ScheduleView::from).collect(),
        meta: ShownView { total, number, size },
    }))
}
