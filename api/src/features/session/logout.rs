//! Signing out: `POST /UserAccounts/logout`.

use axum::extract::State;
use axum::http::StatusCode;
use axum_extra::extract::CookieJar;
use postgres::tokens::TokenId;

use crate::access::{Caller, cookies, tokens};
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// Ends the session and clears both cookies. An administrator who works as somebody else and holds both is signed out altogether.
#[utoipa::path(
    post,
    path = "/UserAccounts/logout",
    tag = "UserAccounts",
    responses(
        (status = 204, description = "Signed out"),
        (status = 401, body = FailureBody, description = "No session"),
        (status = 403, body = FailureBody, description = "A cookie that another site may have sent"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(crate) async fn logout(
    State(state): State<ApiState>,
    jar: CookieJar,
    caller: Result<Caller, ApiError>,
) -> Result<(CookieJar, StatusCode), ApiError> {
    let caller = caller.map_err(|failure| match failure {
        ApiError::NotSignedIn => ApiError::Coded(
            StatusCode::UNAUTHORIZED,
            "",
            "accessToken is required to logout".to_owned(),
        ),
        other => other,
    })?;
    let own = own_session(&state, &jar, &caller).await?;
    postgres::tokens::revoke(&state.postgres, own.unwrap_or(caller.session.id)).await?;
    let jar = jar
        .add(cookies::cleared(cookies::ACCESS_TOKEN))
        .add(cookies::cleared(cookies::ADMIN_ACCESS_TOKEN));
    Ok((jar, StatusCode::NO_CONTENT))
}

/// The administrator's own session, from the second cookie of a caller signed in by cookie, if the caller's session was created in it: nobody could
/// end it afterwards, and the caller's session ends with it. Else `None`.
async fn own_session(state: &ApiState, jar: &CookieJar, caller: &Caller) -> Result<Option<TokenId>, ApiError> {
    let Some(held) = jar.get(cookies::ADMIN_ACCESS_TOKEN).filter(|_| caller.by_cookie) else {
        return Ok(None);
    };
    let found = postgres::tokens::find(&state.postgres, &tokens::digest(held.value())).await?;
    Ok(found
        .map(|(token, _)| token.id)
        .filter(|id| caller.session.parent == Some(*id)))
}
