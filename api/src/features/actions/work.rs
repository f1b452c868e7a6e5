//! Owners and workload of cases, and pauses of their reminders (decisions D214, D215); for staff.

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use chrono::{Days, NaiveDate};
use postgres::actions::list;
use postgres::actions::work::{self, Before};
use postgres::audit::{self, AuditedChange, Event};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use vocabulary::UserId;

use super::group::{ActionSelection, OneOrManyIds, answer, settle};
use super::story::OwnerView;
use super::views::ChangedView;
use crate::access::Caller;
use crate::extract::Pairs;
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// What the audit log calls an action.
const MODEL: &str = "Action";
/// How far reminders can be put off.
const LONGEST_PAUSE: Days = Days::new(366);

/// The operations on the work on cases.
pub(super) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(show_workload))
        .routes(routes!(assign_actions))
        .routes(routes!(pause_actions))
}

/// The open cases of the staff.
#[derive(Serialize, ToSchema)]
struct WorkloadsView {
    data: Vec<WorkloadView>,
}

/// The open cases of one of the staff.
#[derive(Serialize, ToSchema)]
struct WorkloadView {
    /// Null for the cases of nobody.
    owner: Option<OwnerView>,
    /// Cases to be notified.
    requested: i64,
    /// Cases in which the advertiser is to answer.
    waiting: i64,
    /// Cases with mails in which we are to answer.
    ours: i64,
    blocked: i64,
    /// Cases with unread mails, whatever their status.
    unread: i64,
}

impl From<work::Workload> for WorkloadView {
    fn from(load: work::Workload) -> Self {
        Self {
            owner: load.owner.map(OwnerView::from),
            requested: load.requested,
            waiting: load.waiting,
            ours: load.ours,
            blocked: load.blocked,
            unread: load.unread,
        }
    }
}

/// Open cases by owner: everybody who can be given one, by name, and last the cases of nobody.
#[utoipa::path(
    get, path = "/actions/workload", tag = "Actions",
    responses(
        (status = 200, body = WorkloadsView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Neither an administrator nor an operator"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn show_workload(State(state): State<ApiState>, caller: Caller) -> Result<Json<WorkloadsView>, ApiError> {
    check_staff(&caller)?;
    let loads = work::workload(&state.postgres, &caller.scope).await?;
    Ok(Json(WorkloadsView {
        data: loads.into_iter().map(WorkloadView::from).collect(),
    }))
}

/// The owner that actions are to have.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "describes what `read_field` reads")]
struct Assignment {
    #[schema(rename = "actionID")]
    action_id: Option<OneOrManyIds>,
    /// A user of the staff; null for nobody.
    owner_id: Option<i32>,
}

/// Gives actions an owner, or none; all of them or none of them.
#[utoipa::path(
    post, path = "/actions/assign", tag = "Actions", request_body = Assignment,
    params(("actionID" = Option<i32>, Query, description = "An action, where the body names none")),
    responses(
        (status = 200, body = ChangedView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Neither an administrator nor an operator"),
        (status = 404, body = FailureBody, description = "An action that is not there"),
        (status = 422, body = FailureBody, description = "An owner who is not of the staff"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn assign_actions(
    State(state): State<ApiState>,
    caller: Caller,
    Pairs(pairs): Pairs,
    body: Bytes,
) -> Result<Json<ChangedView>, ApiError> {
    let group = select(&state, &caller, &pairs, &body).await?;
    let owner: Option<UserId> = read_field(&body, "ownerId", "the number of a user, or null")?;
    if let Some(owner) = owner
        && !work::is_staff(&state.postgres, owner).await?
    {
        return Err(ApiError::of_field("ownerId", "is no user of the staff"));
    }
    let mut tx = postgres::begin(&state.postgres).await?;
    let (applied, before) = work::assign(&mut tx, &caller.scope, owner, group.ids(), state.clock.now()).await?;
    record(&mut tx, &caller, "ownerId", &before, owner).await?;
    settle(tx, &state, &caller, &group, applied).await?;
    answer(&state, &caller, &group).await
}

/// Until when reminders are put off.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes what `read_field` reads")]
struct Pause {
    #[schema(rename = "actionID")]
    action_id: Option<OneOrManyIds>,
    /// The first day on which they may leave, at most a year away; null for at once.
    until: Option<NaiveDate>,
}

/// Lets no reminder of actions leave before a day, or gives that up; all of them or none of them.
#[utoipa::path(
    post, path = "/actions/pause", tag = "Actions", request_body = Pause,
    params(("actionID" = Option<i32>, Query, description = "An action, where the body names none")),
    responses(
        (status = 200, body = ChangedView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Neither an administrator nor an operator"),
        (status = 404, body = FailureBody, description = "An action that is not there"),
        (status = 409, body = FailureBody, description = "An action in which no mails are exchanged; nothing was changed, and `data` has it as it is"),
        (status = 422, body = FailureBody, description = "A day that has passed or is too far away"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn pause_actions(
    State(state): State<ApiState>,
    caller: Caller,
    Pairs(pairs): Pairs,
    body: Bytes,
) -> Result<Json<ChangedView>, ApiError> {
    let group = select(&state, &caller, &pairs, &body).await?;
    let until: Option<NaiveDate> = read_field(&body, "until", "a day like 2026-12-31, or null")?;
    let now = state.clock.now();
    check_day(until, now.with_timezone(&state.settings.time_zone).date_naive())?;
    let mut tx = postgres::begin(&state.postgres).await?;
    let (applied, before) = work::pause(&mut tx, &caller.scope, until, group.ids(), now).await?;
    record(&mut tx, &caller, "pausedUntil", &before, until).await?;
    settle(tx, &state, &caller, &group, applied).await?;
    answer(&state, &caller, &group).await
}

/// The actions that a request of the staff names. 404 for one that the caller does not see; 403 for callers who are no staff.
async fn select(
    state: &ApiState,
    caller: &Caller,
    pairs: &[(String, String)],
    body: &Bytes,
) -> Result<ActionSelection, ApiError> {
    let group = ActionSelection::read(pairs, body)?;
    let rows = list::by_ids(&state.postgres, &caller.scope, group.ids()).await?;
    group.check_found(&rows)?;
    check_staff(caller)?;
    Ok(group)
}

/// A field of a body that must name it; `None` for null. A `BadRequest` that says `what` it is for a body without it, or another value.
fn read_field<T: DeserializeOwned>(body: &Bytes, name: &str, what: &str) -> Result<Option<T>, ApiError> {
    let wrong = || ApiError::BadRequest(format!("{name}: {what}"));
    let mut fields: Map<String, Value> = serde_json::from_slice(body).map_err(|_| wrong())?;
    let value = fields.remove(name).ok_or_else(wrong)?;
    serde_json::from_value(value).map_err(|_| wrong())
}

/// Refuses a day that is not after today, or further away than [`LONGEST_PAUSE`].
fn check_day(until: Option<NaiveDate>, today: NaiveDate) -> Result<(), ApiError> {
    let Some(until) = until else { return Ok(()) };
    if until <= today {
        return Err(ApiError::of_field("until", "is a day after today"));
    }
    if today.checked_add_days(LONGEST_PAUSE).is_some_and(|last| until > last) {
        return Err(ApiError::of_field("until", "is at most a year away"));
    }
    Ok(())
}

/// Refuses callers who are no staff.
fn check_staff(caller: &Caller) -> Result<(), ApiError> {
    if caller.user.known_roles().is_empty() {
        return Err(ApiError::Forbidden);
    }
    Ok(())
}

/// Writes a change of a field of actions to the audit log: for each what it was, and what it is now.
async fn record<T: Serialize>(
    connection: &mut postgres::Connection,
    caller: &Caller,
    field: &str,
    before: &[Before<T>],
    after: Option<T>,
) -> Result<(), ApiError> {
    let changes: Vec<AuditedChange> = before
        .iter()
        .map(|before| AuditedChange {
            event: Event::Change,
            model: MODEL,
            target: before.action.to_string(),
            details: json!({"before": {field: before.value}, "after": {field: after}}),
        })
        .collect();
    Ok(audit::record(connection, &caller.audit_actor(), &changes).await?)
}
