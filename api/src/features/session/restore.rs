//! `POST /UserAccounts/restore`: back from working as somebody else.

use axum::extract::State;
use axum::http::StatusCode;
use axum_extra::extract::CookieJar;
use postgres::audit::{self, AuditedChange, Event};
use serde_json::json;
use vocabulary::resources::models::USER_ACCOUNT;

use crate::access::{Caller, cookies, tokens};
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// Ends working as somebody else, and puts the administrator's own token back into its cookie, or signs out if that token is no longer valid. A
/// conflict for callers who work as themselves.
#[utoipa::path(
    post,
    path = "/UserAccounts/restore",
    tag = "UserAccounts",
    responses(
        (status = 204, description = "The own session goes on"),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 409, body = FailureBody, description = "Nobody works as somebody else here"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(crate) async fn restore(
    State(state): State<ApiState>,
    jar: CookieJar,
    caller: Caller,
) -> Result<(CookieJar, StatusCode), ApiError> {
    let (Some(_), Some(own)) = (caller.session.impersonated_by, caller.session.parent) else {
        return Err(ApiError::Conflict("You work as yourself.".to_owned()));
    };
    let mut transaction = postgres::begin(&state.postgres).await?;
    postgres::tokens::revoke(&mut *transaction, caller.session.id).await?;
    let done = AuditedChange {
        event: Event::Restore,
        model: USER_ACCOUNT.name,
        target: caller.user.id.to_string(),
        details: json!({}),
    };
    audit::record(&mut *transaction, &caller.audit_actor(), &[done]).await?;
    transaction.commit().await.map_err(postgres::Error::from)?;
    if !caller.by_cookie {
        return Ok((jar, StatusCode::NO_CONTENT));
    }
    let held = jar
        .get(cookies::ADMIN_ACCESS_TOKEN)
        .map(|cookie| cookie.value().to_owned());
    let back = match held {
        Some(token) => postgres::tokens::find(&state.postgres, &tokens::digest(&token))
            .await?
            .filter(|(found, _)| found.id == own)
            .map(|_| cookies::session(token)),
        None => None,
    };
    let jar = jar
        .add(back.unwrap_or_else(|| cookies::cleared(cookies::ACCESS_TOKEN)))
        .add(cookies::cleared(cookies::ADMIN_ACCESS_TOKEN));
    Ok((jar, StatusCode::NO_CONTENT))
}
