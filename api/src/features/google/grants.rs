//! Consents of manager accounts, and the budget of operations.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum_extra::extract::CookieJar;
use chrono::{DateTime, Utc};
use postgres::audit::Event;
use postgres::google::{self, SignIn, StoredGrant};
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;

use super::client;
use super::consent::{self, SignInView};
use super::grant_tokens::take_back;
use crate::access::Administrator;
use crate::extract::Path;
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// The manager accounts.
#[derive(Serialize, ToSchema)]
pub(super) struct GoogleGrantsView {
    data: Vec<GoogleGrantView>,
    /// Whether the settings name a client, so that somebody can be connected.
    ready: bool,
}

/// A manager account that an administrator connected.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct GoogleGrantView {
    id: i64,
    /// The account at Google.
    email: Option<String>,
    /// `ok`, `failing` or `revoked`.
    status: String,
    last_error: Option<String>,
    checked_at: DateTime<Utc>,
}

impl From<StoredGrant> for GoogleGrantView {
    fn from(grant: StoredGrant) -> Self {
        Self {
            id: grant.id,
            email: grant.email,
            status: grant.status,
            last_error: grant.last_error,
            checked_at: grant.checked_at,
        }
    }
}

/// The manager accounts that are connected.
#[utoipa::path(
    get, path = "/google/grants", tag = "Google",
    responses(
        (status = 200, body = GoogleGrantsView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn list_grants(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
) -> Result<Json<GoogleGrantsView>, ApiError> {
    let found = google::of_managers(&state.postgres, &caller.scope).await?;
    Ok(Json(GoogleGrantsView {
        data: found.into_iter().map(GoogleGrantView::from).collect(),
        ready: client(&state)?.is_set_up(),
    }))
}

/// Begins to connect a manager account: the page of Google to send the browser to. It comes back to `/api/google/oauth/callback` within ten minutes.
#[utoipa::path(
    post, path = "/google/grants", tag = "Google",
    responses(
        (status = 200, body = SignInView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 409, body = FailureBody, description = "The settings name no client of Google"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn begin_grant(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    cookies: CookieJar,
) -> Result<(CookieJar, Json<SignInView>), ApiError> {
    let user = Some(caller.user.id.0);
    consent::begin(&state, cookies, &[::google::ADS_SCOPE], |verifier| SignIn {
        verifier,
        item: None,
        user,
    })
    .await
}

/// Disconnects a manager account, here and at Google. Its items keep their figures.
#[utoipa::path(
    delete, path = "/google/grants/{id}", tag = "Google",
    params(("id" = i64, Path, description = "Id of the grant")),
    responses(
        (status = 204),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 404, body = FailureBody, description = "No such grant"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn remove_grant(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    Path(id): Path<i64>,
) -> Result<StatusCode, ApiError> {
    let mut tx = postgres::begin(&state.postgres).await?;
    let sealed = google::remove_grant(&mut *tx, &caller.scope, id).await?;
    let sealed = sealed.ok_or_else(|| ApiError::NoRow(format!("could not find a model with id {id}")))?;
    caller
        .record(&mut tx, (Event::Remove, "GoogleGrant"), id, json!({}))
        .await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    take_back(&state, &sealed).await;
    Ok(StatusCode::NO_CONTENT)
}

/// What was asked of Google Ads in the last 24 hours.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct GoogleBudgetView {
    operations: i64,
    /// What the access level allows; 0: without limit.
    limit: u32,
    /// Calls that a limit refused.
    refused: i64,
    /// Until when nothing is asked of Google Ads.
    paused_until: Option<DateTime<Utc>>,
    paused_because: Option<String>,
    /// The version of the Google Ads API, and its last day.
    version: String,
    version_ends: chrono::NaiveDate,
    /// Whether changes at Google are made, or only checked.
    mutations: bool,
}

/// The operations of Google Ads in the last 24 hours, of the whole project.
#[utoipa::path(
    get, path = "/google/budget", tag = "Google",
    responses(
        (status = 200, body = GoogleBudgetView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn show_budget(
    State(state): State<ApiState>,
    _administrator: Administrator,
) -> Result<Json<GoogleBudgetView>, ApiError> {
    let usage = google::usage(&state.postgres, state.clock.now()).await?;
    let settings = &state.settings.google;
    Ok(Json(GoogleBudgetView {
        operations: usage.operations,
        limit: settings.daily_operations,
        refused: usage.refused,
        paused_until: usage.paused_until,
        paused_because: usage.paused_because,
        version: settings.version.clone(),
        version_ends: settings.version_ends,
        mutations: settings.mutations,
    }))
}
