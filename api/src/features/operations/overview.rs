//! The state of queue and engines: `GET /operations/overview`.

use std::collections::HashMap;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use coordination::Breaker;
use postgres::operations::outcomes::{self, Outcome};
use postgres::operations::pauses::{self, Pause};
use postgres::operations::queue::{self, Backlog};
use postgres::operations::reviews::{self, ReviewKind};
use strum::VariantArray;
use vocabulary::{Engine, SlotState, Verdict};

use super::settings_of;
use super::views::{EngineView, HourView, OpenView, OverviewView, PauseView, QueueView};
use crate::access::Administrator;
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

const HOUR: Duration = Duration::from_hours(1);

/// How much waits, how each engine does (paused or resting, its queue, the outcomes of its last hour), and how many captures need a look.
#[utoipa::path(
    get, path = "/operations/overview", tag = "Operations",
    responses((status = 200, body = OverviewView), (status = 401, body = FailureBody), (status = 403, body = FailureBody)),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn read_overview(
    State(state): State<ApiState>,
    _administrator: Administrator,
) -> Result<Json<OverviewView>, ApiError> {
    let pool = &state.postgres;
    let (backlog, pauses, hour, doubtful, quarantined, failed) = tokio::try_join!(
        queue::backlog(pool),
        pauses::all(pool),
        outcomes::over_time(pool, HOUR, HOUR),
        reviews::count_open(pool, ReviewKind::Doubtful),
        reviews::count_open(pool, ReviewKind::Quarantined),
        reviews::count_open(pool, ReviewKind::Failed),
    )?;
    let mut pauses: HashMap<Engine, Pause> = pauses.into_iter().map(|pause| (pause.engine, pause)).collect();
    let mut engines = Vec::with_capacity(Engine::VARIANTS.len());
    for &engine in Engine::VARIANTS {
        let rest = longest_rest(&state, engine).await;
        let backlog = backlog.iter().find(|backlog| backlog.engine == engine);
        engines.push(EngineView {
            engine: engine.to_string(),
            paused: pauses.remove(&engine).map(PauseView::from),
            resting_seconds: rest.map(|left| left.as_secs()),
            queue: backlog.map(QueueView::from).unwrap_or_default(),
            last_hour: last_hour(engine, &hour),
        });
    }
    Ok(Json(OverviewView {
        as_of: state.clock.now(),
        queue: total(&backlog),
        engines,
        open: OpenView {
            doubtful,
            quarantined,
            failed,
        },
    }))
}

/// How long no search starts on an engine, by the breaker with the longest pause: each proxy of the settings and the direct route have one of their
/// own. `None` when none is paused.
async fn longest_rest(state: &ApiState, engine: Engine) -> Option<Duration> {
    let settings = settings_of(&state.settings, engine);
    let mut longest = None;
    for route in settings.routes() {
        let left = Breaker::new(&state.coordination, &format!("{engine}:{route}"))
            .pause_left()
            .await;
        longest = longest.max(left);
    }
    longest
}

/// The queues of all engines together: counts are summed, waits the longest.
fn total(backlog: &[Backlog]) -> QueueView {
    backlog
        .iter()
        .map(QueueView::from)
        .fold(QueueView::default(), QueueView::with)
}

/// How the runs of an engine among these outcomes, which must be those of the last hour, ended, counted by kind; every run that neither failed, was
/// missed nor is doubtful counts as a result.
fn last_hour(engine: Engine, outcomes: &[Outcome]) -> HourView {
    let mut view = HourView::default();
    for outcome in outcomes.iter().filter(|outcome| outcome.engine == engine) {
        match outcome.state {
            SlotState::Failed => view.failed += outcome.count,
            SlotState::Missed => view.missed += outcome.count,
            _ if outcome.verdict == Verdict::Doubtful.to_string() => view.doubtful += outcome.count,
            _ => view.results += outcome.count,
        }
    }
    view
}
