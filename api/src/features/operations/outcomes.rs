//! How slots ended over time: `GET /operations/captures`.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use postgres::operations::outcomes;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use super::views::{ListView, OutcomeView};
use crate::access::Administrator;
use crate::extract::Query;
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// How far back one looks.
#[derive(Clone, Copy, Default, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Window {
    /// 24 hours, hour by hour.
    #[default]
    Day,
    /// 7 days, in spans of 6 hours.
    Week,
    /// 30 days, day by day.
    Month,
}

impl Window {
    /// The length of the window, and that of one span of it.
    const fn spans(self) -> (Duration, Duration) {
        match self {
            Self::Day => (Duration::from_hours(24), Duration::from_hours(1)),
            Self::Week => (Duration::from_hours(7 * 24), Duration::from_hours(6)),
            Self::Month => (Duration::from_hours(30 * 24), Duration::from_hours(24)),
        }
    }
}

/// Which time is asked for.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct OutcomesParams {
    /// `day` (default), `week` or `month`.
    #[param(inline)]
    #[serde(default)]
    window: Window,
}

/// How runs ended, by engine and verdict over time.
#[utoipa::path(
    get, path = "/operations/captures", tag = "Operations", params(OutcomesParams),
    responses((status = 200, body = ListView<OutcomeView>), (status = 401, body = FailureBody), (status = 403, body = FailureBody)),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn list_outcomes(
    State(state): State<ApiState>,
    _administrator: Administrator,
    Query(params): Query<OutcomesParams>,
) -> Result<Json<ListView<OutcomeView>>, ApiError> {
    let (window, step) = params.window.spans();
    let found = outcomes::over_time(&state.postgres, window, step).await?;
    Ok(Json(ListView {
        data: found.into_iter().map(OutcomeView::from).collect(),
    }))
}
