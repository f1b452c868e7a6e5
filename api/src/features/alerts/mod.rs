//! Digest alerts: `/alerts`. Company users have their own, on the brands of their company; staff has all.

mod body;
mod texts;
mod trial;
mod unsubscribe;
mod view;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use chrono::{DateTime, Utc};
use postgres::alerts::{self, AlertValues, StoredAlert};
use postgres::audit::{self, AuditedChange, Event};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use vocabulary::BrandId;

use crate::access::Caller;
use crate::extract::{self, Path, Query};
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

use body::{AlertBody, CheckedAlert, ScheduleBody};
use view::{AlertView, RecipientView};

/// Times that are shown ahead.
const TIMES_AHEAD: usize = 3;
/// What the audit log calls an alert.
const MODEL: &str = "Alert";

/// The operations of this slice.
pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(list_alerts, create_alert))
        .routes(routes!(change_alert, remove_alert))
        .routes(routes!(show_schedule))
        .routes(routes!(trial::preview_alert))
        .routes(routes!(trial::send_trial_alert))
        .routes(routes!(list_recipients))
        .merge(texts::routes())
        .routes(routes!(
            unsubscribe::ask_to_unsubscribe,
            unsubscribe::unsubscribe_from_digests
        ))
}

/// Alerts, the newest first.
#[derive(Serialize, ToSchema)]
struct AlertsView {
    data: Vec<AlertView>,
    /// The time zone of their schedules, as in `Europe/Paris`.
    zone: String,
}

/// The alert as it is stored now.
#[derive(Serialize, ToSchema)]
struct OneAlertView {
    data: AlertView,
}

/// The alerts that the reader may change.
#[utoipa::path(
    get, path = "/alerts", tag = "Alerts",
    responses((status = 200, body = AlertsView), (status = 401, body = FailureBody, description = "No valid session")),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn list_alerts(State(state): State<ApiState>, caller: Caller) -> Result<Json<AlertsView>, ApiError> {
    let found = alerts::list(&state.postgres, &caller.scope).await?;
    Ok(Json(AlertsView {
        data: found.into_iter().map(AlertView::from).collect(),
        zone: state.settings.time_zone.to_string(),
    }))
}

/// Makes an alert of the reader.
#[utoipa::path(
    post, path = "/alerts", tag = "Alerts", request_body = AlertBody,
    responses(
        (status = 200, body = OneAlertView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 422, body = FailureBody, description = "A value that an alert cannot have, by field"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn create_alert(
    State(state): State<ApiState>,
    caller: Caller,
    extract::Json(body): extract::Json<AlertBody>,
) -> Result<Json<OneAlertView>, ApiError> {
    let CheckedAlert { values, next, .. } = body.check(&state, &caller).await?;
    let mut tx = postgres::begin(&state.postgres).await?;
    let id = alerts::create(&mut tx, &caller.scope, &values, next).await?;
    record(
        &mut tx,
        &caller,
        (Event::Create, id),
        json!({"after": described(&values)}),
    )
    .await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    shown(&state, &caller, id).await
}

/// Replaces what an alert says and when.
#[utoipa::path(
    put, path = "/alerts/{id}", tag = "Alerts", request_body = AlertBody,
    params(("id" = i32, Path, description = "Id of the alert")),
    responses(
        (status = 200, body = OneAlertView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 404, body = FailureBody, description = "No such alert in scope"),
        (status = 422, body = FailureBody, description = "A value that an alert cannot have, by field"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn change_alert(
    State(state): State<ApiState>,
    caller: Caller,
    Path(id): Path<i32>,
    extract::Json(body): extract::Json<AlertBody>,
) -> Result<Json<OneAlertView>, ApiError> {
    let before = found(&state, &caller, id).await?;
    let CheckedAlert { values, next, .. } = body.check(&state, &caller).await?;
    let mut tx = postgres::begin(&state.postgres).await?;
    if !alerts::change(&mut tx, &caller.scope, id, &values, next).await? {
        return Err(unknown(id));
    }
    let details = json!({"before": described(&before.values), "after": described(&values)});
    record(&mut tx, &caller, (Event::Change, id), details).await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    shown(&state, &caller, id).await
}

/// Deletes an alert. Its mails that have not left do not leave.
#[utoipa::path(
    delete, path = "/alerts/{id}", tag = "Alerts",
    params(("id" = i32, Path, description = "Id of the alert")),
    responses(
        (status = 204),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 404, body = FailureBody, description = "No such alert in scope"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn remove_alert(
    State(state): State<ApiState>,
    caller: Caller,
    Path(id): Path<i32>,
) -> Result<StatusCode, ApiError> {
    let before = found(&state, &caller, id).await?;
    let mut tx = postgres::begin(&state.postgres).await?;
    if !alerts::remove(&mut tx, &caller.scope, id).await? {
        return Err(unknown(id));
    }
    record(
        &mut tx,
        &caller,
        (Event::Remove, id),
        json!({"before": described(&before.values)}),
    )
    .await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    Ok(StatusCode::NO_CONTENT)
}

/// The next times of a schedule.
#[derive(Serialize, ToSchema)]
struct AlertScheduleView {
    next: Vec<DateTime<Utc>>,
    /// The time zone that it is read in.
    zone: String,
}

/// The next times at which an alert with this schedule would be sent.
#[utoipa::path(
    post, path = "/alerts/schedule", tag = "Alerts", request_body = ScheduleBody,
    responses(
        (status = 200, body = AlertScheduleView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 422, body = FailureBody, description = "No schedule: `cron` or `frequency` says why"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn show_schedule(
    State(state): State<ApiState>,
    _caller: Caller,
    extract::Json(body): extract::Json<ScheduleBody>,
) -> Result<Json<AlertScheduleView>, ApiError> {
    let (now, zone) = (state.clock.now(), state.settings.time_zone);
    let schedule = body.read(now)?;
    let next = std::iter::successors(schedule.next(&zone, now), |last| schedule.next(&zone, *last));
    Ok(Json(AlertScheduleView {
        next: next.take(TIMES_AHEAD).collect(),
        zone: zone.to_string(),
    }))
}

/// The brand whose recipients are wanted.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct RecipientsParams {
    /// Id of the brand.
    #[serde(rename = "brandID")]
    brand: i32,
}

/// Users, by address.
#[derive(Serialize, ToSchema)]
struct RecipientsView {
    data: Vec<RecipientView>,
}

/// The users whom an alert of a brand can go to: those of the reader's company or, for staff, of every company with the brand, and staff.
#[utoipa::path(
    get, path = "/alerts/recipients", tag = "Alerts", params(RecipientsParams),
    responses(
        (status = 200, body = RecipientsView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 404, body = FailureBody, description = "No such brand in scope"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn list_recipients(
    State(state): State<ApiState>,
    caller: Caller,
    Query(params): Query<RecipientsParams>,
) -> Result<Json<RecipientsView>, ApiError> {
    let brand = BrandId(params.brand);
    if !caller.scope.sees_brand(brand) {
        return Err(ApiError::NoRow(format!("could not find a model with id {brand}")));
    }
    let found = alerts::recipients(&state.postgres, &caller.scope, brand).await?;
    Ok(Json(RecipientsView {
        data: found.into_iter().map(RecipientView::from).collect(),
    }))
}

/// An alert as it is now.
async fn shown(state: &ApiState, caller: &Caller, id: i32) -> Result<Json<OneAlertView>, ApiError> {
    let data = AlertView::from(found(state, caller, id).await?);
    Ok(Json(OneAlertView { data }))
}

/// An alert that the caller sees; 404 for any other.
async fn found(state: &ApiState, caller: &Caller, id: i32) -> Result<StoredAlert, ApiError> {
    let found = alerts::get(&state.postgres, &caller.scope, id).await?;
    found.ok_or_else(|| unknown(id))
}

/// Writes a change of an alert to the audit log.
async fn record(
    connection: &mut postgres::Connection,
    caller: &Caller,
    (event, id): (Event, i32),
    details: Value,
) -> Result<(), ApiError> {
    let change = AuditedChange {
        event,
        model: MODEL,
        target: id.to_string(),
        details,
    };
    Ok(audit::record(connection, &caller.audit_actor(), &[change]).await?)
}

/// The values of an alert as the audit log has them.
fn described(values: &AlertValues) -> Value {
    json!({
        "brandId": values.brand.0,
        "enable": values.enable,
        "cron": values.cron,
        "frequency": values.frequency,
        "startDate": values.start,
        "hookTrigger": values.hook,
        "recipientIds": values.recipients.iter().map(|user| user.0).collect::<Vec<_>>(),
        "from": values.from,
        "fromName": values.from_name,
        "subject": values.subject,
        "templateId": values.template.map(|template| template.0),
        "withReport": values.with_report,
    })
}

fn unknown(id: i32) -> ApiError {
    ApiError::NoRow(format!("could not find a model with id {id}"))
}
