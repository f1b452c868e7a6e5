//! The runs of terms: `POST /Terms/runNow` starts some outside the grid, `GET /termRuns` has the next and the last ones of the rows of a list.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use chrono::{DateTime, Utc};
use postgres::runs_by_hand::RunRequest;
use postgres::term_runs::{self, EndedRun, TermRuns};
use serde::{Deserialize, Serialize};
use serde_json::Value as Body;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use vocabulary::TermId;

use crate::access::{Administrator, Caller};
use crate::chosen_terms;
use crate::extract::{self, Pairs};
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// Terms of one question: a list shows fewer at a time.
const MOST_TERMS: usize = 100;
/// The code of a request for more runs than the quota has left.
const OVER_QUOTA: &str = "RUN_QUOTA_REACHED";

/// The operations of this slice.
pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(run_now))
        .routes(routes!(list_term_runs))
}

/// The terms to run.
#[derive(Deserialize, ToSchema)]
struct RunNowRequest {
    /// The terms by id, 10,000 at most.
    #[serde(default)]
    ids: Option<Vec<i32>>,
    /// The terms by a condition like that of `POST /Terms/update`; the first 10,000 count.
    #[serde(default, rename = "where")]
    #[schema(value_type = Option<HashMap<String, Body>>)]
    condition: Option<Body>,
}

/// What was started.
#[derive(Serialize, ToSchema)]
struct RunNowView {
    data: StartedRunsView,
}

/// The runs of a request.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct StartedRunsView {
    /// Captures that wait for their turn now, one a term and device.
    started: usize,
    /// Captures that waited or were under way already.
    under_way: u64,
    /// Terms that are not captured: paused, or without words or a place.
    not_captured: u64,
}

/// Captures terms now, in addition to their schedule: on each of their devices once, unless a capture waits or is under way. A user may start as many
/// in an hour as the settings say; a request for more starts none.
#[utoipa::path(
    post, path = "/Terms/runNow", tag = "Term", request_body = RunNowRequest,
    responses(
        (status = 200, body = RunNowView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 422, body = FailureBody, description = "No terms are named"),
        (status = 429, body = FailureBody, description = "More captures than the user may start in this hour"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn run_now(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    extract::Json(request): extract::Json<RunNowRequest>,
) -> Result<Json<RunNowView>, ApiError> {
    let ids = chosen_terms::find_ids(&state, &caller, request.ids, request.condition).await?;
    let quota = state.settings.api.runs_by_hand_per_hour;
    let requested = schedules::run_now(&state.postgres, &caller.scope, caller.user.id, &ids, quota.into()).await?;
    match requested {
        RunRequest::Queued(runs) => Ok(Json(RunNowView {
            data: StartedRunsView {
                started: runs.due.len(),
                under_way: runs.under_way,
                not_captured: runs.not_captured,
            },
        })),
        RunRequest::OverQuota { asked, left } => Err(ApiError::Coded(
            StatusCode::TOO_MANY_REQUESTS,
            OVER_QUOTA,
            format!("{quota} captures an hour may be started by hand: {left} are left, and this would be {asked}."),
        )),
    }
}

/// The runs of some terms.
#[derive(Serialize, ToSchema)]
struct TermRunsView {
    /// By term and device, for devices with a next or a last run.
    data: Vec<RunsOfTermView>,
}

/// When a term runs next on a device, and how its last run ended.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct RunsOfTermView {
    #[serde(rename = "termID")]
    term_id: i32,
    /// `desktop`, `mobile` or `tablet`.
    device: String,
    /// Null for a term that is not captured.
    next_run: Option<DateTime<Utc>>,
    /// Whether a capture waits or is under way.
    is_under_way: bool,
    /// Null without one in the last 70 days.
    last_run: Option<EndedRunView>,
}

/// A run that ended.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct EndedRunView {
    #[serde(rename = "requestID")]
    request_id: String,
    /// When its page was received, else when it was due.
    date: DateTime<Utc>,
    /// `verified`, `failed` or `missed`.
    state: String,
    /// Why it failed or was missed.
    reason: Option<String>,
    /// `results` or `doubtful`; null while no page was read.
    verdict: Option<String>,
    /// Ads on its page, shopping ads included; null likewise, which is not 'no ads'.
    ads: Option<u32>,
}

impl From<TermRuns> for RunsOfTermView {
    fn from(runs: TermRuns) -> Self {
        Self {
            term_id: runs.term.0,
            device: runs.device.to_string(),
            next_run: runs.next_run,
            is_under_way: runs.is_under_way,
            last_run: runs.last.map(EndedRunView::from),
        }
    }
}

impl From<EndedRun> for EndedRunView {
    fn from(run: EndedRun) -> Self {
        Self {
            request_id: run.capture.to_string(),
            date: run.at,
            state: run.state.to_string(),
            reason: run.reason,
            verdict: run.verdict.map(|verdict| verdict.to_string()),
            ads: run.ads,
        }
    }
}

/// The next and the last runs of the reader's terms among those named, on each device.
#[utoipa::path(
    get, path = "/termRuns", tag = "Monitoring",
    params(("rows[]" = Vec<i32>, Query, description = "Ids of the terms, 100 at most")),
    responses(
        (status = 200, body = TermRunsView),
        (status = 400, body = FailureBody, description = "An id that cannot be read"),
        (status = 401, body = FailureBody, description = "No valid session"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn list_term_runs(
    State(state): State<ApiState>,
    caller: Caller,
    Pairs(pairs): Pairs,
) -> Result<Json<TermRunsView>, ApiError> {
    let ids: Option<Vec<TermId>> = pairs
        .iter()
        .filter(|(name, _)| name == "rows[]" || name == "rows")
        .map(|(_, value)| value.parse().ok())
        .collect();
    let ids = ids
        .filter(|ids| (1..=MOST_TERMS).contains(&ids.len()))
        .ok_or_else(|| ApiError::BadRequest(format!("rows[]: 1 to {MOST_TERMS} ids of terms")))?;
    let runs = term_runs::of_terms(&state.postgres, &caller.scope, &ids).await?;
    Ok(Json(TermRunsView {
        data: runs.into_iter().map(RunsOfTermView::from).collect(),
    }))
}
