//! The own sessions: `GET /sessions`, `DELETE /sessions/{id}` and `DELETE /sessions`.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use chrono::{DateTime, Utc};
use postgres::tokens::{self, SessionInfo, TokenId};
use serde::Serialize;
use utoipa::ToSchema;

use super::device::Device;
use crate::access::Caller;
use crate::extract::Path;
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// A session of the caller.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct OwnSessionView {
    id: i32,
    /// The browser or program, where it is a known one.
    program: Option<&'static str>,
    /// The system it runs on, where it is a known one.
    system: Option<&'static str>,
    /// Whether it is a phone or a tablet.
    handheld: bool,
    /// When it signed in.
    created: DateTime<Utc>,
    /// When a request last came from it, to the minute.
    last_used: Option<DateTime<Utc>>,
    /// When it ends by itself.
    expires: DateTime<Utc>,
    /// Whether this request comes from it.
    current: bool,
}

impl OwnSessionView {
    /// A session as answered, with the program and system that its user agent names; `current` is the session of the request.
    fn new(session: &SessionInfo, current: TokenId) -> Self {
        let device = Device::from_user_agent(session.user_agent.as_deref().unwrap_or_default());
        Self {
            id: session.id.0,
            program: device.program,
            system: device.system,
            handheld: device.handheld,
            created: session.created,
            last_used: session.last_used,
            expires: session.expires_at,
            current: session.id == current,
        }
    }
}

/// Passes the caller on, or refuses with `Forbidden` while an administrator works as this user: sessions are that person's own affair.
pub(super) fn oneself(caller: Caller) -> Result<Caller, ApiError> {
    if caller.is_impersonated() {
        return Err(ApiError::Forbidden);
    }
    Ok(caller)
}

/// The sessions of the caller that have neither ended nor been idle too long, the last used first. Refused while working as somebody else.
#[utoipa::path(
    get, path = "/sessions", tag = "UserAccounts",
    responses(
        (status = 200, body = Vec<OwnSessionView>),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "While working as somebody else"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn list_sessions(
    State(state): State<ApiState>,
    caller: Caller,
) -> Result<Json<Vec<OwnSessionView>>, ApiError> {
    let caller = oneself(caller)?;
    let sessions = tokens::sessions(&state.postgres, caller.user.id, state.clock.now()).await?;
    let used_since = state.settings.api.session_idle().map(|idle| state.clock.now() - idle);
    let views = sessions
        .iter()
        .filter(|session| used_since.is_none_or(|since| session.last_used.unwrap_or(session.created) > since))
        .map(|session| OwnSessionView::new(session, caller.session.id));
    Ok(Json(views.collect()))
}

/// Ends one session of the caller, even the present one; 404 if the caller has no such session. Refused while working as somebody else.
#[utoipa::path(
    delete, path = "/sessions/{id}", tag = "UserAccounts",
    params(("id" = i32, Path, description = "The session")),
    responses(
        (status = 204, description = "Ended"),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "While working as somebody else"),
        (status = 404, body = FailureBody, description = "The caller has no such session"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn end_session(
    State(state): State<ApiState>,
    caller: Caller,
    Path(id): Path<i32>,
) -> Result<StatusCode, ApiError> {
    let caller = oneself(caller)?;
    if tokens::end_session(&state.postgres, caller.user.id, TokenId(id)).await? {
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(ApiError::NotFound(format!("Session {id} is not there")))
    }
}

/// Ends every session of the caller but this one, and every link to choose a new password. API keys stay.
#[utoipa::path(
    delete, path = "/sessions", tag = "UserAccounts",
    responses(
        (status = 204, description = "Ended"),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "While working as somebody else"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn end_other_sessions(State(state): State<ApiState>, caller: Caller) -> Result<StatusCode, ApiError> {
    let caller = oneself(caller)?;
    tokens::end_other_sessions(&state.postgres, caller.user.id, Some(caller.session.id)).await?;
    Ok(StatusCode::NO_CONTENT)
}
