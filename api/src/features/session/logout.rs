//! `POST /UserAccounts/logout`.

use axum::extract::State;
use axum::http::StatusCode;
use axum_extra::extract::CookieJar;

use crate::access::{Caller, cookies};
use crate::failure::{Failure, FailureBody};
use crate::state::ApiState;

/// Ends the session and clears both cookies.
#[utoipa::path(
    post,
    path = "/UserAccounts/logout",
    tag = "UserAccounts",
    responses((status = 204, description = "Signed out"), (status = 401, body = FailureBody, description = "No session")),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(crate) async fn logout(
    State(state): State<ApiState>,
    jar: CookieJar,
    caller: Result<Caller, Failure>,
) -> Result<(CookieJar, StatusCode), Failure> {
    let caller = caller.map_err(|failure| match failure {
        Failure::NotSignedIn => Failure::Coded(
            StatusCode::UNAUTHORIZED,
            "",
            "accessToken is required to logout".to_owned(),
        ),
        other => other,
    })?;
    records::tokens::revoke(&state.records, caller.session.id).await?;
    let jar = jar
        .add(cookies::gone(cookies::ACCESS_TOKEN))
        .add(cookies::gone(cookies::ADMIN_ACCESS_TOKEN));
    Ok((jar, StatusCode::NO_CONTENT))
}
