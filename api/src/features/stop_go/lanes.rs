//! Lanes: what one is, why, and what a person does with it: `/stop-go/lane`.

use axum::Json;
use axum::extract::State;
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use postgres::captures;
use postgres::stop_go::readings::{self, StoredReading};
use postgres::stop_go::{decisions, lanes, lists};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use stop_go::live::{self, PersonalAct};
use stop_go::next_event;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;
use vocabulary::{CaptureId, SystemScope};

use super::{DONE, StopGoDoneView, failure, no_row, switches};
use crate::access::Administrator;
use crate::extract::{self, Query};
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// Days of the strip.
const STRIP_DAYS: i64 = 7;
/// Readings of the strip.
const MOST_READINGS: i64 = 20_000;
/// Decisions of one page.
const PAGE: i64 = 50;
/// Readings that are listed.
const LISTED_READINGS: usize = 20;
const SCOPE: SystemScope = SystemScope::new("showing a lane to an administrator");

/// The lane that is asked for.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct LaneParams {
    /// Id of the lane.
    #[serde(rename = "ID")]
    id: i32,
}

/// Which decisions of a lane.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct DecisionsParams {
    /// Id of the lane.
    #[serde(rename = "ID")]
    id: i32,
    /// Only those before this one.
    before: Option<i64>,
}

/// A lane as it is now.
#[derive(Serialize, ToSchema)]
pub(super) struct OneLaneView {
    data: LaneView,
}

/// A lane: one text in one country of one account.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct LaneView {
    #[serde(rename = "ID")]
    id: i32,
    text: String,
    /// The country's two letters.
    country: String,
    state: String,
    since: DateTime<Utc>,
    /// The rule that decided last.
    reason: String,
    mode: String,
    /// Whether the text should be in the negative list.
    desired: bool,
    /// Whether it is, as last read.
    observed: Option<bool>,
    checked_at: Option<DateTime<Utc>>,
    refusal: Option<String>,
    is_connected: bool,
    /// Whether lanes may stop and go by themselves at all.
    automation: bool,
    /// When the clock alone may change something; null if only a capture or a person can.
    next_event: Option<DateTime<Utc>>,
    /// Stops and goes today.
    toggles: u16,
    /// The most of a day.
    most_toggles: u16,
    /// Hours that clean captures span before a stop.
    stop_span_hours: u16,
    guards: Vec<GuardView>,
    /// Campaigns that the list is attached to.
    campaigns: Option<i32>,
    /// The share of cost that Performance Max has, in percent.
    pmax_percent: Option<f64>,
    /// What the list was refused with when it was set up.
    list_refusal: Option<String>,
    emergency_at: Option<DateTime<Utc>>,
    /// What each device says: its last captures, last first.
    readings: Vec<LaneReadingView>,
    /// Seven days in hours, the oldest first.
    strip: Vec<StripHour>,
}

/// A condition of automatic stops.
#[derive(Serialize, ToSchema)]
struct GuardView {
    /// The name that the rule has for it.
    guard: String,
    passes: bool,
    /// The figure it is judged by.
    figure: Option<f64>,
}

/// What a capture says of a lane.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct LaneReadingView {
    capture: Uuid,
    device: String,
    at: DateTime<Utc>,
    verdict: String,
    rivals: Vec<String>,
    partners: Vec<String>,
    organic_first: Option<bool>,
    own_ad: bool,
}

impl From<&StoredReading> for LaneReadingView {
    fn from(reading: &StoredReading) -> Self {
        Self {
            capture: reading.capture.0,
            device: reading.device.to_string(),
            at: reading.at,
            verdict: reading.verdict.clone(),
            rivals: reading.rivals.clone(),
            partners: reading.partners.clone(),
            organic_first: reading.organic_first,
            own_ad: reading.own_ad,
        }
    }
}

/// One hour of the strip.
#[derive(Serialize, ToSchema)]
struct StripHour {
    /// The hour's beginning.
    at: DateTime<Utc>,
    /// `stopped`, `rival`, `go` or `none` where nothing was captured.
    shown: &'static str,
}

/// Why a lane is as it is, last first.
#[derive(Serialize, ToSchema)]
pub(super) struct LaneDecisionsView {
    data: Vec<LaneDecisionView>,
}

/// What was decided on a lane.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct LaneDecisionView {
    #[serde(rename = "ID")]
    id: i64,
    at: DateTime<Utc>,
    from: String,
    to: String,
    /// `stop`, `go`, `keep`, `propose`, `approve`, `exclude`, `include`, `resume`, `refused` or `emergency`.
    action: String,
    /// The rule that decided.
    rule: String,
    /// Whoever decided; null for the rule.
    person: Option<String>,
    is_personal: bool,
    mode: String,
    detail: Option<String>,
    /// The captures it was made by: `capture`, `device`, `at`, `verdict`, `rivals`, and `isKept`, whether the page is still there.
    readings: Vec<Value>,
}

/// What a person does with a lane.
#[derive(Deserialize, ToSchema)]
pub(super) struct LaneActBody {
    /// Id of the lane.
    #[serde(rename = "ID")]
    id: i32,
    /// `resume`: the rule decides again. `approve`: the stop that waits may be made.
    act: String,
}

/// A lane with its guards, its last captures and its last seven days.
#[utoipa::path(
    get, path = "/stop-go/lane", tag = "StopGo", params(LaneParams),
    responses(
        (status = 200, body = OneLaneView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 404, body = FailureBody, description = "No such lane"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn get_lane(
    State(state): State<ApiState>,
    Administrator(_caller): Administrator,
    Query(params): Query<LaneParams>,
) -> Result<Json<OneLaneView>, ApiError> {
    let now = state.clock.now();
    let mut connection = state.postgres.acquire().await.map_err(postgres::Error::from)?;
    let stored = lanes::get(&mut *connection, &SCOPE, params.id)
        .await?
        .ok_or_else(|| no_row(params.id))?;
    let list = lists::get(&mut *connection, &SCOPE, &stored.account, &stored.country)
        .await?
        .unwrap_or_default();
    let live = live::load(&mut connection, stored, switches(&state), now)
        .await
        .map_err(failure)?;
    let guards = live::guard_lines(&mut connection, &live, switches(&state), now)
        .await
        .map_err(failure)?;
    let span = (now - TimeDelta::days(STRIP_DAYS), now + TimeDelta::seconds(1));
    let seen = readings::between(&mut *connection, &SCOPE, params.id, span, MOST_READINGS).await?;
    let states = decisions::states(&mut *connection, &SCOPE, params.id, span).await?;
    let next = next_event(&live.lane, &live.readings, now, &live.settings);
    let today: NaiveDate = now.with_timezone(&live.settings.zone).date_naive();
    let toggles = if live.stored.toggles_day == Some(today) {
        live.lane.toggles_today
    } else {
        0
    };
    Ok(Json(OneLaneView {
        data: LaneView {
            id: live.stored.id,
            text: live.stored.text,
            country: live.stored.country,
            state: live.stored.state,
            since: live.stored.since,
            reason: live.stored.reason,
            mode: live.lane.circumstances.mode.to_string(),
            desired: live.stored.desired,
            observed: live.stored.observed,
            checked_at: live.stored.checked_at,
            refusal: live.stored.refused,
            is_connected: live.stored.google_connect.is_some(),
            automation: state.settings.stop_go.automation,
            next_event: next,
            toggles,
            most_toggles: live.settings.max_toggles,
            stop_span_hours: live.settings.stop_span_hours,
            guards: guards
                .iter()
                .map(|line| GuardView {
                    guard: line.guard.to_string(),
                    passes: line.passes,
                    figure: line.figure,
                })
                .collect(),
            campaigns: list.campaigns,
            pmax_percent: list.pmax_percent,
            list_refusal: list.refused,
            emergency_at: list.emergency_at,
            readings: seen
                .iter()
                .rev()
                .take(LISTED_READINGS)
                .map(LaneReadingView::from)
                .collect(),
            strip: strip(span.0, &seen, &states),
        },
    }))
}

/// The hours of the strip: a rival in an hour hides everything else, a stop hides captures.
fn strip(from: DateTime<Utc>, seen: &[StoredReading], states: &[(DateTime<Utc>, String)]) -> Vec<StripHour> {
    let into_the_hour = TimeDelta::seconds(from.timestamp().rem_euclid(3_600))
        + TimeDelta::nanoseconds(from.timestamp_subsec_nanos().into());
    let first = from - into_the_hour;
    let hours = (0..=STRIP_DAYS * 24).map(|hour| first + TimeDelta::hours(hour));
    let hours = hours.map(|at| {
        let end = at + TimeDelta::hours(1);
        let mut captured = seen.iter().filter(|reading| (at..end).contains(&reading.at)).peekable();
        let is_captured = captured.peek().is_some();
        let has_rival = captured.any(|reading| reading.verdict == "rival");
        let before = states.iter().rev().find(|(entered, _)| *entered <= at);
        let within = states.iter().filter(|(entered, _)| (at..end).contains(entered));
        let is_stopped = before.into_iter().chain(within).any(|(_, state)| state == "stopped");
        let shown = match () {
            () if has_rival => "rival",
            () if is_stopped => "stopped",
            () if is_captured => "go",
            () => "none",
        };
        StripHour { at, shown }
    });
    hours.collect()
}

/// Why a lane is as it is: 50 decisions at most, last first.
#[utoipa::path(
    get, path = "/stop-go/lane/decisions", tag = "StopGo", params(DecisionsParams),
    responses(
        (status = 200, body = LaneDecisionsView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn list_lane_decisions(
    State(state): State<ApiState>,
    Administrator(_caller): Administrator,
    Query(params): Query<DecisionsParams>,
) -> Result<Json<LaneDecisionsView>, ApiError> {
    let found = decisions::of_lane(&state.postgres, &SCOPE, params.id, params.before, PAGE).await?;
    let named = found
        .iter()
        .flat_map(|(decision, _)| decision.readings.as_array().into_iter().flatten());
    let ids: Vec<CaptureId> = named.filter_map(capture_of).collect();
    let kept = captures::with_page(&state.postgres, &ids).await?;
    let data = found.into_iter().map(|(decision, person)| {
        let mut readings = match decision.readings {
            Value::Array(readings) => readings,
            _ => Vec::new(),
        };
        for reading in &mut readings {
            let is_kept = capture_of(reading).is_some_and(|capture| kept.contains(&capture));
            if let Some(fields) = reading.as_object_mut() {
                fields.insert("isKept".to_owned(), is_kept.into());
            }
        }
        LaneDecisionView {
            id: decision.id,
            at: decision.at,
            from: decision.from_state,
            to: decision.to_state,
            action: decision.action,
            rule: decision.rule,
            is_personal: decision.user.is_some(),
            person,
            mode: decision.mode,
            detail: decision.detail,
            readings,
        }
    });
    Ok(Json(LaneDecisionsView { data: data.collect() }))
}

fn capture_of(reading: &Value) -> Option<CaptureId> {
    reading.get("capture")?.as_str()?.parse().ok().map(CaptureId)
}

/// Lets the rule decide on a manual lane again, or approves the stop that waits.
#[utoipa::path(
    post, path = "/stop-go/lane/act", tag = "StopGo", request_body = LaneActBody,
    responses(
        (status = 200, body = StopGoDoneView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 409, body = FailureBody, description = "The lane is not manual, or waits for no approval"),
        (status = 422, body = FailureBody, description = "Another act"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn act_on_lane(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    extract::Json(body): extract::Json<LaneActBody>,
) -> Result<Json<StopGoDoneView>, ApiError> {
    let act = match body.act.as_str() {
        "resume" => PersonalAct::Resume,
        "approve" => PersonalAct::Approve,
        _ => return Err(ApiError::of_field("act", "is resume or approve")),
    };
    let now = state.clock.now();
    let mut tx = postgres::begin(&state.postgres).await?;
    let by = (caller.user.id, switches(&state));
    if !live::act(&mut tx, body.id, act, by, now).await.map_err(failure)? {
        return Err(ApiError::Conflict(
            "The lane has changed meanwhile; this does not apply to it any more.".to_owned(),
        ));
    }
    live::decide_stored(&mut tx, body.id, switches(&state), now)
        .await
        .map_err(failure)?;
    tx.commit().await.map_err(postgres::Error::from)?;
    Ok(Json(DONE))
}
