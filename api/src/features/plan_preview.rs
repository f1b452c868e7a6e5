//! What a change of terms would cost, before it is made: `POST /Terms/planPreview`.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::State;
use postgres::term_dues::{self, TermToPlan};
use runtime::Settings;
use schedules::grid;
use serde::{Deserialize, Serialize};
use serde_json::Value as Body;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use vocabulary::{Engine, Frequency, Locale, SystemScope, TermId, TermState};

use crate::access::Administrator;
use crate::chosen_terms;
use crate::extract;
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// Other companies' terms share the same engines.
const SCOPE: SystemScope = SystemScope::new("adding up what all terms ask of the engines");
const HOURS_A_DAY: f64 = 24.0;
const MINUTES_AN_HOUR: u32 = 60;

/// The operations of this slice.
pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(preview_plan))
}

/// Terms, and what is to change of them.
#[derive(Deserialize, ToSchema)]
struct PlanPreviewRequest {
    /// The terms by id, 10,000 at most.
    #[serde(default)]
    ids: Option<Vec<i32>>,
    /// The terms by a condition like that of `POST /Terms/update`; the first 10,000 count.
    #[serde(default, rename = "where")]
    #[schema(value_type = Option<HashMap<String, Body>>)]
    condition: Option<Body>,
    change: PlanChange,
}

/// What is to change; what is left out stays.
#[derive(Deserialize, ToSchema)]
struct PlanChange {
    /// Milliseconds between captures; 0 is automatic.
    #[serde(default)]
    every: Option<i64>,
    /// `enabled`, `disabled` or `archived`.
    #[serde(default)]
    state: Option<String>,
}

/// What a change would cost.
#[derive(Serialize, ToSchema)]
struct PlanPreviewView {
    data: PlanCostView,
}

/// Captures before and after a change, on average.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PlanCostView {
    /// Terms that the change is about.
    terms: usize,
    /// Captures of these terms a day.
    per_day: BeforeAfterView,
    /// What all terms ask of each engine on each route that one of these terms takes.
    engines: Vec<EngineLoadView>,
}

/// A figure before and after the change.
#[derive(Clone, Copy, Default, Serialize, ToSchema)]
struct BeforeAfterView {
    before: f64,
    after: f64,
}

/// What all terms ask of an engine on one route.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct EngineLoadView {
    /// `google` or `bing`.
    engine: String,
    /// The country whose searches take a proxy of their own; null for all others.
    country: Option<String>,
    /// Captures an hour at most, by the settings.
    limit_per_hour: u32,
    /// Captures of all terms an hour.
    per_hour: BeforeAfterView,
    /// Their share of the limit; above 1 some will be missed.
    share: BeforeAfterView,
}

/// For the chosen terms: how many captures they make a day before and after the change. For each of their engines: how much of what may be asked of
/// it all terms take before and after. The chosen terms are planned by the function that plans their slots; nothing is saved.
#[utoipa::path(
    post, path = "/Terms/planPreview", tag = "Term", request_body = PlanPreviewRequest,
    responses(
        (status = 200, body = PlanPreviewView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 422, body = FailureBody, description = "No terms are named, or a value that they cannot have"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn preview_plan(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    extract::Json(request): extract::Json<PlanPreviewRequest>,
) -> Result<Json<PlanPreviewView>, ApiError> {
    let change = read(&request.change)?;
    let ids = chosen_terms::find_ids(&state, &caller, request.ids, request.condition).await?;
    let terms = term_dues::to_plan(&state.postgres, &caller.scope, &ids).await?;
    let now = state.clock.now();
    let mut per_day = BeforeAfterView::default();
    let mut loads: BTreeMap<Route, BeforeAfterView> = BTreeMap::new();
    for term in &terms {
        let before = grid::captures_an_hour(&term.term, now);
        let after = grid::captures_an_hour(&changed(term.clone(), change).term, now);
        per_day.before += before * HOURS_A_DAY;
        per_day.after += after * HOURS_A_DAY;
        let load = loads
            .entry(Route::new(&state.settings, term.engine, term.locale.as_deref()))
            .or_default();
        load.before += before;
        load.after += after;
    }
    let planned: Vec<TermId> = terms.iter().map(|term| term.term.id).collect();
    for other in term_dues::load_besides(&state.postgres, &SCOPE, &planned).await? {
        let route = Route::new(&state.settings, other.engine, other.locale.as_deref());
        if let Some(load) = loads.get_mut(&route) {
            load.before += other.an_hour;
            load.after += other.an_hour;
        }
    }
    let engines = loads
        .into_iter()
        .map(|(route, per_hour)| view(&state.settings, route, per_hour));
    Ok(Json(PlanPreviewView {
        data: PlanCostView {
            terms: terms.len(),
            per_day,
            engines: engines.collect(),
        },
    }))
}

/// What changes of a term.
#[derive(Clone, Copy)]
struct TermChange {
    every: Option<Frequency>,
    state: Option<TermState>,
}

/// Reads a change; 422 for a value that no term can have.
fn read(change: &PlanChange) -> Result<TermChange, ApiError> {
    let every = match change.every {
        None => None,
        Some(millis) => {
            let every = Frequency::from_millis(millis);
            Some(every.ok_or_else(|| ApiError::of_field("every", "is not a number of milliseconds"))?)
        }
    };
    let state = change.state.as_deref().map(str::parse).transpose();
    Ok(TermChange {
        every,
        state: state.map_err(|_| ApiError::of_field("state", "is enabled, disabled or archived"))?,
    })
}

/// The term after the change.
fn changed(mut planned: TermToPlan, change: TermChange) -> TermToPlan {
    if let Some(every) = change.every {
        planned.term.every = every;
    }
    if let Some(state) = change.state {
        planned.term.is_capturable = planned.is_complete && state == TermState::Enabled;
    }
    planned
}

/// How searches reach an engine, as far as they share one pace.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Route {
    engine: Engine,
    /// Where searches of this country have a proxy of their own.
    country: Option<String>,
}

impl Route {
    /// The route of searches of a locale, such as `fr-FR`, on an engine. It has a country only if the settings have a proxy of that country for the
    /// engine; no locale, or one that cannot be read, has none.
    fn new(settings: &Settings, engine: Engine, locale: Option<&str>) -> Self {
        let locale: Option<Locale> = locale.and_then(|locale| locale.parse().ok());
        let country = locale.map(|locale| locale.country().to_owned());
        let proxies = &of_engine(settings, engine).country_proxies;
        Self {
            engine,
            country: country.filter(|country| proxies.iter().any(|proxy| proxy.country == *country)),
        }
    }
}

/// The settings of an engine.
const fn of_engine(settings: &Settings, engine: Engine) -> &runtime::settings::Engine {
    match engine {
        Engine::Google => &settings.engines.google,
        Engine::Bing => &settings.engines.bing,
    }
}

/// The captures an hour of a route beside the limit of the settings, and their share of it. A limit of 0 a minute counts as 1.
fn view(settings: &Settings, route: Route, per_hour: BeforeAfterView) -> EngineLoadView {
    let limit_per_hour = of_engine(settings, route.engine)
        .per_minute
        .max(1)
        .saturating_mul(MINUTES_AN_HOUR);
    EngineLoadView {
        engine: route.engine.to_string(),
        country: route.country,
        limit_per_hour,
        per_hour,
        share: BeforeAfterView {
            before: per_hour.before / f64::from(limit_per_hour),
            after: per_hour.after / f64::from(limit_per_hour),
        },
    }
}
