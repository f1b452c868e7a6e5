//! Whether an address is its owner's: `POST /UserAccounts/{id}/verify` and `GET /UserAccounts/confirm`.

use axum::extract::{RawQuery, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use vocabulary::resources::brackets;
use vocabulary::{MailKind, UserId};

use super::arguments::missing;
use super::throttle::{CountedAttempt, ThrottledAction};
use crate::access::proofs::digest_of_proof;
use crate::access::{ClientAddress, client, notice};
use crate::failure::{ApiError, FailureBody};
use crate::resources::{self, Call};
use crate::state::ApiState;

/// The page for a link that proves nothing.
const REFUSED_PAGE: &str = "/confirm/failed";

/// Queues a mail with a link that proves the address of the account in the path. Throttled by account and by client address; every request counts.
#[utoipa::path(
    post,
    path = "/UserAccounts/{id}/verify",
    tag = "UserAccounts",
    params(("id" = String, Path, description = "The account, or `me`")),
    responses(
        (status = 204, description = "A mail is on its way"),
        (status = 400, body = FailureBody, description = "No id"),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 404, body = FailureBody, description = "There is no such account within sight"),
        (status = 429, body = FailureBody, description = "Too many mails; Retry-After says how long to wait"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(crate) async fn verify(
    State(state): State<ApiState>,
    ClientAddress(address): ClientAddress,
    request: Request,
) -> Result<StatusCode, ApiError> {
    let language = client::language(request.headers());
    let call = Call::read(state.clone(), request).await?;
    let user = resources::account_in_path(&call).await?;
    // An administrator's language is not that of the account.
    let language = language.filter(|_| call.caller().user.id == user && !call.caller().is_impersonated());
    // Every request counts, so nothing is given back.
    CountedAttempt::reserve(&state, ThrottledAction::Verify, &user.to_string(), address).await?;
    let mut transaction = postgres::begin(&state.postgres).await?;
    notice::notify(&mut transaction, user, MailKind::Verify, language).await?;
    transaction.commit().await.map_err(postgres::Error::from)?;
    Ok(StatusCode::NO_CONTENT)
}

/// Takes the proof. Leads on to `redirect`, a path of this site. A person whose link proves nothing is led to a page that says so.
#[utoipa::path(
    get,
    path = "/UserAccounts/confirm",
    tag = "UserAccounts",
    params(
        ("uid" = String, Query, description = "The account"),
        ("token" = String, Query, description = "The proof"),
        ("redirect" = Option<String>, Query, description = "A path of this site"),
    ),
    responses(
        (status = 204, description = "Confirmed"),
        (status = 302, description = "Confirmed; goes on to the path. Not confirmed, and `Accept` asks for a page: goes on to one that says so"),
        (status = 400, body = FailureBody, description = "An argument is missing, or the link proves nothing: it was used, is too old, or is none"),
    ),
)]
pub(crate) async fn confirm(
    State(state): State<ApiState>,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Result<Response, ApiError> {
    match take_proof(&state, query).await {
        Err(refused) if refused.is_of_the_request() && asks_for_a_page(&headers) => Ok(lead_to(REFUSED_PAGE)),
        answer => answer,
    }
}

/// Confirms the address of the account `uid` with the proof `token`, and redirects to `redirect`, if given, else answers 204. A `BadRequest` for an
/// argument that is missing or wrong; INVALID_TOKEN when the proof is not that of the account, was used or is too old.
async fn take_proof(state: &ApiState, query: Option<String>) -> Result<Response, ApiError> {
    let pairs = brackets::pairs(query.as_deref().unwrap_or_default())?;
    let find = |name: &str| {
        pairs
            .iter()
            .find(|(key, value)| key == name && !value.is_empty())
            .map(|(_, value)| value.as_str())
    };
    let uid = find("uid").ok_or_else(|| missing("uid"))?;
    let token = find("token").ok_or_else(|| missing("token"))?;
    let redirect = find("redirect");
    if redirect.is_some_and(|path| !is_own_path(path)) {
        return Err(ApiError::BadRequest(
            "redirect must be a path of this site, such as /login".to_owned(),
        ));
    }
    let now = state.clock.now();
    let confirmed = match uid.parse() {
        Ok(user) => postgres::users::confirm(&state.postgres, UserId(user), &digest_of_proof(token), now).await?,
        Err(_) => false,
    };
    if !confirmed {
        // The same whether there is such an account or not.
        let text = format!("Invalid token: {token}");
        return Err(ApiError::Coded(StatusCode::BAD_REQUEST, "INVALID_TOKEN", text));
    }
    Ok(match redirect {
        Some(path) => lead_to(path),
        None => StatusCode::NO_CONTENT.into_response(),
    })
}

/// Whether `Accept` names HTML, as browsers do; programs ask for JSON or name nothing.
fn asks_for_a_page(headers: &HeaderMap) -> bool {
    let accepted = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
    accepted.is_some_and(|accepted| accepted.contains("text/html"))
}

/// A redirect (302) to a path of this site.
fn lead_to(path: &str) -> Response {
    (StatusCode::FOUND, [(header::LOCATION, path.to_owned())]).into_response()
}

/// Whether a path is one of this site: it has exactly one slash at the start, and nothing that a browser reads as another host (decision D19).
pub(super) fn is_own_path(path: &str) -> bool {
    path.starts_with('/')
        && !path.starts_with("//")
        && !path.chars().any(|letter| letter == '\\' || letter.is_control())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_of_this_site_are_led_on_to() {
        assert!(is_own_path("/welcome?a=b"));
        for other in [
            "//evil.example",
            "/\\evil.example",
            "https:evil.example",
            "/\tevil",
            "javascript:alert(1)",
            "",
        ] {
            assert!(!is_own_path(other), "{other}");
        }
    }
}
