//! What is planned in the next hours against what may be asked: `GET /operations/capacity`.

use std::collections::BTreeSet;

use axum::Json;
use axum::extract::State;
use chrono::{DateTime, Utc};
use runtime::{Settings, settings};
use schedules::capacity::{self, RoutePlan};
use serde::Serialize;
use utoipa::ToSchema;

use super::settings_of;
use crate::access::Administrator;
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

const MINUTES_AN_HOUR: u64 = 60;

/// What is planned in the next 24 hours.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct CapacityView {
    /// When the first of the hours begins.
    as_of: DateTime<Utc>,
    /// By engine, only those that terms take.
    routes: Vec<RouteCapacityView>,
}

/// What is planned on one engine through one proxy, or without.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct RouteCapacityView {
    /// `google` or `bing`.
    engine: String,
    /// Host and port of the proxy; null for searches without one.
    proxy: Option<String>,
    /// ISO 3166 codes of the countries searched this way.
    countries: BTreeSet<String>,
    /// Captures a minute at most.
    per_minute: u32,
    /// Captures in each of the next 24 hours, in order; the first has those that wait already.
    planned: Vec<u64>,
    /// Captures that do not fit their hour.
    over: u64,
}

impl RouteCapacityView {
    /// The plan of a route beside the pace of its engine. A pace of 0 a minute counts as 1.
    fn new(plan: RoutePlan, settings: &Settings) -> Self {
        let per_minute = settings_of(settings, plan.engine).per_minute.max(1);
        Self {
            engine: plan.engine.to_string(),
            proxy: (plan.route != settings::Engine::DIRECT).then_some(plan.route),
            countries: plan.countries,
            per_minute,
            planned: plan.captures.0.to_vec(),
            over: plan.captures.over(u64::from(per_minute) * MINUTES_AN_HOUR),
        }
    }
}

/// How many captures are planned in each of the next 24 hours on each engine and proxy, by the grids of all terms, beside what may be asked.
#[utoipa::path(
    get, path = "/operations/capacity", tag = "Operations",
    responses((status = 200, body = CapacityView), (status = 401, body = FailureBody), (status = 403, body = FailureBody)),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn read_capacity(
    State(state): State<ApiState>,
    _administrator: Administrator,
) -> Result<Json<CapacityView>, ApiError> {
    let settings = &state.settings;
    let plan = capacity::plan_ahead(&state.postgres, |engine, country| {
        settings_of(settings, engine).route(country)
    })
    .await?;
    let routes = plan.routes.into_iter();
    Ok(Json(CapacityView {
        as_of: plan.at,
        routes: routes.map(|route| RouteCapacityView::new(route, settings)).collect(),
    }))
}
