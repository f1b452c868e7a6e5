//! Matches that run in the background, so that they may take their time and their author may leave: `/Brands/matchRuns`.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use chrono::{DateTime, TimeDelta, Utc};
use postgres::audit::AuditActor;
use postgres::match_runs::{self, BeginRefusal, MatchRun, MatchRunId, NewMatchRun};
use serde::Serialize;
use serde_json::Value as Body;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use vocabulary::{BrandId, Scope};

use super::matching::{self, MatchPlan, MatchProgress};
use super::{MatchRequest, MatchedView, SLOW};
use crate::access::Administrator;
use crate::extract::{self, Path};
use crate::failure::{ApiError, FailureBody};
use crate::quotas;
use crate::resources;
use crate::state::ApiState;

/// Runs under way at the same time, of all administrators.
const MOST_RUNS: i64 = 4;
/// How long patterns may run over all terms in the background.
const RUN_PATIENCE: Duration = Duration::from_mins(2);
/// How often a run reports what part is done.
const REPORT_EVERY: Duration = Duration::from_millis(300);
/// A run that does not report for so long has lost its process.
const SILENCE: TimeDelta = TimeDelta::seconds(30);

/// The operations of this file.
pub(super) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(start_match_run))
        .routes(routes!(list_match_runs))
        .routes(routes!(acknowledge_match_run))
}

/// The runs of the caller.
#[derive(Serialize, ToSchema)]
struct MatchRunsView {
    data: Vec<MatchRunView>,
}

/// A match that runs in the background, or ended.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct MatchRunView {
    id: i64,
    brand_id: i32,
    /// The brand's label, else its name.
    brand: Option<String>,
    /// Whether terms of other brands are matched too.
    rematch_all: bool,
    begun_at: DateTime<Utc>,
    state: MatchRunState,
    /// What part of the work is done, from 0 to 1.
    share: f32,
    /// What a run that is done changed.
    #[schema(value_type = Option<MatchedView>)]
    matched: Option<Body>,
    /// Why a run failed; it changed nothing then.
    problem: Option<MatchProblem>,
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum MatchRunState {
    Running,
    Done,
    Failed,
}

/// Why a run failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema, strum::EnumString, strum::IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
enum MatchProblem {
    /// The patterns take too long over all terms.
    Slow,
    /// The patterns of the brand were changed meanwhile.
    Changed,
    /// The brand has no pattern, or an invalid one.
    Pattern,
    /// A company account would have more captures planned than its quota allows.
    Quota,
    /// The server stopped meanwhile.
    Interrupted,
    /// Something else; the log has it.
    Error,
}

impl MatchRunView {
    /// The view of a run at this time: one that is silent for too long counts as failed.
    fn new(run: MatchRun, now: DateTime<Utc>) -> Self {
        let interrupted = run.ended_at.is_none() && run.reported_at < now - SILENCE;
        let stored = run.problem.map(|code| code.parse().unwrap_or(MatchProblem::Error));
        let problem = stored.or_else(|| interrupted.then_some(MatchProblem::Interrupted));
        let state = match (&problem, run.ended_at) {
            (Some(_), _) => MatchRunState::Failed,
            (None, Some(_)) => MatchRunState::Done,
            (None, None) => MatchRunState::Running,
        };
        Self {
            id: run.id.0,
            brand_id: run.brand.0,
            brand: run.brand_label,
            rematch_all: run.all_terms,
            begun_at: run.begun_at,
            state,
            share: run.share,
            matched: run.counts,
            problem,
        }
    }
}

/// A run that began.
#[derive(Serialize, ToSchema)]
struct BegunMatchRunView {
    id: i64,
}

/// Starts a match of terms with a brand in the background. It changes all of its terms or none.
#[utoipa::path(
    post, path = "/Brands/{id}/matchRuns", tag = "Brand",
    params(("id" = i32, Path, description = "Id of the brand")),
    request_body = MatchRequest,
    responses(
        (status = 202, body = BegunMatchRunView, description = "It runs"),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 404, body = FailureBody, description = "No such brand"),
        (status = 409, body = FailureBody, description = "A match of this brand runs, or too many of others do"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn start_match_run(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    Path(id): Path<i32>,
    headers: HeaderMap,
    extract::Body(bytes): extract::Body,
) -> Result<(StatusCode, Json<BegunMatchRunView>), ApiError> {
    let given = resources::body_fields(&headers, &bytes)?;
    let MatchRequest { options } =
        serde_json::from_value(Body::Object(given)).map_err(|error| ApiError::BadRequest(error.to_string()))?;
    let new = NewMatchRun {
        brand: BrandId(id),
        user: caller.user.id,
        all_terms: options.unwrap_or_default().rematch_all,
    };
    let now = state.clock.now();
    let mut transaction = postgres::begin(&state.postgres).await?;
    let begun = match_runs::begin(&mut transaction, &caller.scope, &new, MOST_RUNS, now - SILENCE, now).await?;
    let run = begun.map_err(|refusal| match refusal {
        BeginRefusal::NoBrand => ApiError::NoRow(format!("could not find a model with id {id}")),
        BeginRefusal::UnderWay => ApiError::Conflict("An auto match of this brand is under way.".to_owned()),
        BeginRefusal::TooMany => {
            ApiError::Conflict(format!("{MOST_RUNS} auto matches are under way. Try again later."))
        }
    })?;
    transaction.commit().await.map_err(postgres::Error::from)?;
    let plan = MatchPlan {
        brand: new.brand,
        all_terms: new.all_terms,
        patience: RUN_PATIENCE,
        most_changed: usize::MAX,
        run: Some(run),
    };
    let author = caller.audit_actor();
    tokio::spawn(async move { follow(&state, &caller.scope, &author, &plan, run).await });
    Ok((StatusCode::ACCEPTED, Json(BegunMatchRunView { id: run.0 })))
}

/// The caller's matches in the background that run, or whose end was not acknowledged yet, oldest first.
#[utoipa::path(
    get, path = "/Brands/matchRuns", tag = "Brand",
    responses(
        (status = 200, body = MatchRunsView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn list_match_runs(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
) -> Result<Json<MatchRunsView>, ApiError> {
    let now = state.clock.now();
    let runs = match_runs::of_user(&state.postgres, &caller.scope, caller.user.id).await?;
    let data = runs.into_iter().map(|run| MatchRunView::new(run, now)).collect();
    Ok(Json(MatchRunsView { data }))
}

/// Takes a match that ended off the caller's list.
#[utoipa::path(
    delete, path = "/Brands/matchRuns/{id}", tag = "Brand",
    params(("id" = i64, Path, description = "Id of the run")),
    responses(
        (status = 204, description = "It is off the list"),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 404, body = FailureBody, description = "The caller has no such run on the list, or it is under way"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn acknowledge_match_run(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    Path(id): Path<i64>,
) -> Result<StatusCode, ApiError> {
    let now = state.clock.now();
    let run = MatchRunId(id);
    if match_runs::delete_ended(&state.postgres, &caller.scope, caller.user.id, run, now - SILENCE).await? {
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(ApiError::NotFound("No match that ended has this id".to_owned()))
    }
}

/// Makes a match, and reports meanwhile what part is done. A failure ends the run with the code of its reason.
async fn follow(state: &ApiState, scope: &Scope, author: &AuditActor, plan: &MatchPlan, run: MatchRunId) {
    let progress = Arc::new(MatchProgress::default());
    let reporting = async {
        loop {
            tokio::time::sleep(REPORT_EVERY).await;
            if let Err(error) =
                match_runs::report(&state.postgres, scope, run, progress.share(), state.clock.now()).await
            {
                tracing::warn!(%error, "the progress of a match could not be stored");
            }
        }
    };
    let outcome = tokio::select! {
        outcome = matching::match_terms(state, scope, author, plan, &progress) => outcome,
        () = reporting => return,
    };
    let Err(failure) = outcome else { return };
    let problem = problem_of(&failure);
    tracing::warn!(?failure, run = run.0, "a match of terms with a brand failed");
    if let Err(error) = match_runs::end(&state.postgres, scope, run, Err(problem.into()), state.clock.now()).await {
        tracing::warn!(%error, "the end of a match could not be stored");
    }
}

/// The reason of a failed run.
fn problem_of(failure: &ApiError) -> MatchProblem {
    match failure {
        ApiError::Refused { problems, .. } if problems.iter().any(|problem| problem.has_code(SLOW)) => {
            MatchProblem::Slow
        }
        ApiError::Refused { .. } => MatchProblem::Pattern,
        ApiError::Coded(_, quotas::EXCEEDED, _) => MatchProblem::Quota,
        ApiError::Conflict(_) => MatchProblem::Changed,
        _ => MatchProblem::Error,
    }
}
