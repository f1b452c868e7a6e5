//! `POST /UserAccounts/login`.

use std::net::SocketAddr;

use axum::extract::{ConnectInfo, State};
use axum_extra::extract::CookieJar;
use records::tokens::NewToken;
use serde::Deserialize;
use utoipa::ToSchema;

use super::throttle::LoginThrottle;
use super::views::SessionView;
use crate::access::{cookies, passwords, tokens};
use crate::extract::Json;
use crate::failure::{Failure, FailureBody};
use crate::state::ApiState;

/// 14 days (seeds, 'Access token').
const TOKEN_TTL_SECONDS: i64 = 1_209_600;

/// E-mail and password.
#[derive(Deserialize, ToSchema)]
pub(crate) struct Credentials {
    #[serde(default)]
    email: String,
    #[serde(default)]
    password: String,
}

/// Signs in. The token is answered as `id` and set as a cookie that no script can read.
#[utoipa::path(
    post,
    path = "/UserAccounts/login",
    tag = "UserAccounts",
    request_body = Credentials,
    responses(
        (status = 200, body = SessionView, description = "Signed in"),
        (status = 401, body = FailureBody, description = "Wrong e-mail or password; the same answer for both"),
        (status = 422, body = FailureBody, description = "A field is missing"),
        (status = 429, body = FailureBody, description = "Too many failures; Retry-After says how long to wait"),
    ),
)]
pub(crate) async fn login(
    State(state): State<ApiState>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    jar: CookieJar,
    Json(credentials): Json<Credentials>,
) -> Result<(CookieJar, axum::Json<SessionView>), Failure> {
    if credentials.email.trim().is_empty() {
        return Err(Failure::of_field("email", "The email is required"));
    }
    if credentials.password.is_empty() {
        return Err(Failure::of_field("password", "The password is required"));
    }
    let throttle = LoginThrottle::new(&state, credentials.email.trim(), peer.ip());
    throttle.admit().await?;
    let found = records::users::credentials(&state.records, credentials.email.trim()).await?;
    let (known, stored) = found.map_or((None, None), |found| (Some(found.id), found.password_hash));
    let right = passwords::verify(credentials.password, stored).await;
    let Some(user) = known.filter(|_| right) else {
        throttle.failed().await;
        return Err(Failure::LoginFailed);
    };
    throttle.succeeded().await;
    let token = tokens::fresh();
    let created = state.clock.now();
    let new = NewToken {
        digest: &tokens::digest(&token),
        user,
        ttl: TOKEN_TTL_SECONDS,
        scopes: None,
        created,
        impersonation: None,
    };
    records::tokens::create(&state.records, &new).await?;
    tracing::info!(user = user.0, "signed in");
    let view = SessionView {
        id: token.clone(),
        ttl: TOKEN_TTL_SECONDS,
        created,
        user_id: user.0,
    };
    Ok((jar.add(cookies::session(token)), axum::Json(view)))
}
