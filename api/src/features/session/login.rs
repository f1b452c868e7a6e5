//! Signing in: `POST /UserAccounts/login`.

use axum::extract::{RawQuery, State};
use axum::http::HeaderMap;
use axum_extra::extract::CookieJar;
use chrono::{DateTime, Utc};
use postgres::tokens::{NewToken, TokenId};
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use utoipa::ToSchema;
use vocabulary::UserId;
use vocabulary::resources::brackets::{self, Argument};
use vocabulary::resources::models::USER_ACCOUNT;
use vocabulary::resources::{Filter, date_text};

use super::credentials::Given;
use super::views::SessionView;
use crate::access::{NotExpired, client, comes_from_our_client, cookies, tokens};
use crate::failure::{ApiError, FailureBody};
use crate::resources;
use crate::state::ApiState;

/// E-mail (or user name) and password.
#[derive(Deserialize, Serialize, ToSchema)]
pub(crate) struct Credentials {
    /// The address, exactly as it was given.
    email: Option<String>,
    /// The other name of the account.
    username: Option<String>,
    password: Option<String>,
    /// A code of the app, or a recovery code, where the account has a second factor.
    code: Option<String>,
    /// Seconds the session lives; 14 days unless given.
    ttl: Option<i64>,
}

/// Signs in. The token is answered as `id`, and to a page of this site set as a cookie that no script can read. The language of `Accept-Language` is
/// kept for the user's mails.
#[utoipa::path(
    post,
    path = "/UserAccounts/login",
    tag = "UserAccounts",
    params(("include" = Option<String>, Query, description = "`user` answers the account, too, with what its own `scope` or nested relations ask for")),
    request_body = Credentials,
    responses(
        (status = 200, body = SessionView, description = "Signed in"),
        (status = 400, body = FailureBody, description = "No e-mail or user name"),
        (status = 401, body = FailureBody, description = "Wrong e-mail or password, the same answer for both; `SECOND_FACTOR_REQUIRED` where a code is missing, \
            `SECOND_FACTOR_WRONG` for a wrong one, `SECOND_FACTOR_SET_UP` for an administrator who has to set one up first"),
        (status = 403, body = FailureBody, description = "Sent by a page of another site"),
        (status = 429, body = FailureBody, description = "Too many failures; Retry-After says how long to wait"),
        (status = 503, body = FailureBody, description = "Too many sign in at this moment; Retry-After says how long to wait"),
    ),
)]
pub(crate) async fn login(
    State(state): State<ApiState>,
    jar: CookieJar,
    _: NotExpired,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    given: Given,
) -> Result<(CookieJar, axum::Json<SessionView>), ApiError> {
    let include = user_filter(query.as_deref())?;
    let requested_ttl = tokens::requested_ttl(given.get("ttl"))?;
    let user = given.holder(&state).await?.sign_in(&state).await?;
    let ttl = tokens::ttl(requested_ttl);
    let Opened { token, created, .. } = open(&state, user, ttl, &headers).await?;
    let user_row = match include {
        Some(filter) => Some(resources::own_account(&state, &tokens::digest(&token), filter).await?),
        None => None,
    };
    let view = SessionView {
        id: token.clone(),
        ttl,
        created: date_text(created),
        user_id: user.0,
        user: user_row,
    };
    // A form of another site must not leave a session in the browser.
    if !comes_from_our_client(&headers) {
        return Ok((jar, axum::Json(view)));
    }
    let worked_as_another = jar.get(cookies::ADMIN_ACCESS_TOKEN).is_some();
    let mut jar = jar.add(cookies::session(token));
    if worked_as_another {
        jar = jar.add(cookies::cleared(cookies::ADMIN_ACCESS_TOKEN));
    }
    Ok((jar, axum::Json(view)))
}

/// A new session, with its token.
pub(super) struct Opened {
    pub(super) token: String,
    pub(super) id: TokenId,
    created: DateTime<Utc>,
}

/// Opens a session of a user who has proved to be who they are, for `ttl` seconds. The language of `Accept-Language` is kept for the user's mails.
pub(super) async fn open(state: &ApiState, user: UserId, ttl: i64, headers: &HeaderMap) -> Result<Opened, ApiError> {
    let token = tokens::fresh();
    let created = state.clock.now();
    let new = NewToken {
        digest: &tokens::digest(&token),
        user,
        ttl,
        scopes: None,
        created,
        made_in: None,
        impersonated_by: None,
        user_agent: client::user_agent(headers),
    };
    let id = postgres::tokens::create(&state.postgres, &new).await?;
    if let Some(language) = client::language(headers) {
        postgres::users::set_language(&state.postgres, user, language).await?;
    }
    tracing::info!(user = user.0, "signed in");
    Ok(Opened { token, id, created })
}

/// The filter on the account to answer, from `include=user` in any of the forms that clients write; `None` where the account is not asked for, an
/// error for a filter that cannot be read.
fn user_filter(query: Option<&str>) -> Result<Option<Filter>, ApiError> {
    let pairs = brackets::pairs(query.unwrap_or_default())?;
    let given = match brackets::argument(&pairs, "include")? {
        Argument::None => return Ok(None),
        Argument::Plain(text) => serde_json::from_str(&text).unwrap_or(Json::String(text)),
        Argument::Spelled(json) => json,
        Argument::Twice => pairs
            .into_iter()
            .filter(|(key, _)| key == "include")
            .map(|(_, value)| value)
            .collect(),
    };
    let scope = filter_of_include(&given);
    scope
        .map(|scope| Filter::parse(&USER_ACCOUNT, &scope).map_err(ApiError::from))
        .transpose()
}

/// The filter, as JSON, under which an `include` names the user in any case: in names joined by commas, as `{"relation", "scope"}`, as `{"user":
/// nested}`, or in a list of these, of which the first counts. Null for no filter, `None` when the user is not named.
fn filter_of_include(include: &Json) -> Option<Json> {
    let is_user = |name: &str| name.trim().eq_ignore_ascii_case("user");
    match include {
        Json::String(names) => names.split(',').any(is_user).then_some(Json::Null),
        Json::Array(items) => items.iter().find_map(filter_of_include),
        Json::Object(map) => match map.get("relation").and_then(Json::as_str) {
            Some(name) => is_user(name).then(|| map.get("scope").cloned().unwrap_or_default()),
            None => map
                .iter()
                .find(|(name, _)| is_user(name))
                .map(|(_, nested)| json!({ "include": nested })),
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_account_is_asked_for_in_every_form_of_an_include() {
        for (include, scope) in [
            (json!("user"), Json::Null),
            (json!("USER"), Json::Null),
            (json!(["user"]), Json::Null),
            (json!({"relation": "user"}), Json::Null),
            (json!({"user": "roles"}), json!({"include": "roles"})),
            (
                json!([{"relation": "user", "scope": {"include": "roles"}}]),
                json!({"include": "roles"}),
            ),
        ] {
            assert_eq!(filter_of_include(&include), Some(scope), "{include}");
        }
        for include in [
            json!("nothing"),
            json!({"relation": "roles"}),
            json!({"superuser": true}),
            json!(5),
        ] {
            assert_eq!(filter_of_include(&include), None, "{include}");
        }
    }
}
