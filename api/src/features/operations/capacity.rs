//! What is planned in the next hours against what may be asked: `GET /operations/capacity`.

use std::collections::{BTreeMap, BTreeSet};

use axum::Json;
use axum::extract::State;
use chrono::{DateTime, Utc};
use postgres::capacity::EngineGrid;
use runtime::{Settings, settings};
use schedules::capacity::{self, Remedy, RoutePlan};
use serde::Serialize;
use utoipa::ToSchema;
use vocabulary::Engine;

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
    /// What would make it fit; null where it does.
    remedy: Option<RemedyView>,
}

/// What would make a plan fit; each alone is enough.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct RemedyView {
    /// The lowest pace that is enough, in captures a minute.
    per_minute: u64,
    /// Fewer captures; null where that is not enough, as for what waits already.
    slower: Option<SlowerTermsView>,
}

/// The terms that are captured more often than an interval, if they all take it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct SlowerTermsView {
    /// The shortest interval that is enough, in milliseconds.
    every: i64,
    /// How many terms they are.
    terms: usize,
}

impl From<Remedy> for RemedyView {
    fn from(remedy: Remedy) -> Self {
        Self {
            per_minute: remedy.per_minute,
            slower: remedy.slower.map(|slower| SlowerTermsView {
                every: slower.every_millis,
                terms: slower.terms,
            }),
        }
    }
}

impl RouteCapacityView {
    /// The plan of a route, made at an instant, beside the pace of its engine. `grids` has the grids of each engine that is over its pace.
    fn new(plan: RoutePlan, at: DateTime<Utc>, grids: &BTreeMap<Engine, Vec<EngineGrid>>, settings: &Settings) -> Self {
        let per_minute = pace(settings, plan.engine);
        let limit = captures_an_hour(per_minute);
        let over = plan.captures.over(limit);
        let remedy = match grids.get(&plan.engine) {
            Some(grids) if over > 0 => Some(capacity::remedy(grids, &plan, at, limit, route_of(settings)).into()),
            _ => None,
        };
        Self {
            engine: plan.engine.to_string(),
            proxy: (plan.route != settings::Engine::DIRECT).then_some(plan.route),
            countries: plan.countries,
            per_minute,
            planned: plan.captures.0.to_vec(),
            over,
            remedy,
        }
    }
}

/// How many captures a minute may be asked of an engine; a setting of 0 counts as 1.
fn pace(settings: &Settings, engine: Engine) -> u32 {
    settings_of(settings, engine).per_minute.max(1)
}

fn captures_an_hour(per_minute: u32) -> u64 {
    u64::from(per_minute) * MINUTES_AN_HOUR
}

/// Names the route of the searches of a country on an engine.
fn route_of(settings: &Settings) -> impl Fn(Engine, Option<&str>) -> String + '_ {
    move |engine, country| settings_of(settings, engine).route(country)
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
    let plan = capacity::plan_ahead(&state.postgres, route_of(&state.settings)).await?;
    let is_over = |route: &&RoutePlan| {
        let limit = captures_an_hour(pace(&state.settings, route.engine));
        route.captures.over(limit) > 0
    };
    let engines: BTreeSet<Engine> = plan.routes.iter().filter(is_over).map(|route| route.engine).collect();
    let mut grids = BTreeMap::new();
    for engine in engines {
        grids.insert(engine, capacity::grids_of_engine(&state.postgres, engine).await?);
    }
    let routes = plan.routes.into_iter();
    let routes = routes.map(|route| RouteCapacityView::new(route, plan.at, &grids, &state.settings));
    Ok(Json(CapacityView {
        as_of: plan.at,
        routes: routes.collect(),
    }))
}
