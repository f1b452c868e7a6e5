//! Trying an alert before it is saved: what its mail would say, and one such mail to the person who asks.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use chrono::TimeDelta;
use coordination::{Limit, Throttle};
use outreach::{DigestMail, DigestStores};
use postgres::alerts::DigestOrder;
use postgres::mails;
use serde::Serialize;
use utoipa::ToSchema;
use vocabulary::Language;

use super::body::{AlertBody, CheckedAlert};
use crate::access::Caller;
use crate::extract;
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// What the first digest of an alert reports, and so its trial.
const TRIAL_PERIOD: TimeDelta = TimeDelta::days(7);
/// Test mails that one person may ask for within [`WINDOW`].
const MOST_TRIALS: u32 = 5;
const WINDOW: Duration = Duration::from_mins(15);

/// An alert tried on what happened lately.
#[derive(Serialize, ToSchema)]
pub(super) struct AlertPreviewView {
    data: PreviewedAlertView,
}

impl AlertPreviewView {
    pub(super) const fn new(subject: String, body: String) -> Self {
        Self {
            data: PreviewedAlertView { subject, body },
        }
    }
}

/// A digest that is not sent.
#[derive(Serialize, ToSchema)]
struct PreviewedAlertView {
    subject: String,
    /// Its text, with the links as they are.
    body: String,
}

/// What the mail of an alert would say now of the last seven days, as the caller may see it. Nothing is stored or sent.
#[utoipa::path(
    post, path = "/alerts/preview", tag = "Alerts", request_body = AlertBody,
    responses(
        (status = 200, body = AlertPreviewView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 422, body = FailureBody, description = "A value that an alert cannot have, by field"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn preview_alert(
    State(state): State<ApiState>,
    caller: Caller,
    headers: HeaderMap,
    extract::Json(body): extract::Json<AlertBody>,
) -> Result<Json<AlertPreviewView>, ApiError> {
    let DigestMail { subject, body } = write_trial(&state, &caller, caller.language(&headers), body).await?;
    Ok(Json(AlertPreviewView::new(subject, body)))
}

/// Sends what the preview shows to the caller, and to nobody else.
#[utoipa::path(
    post, path = "/alerts/test", tag = "Alerts", request_body = AlertBody,
    responses(
        (status = 204),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 422, body = FailureBody, description = "A value that an alert cannot have, by field"),
        (status = 429, body = FailureBody, description = "More than 5 test mails within 15 minutes"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn send_trial_alert(
    State(state): State<ApiState>,
    caller: Caller,
    headers: HeaderMap,
    extract::Json(body): extract::Json<AlertBody>,
) -> Result<StatusCode, ApiError> {
    let language = caller.language(&headers);
    let mail = write_trial(&state, &caller, language, body).await?;
    let key = format!("alert-trial:{}", caller.user.id);
    let limit = Limit {
        key: &key,
        most: MOST_TRIALS,
    };
    let _counted = Throttle::new(&state.coordination, WINDOW)
        .reserve(&[limit])
        .await
        .map_err(ApiError::Throttled)?;
    let to = (caller.user.id, caller.user.email.as_str());
    mails::queue_trial(&state.postgres, to, language, (&mail.subject, &mail.body)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The mail of an alert for the caller.
async fn write_trial(
    state: &ApiState,
    caller: &Caller,
    language: Language,
    body: AlertBody,
) -> Result<DigestMail, ApiError> {
    let CheckedAlert {
        values,
        brand_label,
        text,
        ..
    } = body.check(state, caller).await?;
    let order = DigestOrder {
        is_hook: values.hook.is_some(),
        brand: values.brand,
        brand_label,
        subject: values.subject,
        from_name: values.from_name,
        reply_to: values.from,
        text,
        with_report: values.with_report,
    };
    write_order(state, caller, language, order, values.hook.as_deref()).await
}

/// The mail that an order would be for the caller now; of an alert after an event `hook`, with the cases in which that happened.
pub(super) async fn write_order(
    state: &ApiState,
    caller: &Caller,
    language: Language,
    order: DigestOrder,
    hook: Option<&str>,
) -> Result<DigestMail, ApiError> {
    let language = order.text.as_ref().map_or(language, |text| text.language);
    let stores = DigestStores {
        postgres: state.postgres.clone(),
        analytics: state.analytics.clone(),
        zone: state.settings.time_zone,
    };
    let site = &state.settings.api.public_url;
    let now = state.clock.now();
    let reader = (&caller.scope, language);
    let period = (now - TRIAL_PERIOD, now);
    let digest = stores.trial(order, hook, period, reader, site).await?;
    let mut cases = site.clone();
    if let Ok(mut path) = cases.path_segments_mut() {
        path.pop_if_empty().push("actions");
    }
    let name = caller
        .user
        .first_name
        .as_deref()
        .map(str::trim)
        .filter(|name| !name.is_empty());
    Ok(digest.write(language, name.unwrap_or(&caller.user.email), &cases)?)
}
