//! What becomes of an advertiser's word: the checks of a case after its acceptance, the ads that were seen again, and what each template achieves.

use std::collections::BTreeSet;

use axum::Json;
use axum::extract::State;
use chrono::{DateTime, TimeDelta, Utc};
use postgres::actions::list;
use postgres::captures;
use postgres::proof::checks::{self, MadeCheck};
use postgres::proof::relapses::{self, Relapse};
use postgres::proof::results::{self, TemplateResults};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;
use vocabulary::{ActionId, ActionStatus, CaptureId, SystemScope};

use crate::access::{Caller, Staff};
use crate::extract::Path;
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// Templates belong to nobody, and the figures are for staff.
const SCOPE: SystemScope = SystemScope::new("adding up what templates achieve");

/// The operations of this slice.
pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(show_proof))
        .routes(routes!(show_template_results))
}

/// The answer about the word of an advertiser.
#[derive(Serialize, ToSchema)]
struct ProofAnswer {
    data: ProofView,
}

/// Whether an advertiser has kept its word.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ProofView {
    /// When the advertiser agreed; null unless the case is accepted now.
    accepted_date: Option<DateTime<Utc>>,
    /// When its ads were seen last.
    last_view: Option<DateTime<Utc>>,
    /// Until when it may stop; an ad after that begins the case again.
    grace_until: Option<DateTime<Utc>>,
    /// The checks of all acceptances, in their order, those to come last.
    checks: Vec<CheckView>,
    /// The ads that began the case again, the newest first.
    relapses: Vec<RelapseView>,
}

/// A look at the result pages some days after an acceptance.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct CheckView {
    /// When the advertiser had agreed.
    accepted_date: DateTime<Utc>,
    /// Days after that.
    day: i32,
    /// The day it is due.
    due_date: DateTime<Utc>,
    /// When its captures were planned; null for one to come.
    planned_date: Option<DateTime<Utc>>,
    /// Captures in addition to those of the terms' own schedules.
    extra: u32,
    /// Captures that have a page, of all.
    valid: u32,
    /// Captures that are not over.
    waiting: u32,
    /// Captures without a page.
    failed: u32,
}

impl From<MadeCheck> for CheckView {
    fn from(check: MadeCheck) -> Self {
        Self {
            accepted_date: check.accepted,
            day: check.day,
            due_date: check.accepted + TimeDelta::days(check.day.into()),
            planned_date: Some(check.planned),
            extra: check.extra,
            valid: check.valid,
            waiting: check.waiting,
            failed: check.failed,
        }
    }
}

/// An ad that was seen again.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct RelapseView {
    /// The entry of the history that it caused.
    #[serde(rename = "historyID")]
    history_id: String,
    /// When the advertiser had agreed; null where the case had disappeared.
    accepted_date: Option<DateTime<Utc>>,
    /// The capture it was seen in.
    #[serde(rename = "captureID")]
    capture_id: Uuid,
    /// Whether the page of the capture is still kept.
    has_page: bool,
    /// When it was seen.
    seen_date: DateTime<Utc>,
    /// The words that were searched.
    term: String,
    /// `ads` or `shopping`.
    kind: String,
    /// The headline and the text of the ad.
    text: String,
    /// The rank over the page.
    rank: u32,
}

impl RelapseView {
    /// The answer for an ad; `with_page` are the captures whose pages are kept.
    fn new(relapse: Relapse, with_page: &BTreeSet<CaptureId>) -> Self {
        Self {
            history_id: relapse.entry,
            accepted_date: relapse.accepted,
            capture_id: relapse.capture.0,
            has_page: with_page.contains(&relapse.capture),
            seen_date: relapse.seen,
            term: relapse.term,
            kind: relapse.kind.to_string(),
            text: relapse.words,
            rank: relapse.rank,
        }
    }
}

/// Whether the advertiser of a case has kept its word: what was looked at after the acceptance, and the ads that were seen again.
#[utoipa::path(
    get, path = "/actions/{id}/proof", tag = "Actions",
    params(("id" = i32, Path, description = "Id of the action")),
    responses(
        (status = 200, body = ProofAnswer),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 404, body = FailureBody, description = "No such action, or one out of the reader's scope"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn show_proof(
    State(state): State<ApiState>,
    caller: Caller,
    Path(id): Path<i32>,
) -> Result<Json<ProofAnswer>, ApiError> {
    let (action, pool, scope) = (ActionId(id), &state.postgres, &caller.scope);
    let ids = [action];
    let (mut rows, made, seen_again) = tokio::try_join!(
        list::by_ids(pool, scope, &ids),
        checks::of_action(pool, scope, action),
        relapses::of_action(pool, scope, action),
    )?;
    let unknown = || ApiError::NoRow(format!("Unknown \"Action\" id \"{id}\"."));
    let row = rows.pop().ok_or_else(unknown)?;
    let accepted = row.accepted.filter(|_| row.status == ActionStatus::Accepted);
    let mut shown: Vec<CheckView> = made.into_iter().map(CheckView::from).collect();
    let last_made = shown.iter().filter(|check| Some(check.accepted_date) == accepted);
    let last_made = last_made.map(|check| check.day).max().unwrap_or_default();
    let to_come = accepted.into_iter().flat_map(|accepted| {
        let days = checks::DAYS.iter().filter(move |day| **day > last_made);
        days.map(move |day| CheckView {
            accepted_date: accepted,
            day: *day,
            due_date: accepted + TimeDelta::days((*day).into()),
            planned_date: None,
            extra: 0,
            valid: 0,
            waiting: 0,
            failed: 0,
        })
    });
    shown.extend(to_come);
    let captures: Vec<CaptureId> = seen_again.iter().map(|relapse| relapse.capture).collect();
    let with_page = captures::with_page(pool, &captures).await?;
    let grace = TimeDelta::days(state.settings.actions.reappearance_grace_days.into());
    Ok(Json(ProofAnswer {
        data: ProofView {
            accepted_date: accepted,
            last_view: row.last_view,
            grace_until: accepted.map(|accepted| accepted + grace),
            checks: shown,
            relapses: seen_again
                .into_iter()
                .map(|relapse| RelapseView::new(relapse, &with_page))
                .collect(),
        },
    }))
}

/// What the versions of a template achieve.
#[derive(Serialize, ToSchema)]
struct ResultsAnswer {
    data: Vec<ResultsView>,
}

/// What a version of a template achieves. A reply, and an acceptance, counts for the last mail before it.
#[derive(Serialize, ToSchema)]
struct ResultsView {
    id: i32,
    version: i32,
    /// Mails that left.
    sent: i64,
    /// Mails that a person answered.
    replied: i64,
    /// Mails after which the advertiser agreed within 30 days.
    accepted: i64,
    /// Of these, those whose ads were seen again within 90 days.
    reappeared: i64,
}

impl From<TemplateResults> for ResultsView {
    fn from(results: TemplateResults) -> Self {
        Self {
            id: results.id,
            version: results.version,
            sent: results.sent,
            replied: results.replied,
            accepted: results.accepted,
            reappeared: results.reappeared,
        }
    }
}

/// What all versions of a template achieve, the newest first.
#[utoipa::path(
    get, path = "/mailTemplates/{id}/results", tag = "Mails of cases",
    params(("id" = i32, Path, description = "Id of a version of the template")),
    responses(
        (status = 200, body = ResultsAnswer),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Neither an administrator nor an operator"),
        (status = 404, body = FailureBody, description = "No such template"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn show_template_results(
    State(state): State<ApiState>,
    _staff: Staff,
    Path(id): Path<i32>,
) -> Result<Json<ResultsAnswer>, ApiError> {
    let found = results::of_template(&state.postgres, &SCOPE, id, state.clock.now()).await?;
    if found.is_empty() {
        return Err(ApiError::NoRow(format!("could not find a model with id {id}")));
    }
    Ok(Json(ResultsAnswer {
        data: found.into_iter().map(ResultsView::from).collect(),
    }))
}
