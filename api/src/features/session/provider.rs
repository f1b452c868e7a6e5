//! Signing in with the provider of OpenID Connect that the settings name: `/sign-in/provider`.

use std::net::IpAddr;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum_extra::extract::CookieJar;
use chrono::{DateTime, TimeDelta, Utc};
use openid::{Attempt, Client, Identity, OpenIdError};
use postgres::provider_identities as identities;
use runtime::sealing::Keys;
use serde::{Deserialize, Serialize};
use url::Url;
use utoipa::{IntoParams, ToSchema};
use vocabulary::UserId;

use super::login;
use super::throttle::counts_provider_attempt;
use super::verify::is_own_path;
use crate::access::{ClientAddress, cookies, tokens};
use crate::extract::Query;
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// Where the provider sends browsers back to.
const CALLBACK: &str = "/api/sign-in/provider/callback";
/// Keeps the secrets of an attempt, sealed, in the browser that began it.
const COOKIE: &str = "provider_sign_in";
/// No other path brings that cookie.
const KEPT: (&str, &str) = (COOKIE, CALLBACK);
const SEALED_AS: &str = "cookie.provider_sign_in";
/// From the way to the provider until the way back.
const ATTEMPT: TimeDelta = TimeDelta::minutes(10);
const LOGIN_PAGE: &str = "/login";

/// Whether users may sign in with a provider.
#[derive(Serialize, ToSchema)]
pub(super) struct ProviderView {
    /// What it is called; null where the settings name none.
    label: Option<String>,
}

/// Tells the sign-in page of the provider.
#[utoipa::path(
    get, path = "/sign-in/provider", tag = "UserAccounts",
    responses((status = 200, body = ProviderView)),
)]
pub(super) async fn provider(State(state): State<ApiState>) -> Json<ProviderView> {
    let settings = &state.settings.openid;
    let host = || settings.issuer.as_ref()?.host_str().map(ToOwned::to_owned);
    Json(ProviderView {
        label: settings
            .issuer
            .as_ref()
            .and_then(|_| settings.label.clone().or_else(host)),
    })
}

/// Where the browser goes after the sign-in.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct StartParams {
    /// A path of this site; home without one.
    redirect: Option<String>,
}

/// An attempt as the browser keeps it.
#[derive(Serialize, Deserialize)]
struct KeptAttempt {
    attempt: Attempt,
    redirect: Option<String>,
    ends: DateTime<Utc>,
}

/// Leads the browser to the provider.
#[utoipa::path(
    get, path = "/sign-in/provider/start", tag = "UserAccounts", params(StartParams),
    responses(
        (status = 303, description = "To the provider; to the sign-in page, which says why, where the provider does not answer or too many have asked"),
        (status = 404, body = FailureBody, description = "The settings name no provider"),
    ),
)]
pub(super) async fn start(
    State(state): State<ApiState>,
    ClientAddress(address): ClientAddress,
    cookies: CookieJar,
    Query(given): Query<StartParams>,
) -> Result<Response, ApiError> {
    let attempt = Attempt::fresh();
    let there = match way_there(&state, &attempt, address).await? {
        Ok(there) => there,
        Err(ended) => return Ok(refuse(&state, cookies, ended)),
    };
    let kept = KeptAttempt {
        attempt,
        redirect: given.redirect.filter(|path| is_own_path(path)),
        ends: state.clock.now() + ATTEMPT,
    };
    let text = serde_json::to_string(&kept).map_err(ApiError::internal)?;
    let sealed = Keys::read(state.settings.secrets.keys.as_ref())?.seal(SEALED_AS, &text)?;
    let cookies = cookies.add(cookies::across_sites(&state, KEPT, sealed, ATTEMPT));
    Ok((StatusCode::SEE_OTHER, cookies, [(header::LOCATION, there.to_string())]).into_response())
}

/// The address at the provider that the browser goes to.
async fn way_there(state: &ApiState, attempt: &Attempt, address: IpAddr) -> Result<Result<Url, Ended>, ApiError> {
    let issuer = issuer(state)?;
    if !counts_provider_attempt(state, address).await {
        return Ok(Err(Ended::Busy));
    }
    let back = callback(state)?;
    let there = async { client(state, issuer)?.way_there(&back, attempt).await };
    Ok(there.await.map_err(|error| Ended::from_error(&error)))
}

/// What the provider sends back.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct AnswerParams {
    /// What the attempt began with.
    state: Option<String>,
    /// What is redeemed for an ID token.
    code: Option<String>,
    /// Why there is none.
    error: Option<String>,
}

/// Why nobody is signed in, as the sign-in page knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ended {
    /// The person has refused, or was refused by the provider.
    Denied,
    /// The answer belongs to no attempt of this browser, or comes too late.
    Stale,
    /// No account here has the person's verified address.
    Unknown,
    /// The provider does not answer as it should, or the settings do not lead to it.
    Failed,
    /// Too many attempts came from this address.
    Busy,
}

impl Ended {
    const fn name(self) -> &'static str {
        match self {
            Self::Denied => "denied",
            Self::Stale => "stale",
            Self::Unknown => "unknown",
            Self::Failed => "failed",
            Self::Busy => "busy",
        }
    }

    /// Logs the error, whose cause is for operators alone.
    fn from_error(error: &OpenIdError) -> Self {
        tracing::warn!(%error, "a sign-in with the provider came to nothing");
        Self::Failed
    }
}

/// Takes the answer of the provider: redeems the code, and signs in the account of that person. The first time, it is the account with the person's address, if the
/// provider has verified it; afterwards the person keeps that account, whatever becomes of addresses.
#[utoipa::path(
    get, path = "/sign-in/provider/callback", tag = "UserAccounts", params(AnswerParams),
    responses(
        (status = 303, description = "Signed in, to where the browser was to go; else to the sign-in page, which says why not"),
        (status = 404, body = FailureBody, description = "The settings name no provider"),
    ),
)]
pub(super) async fn take_answer(
    State(state): State<ApiState>,
    ClientAddress(address): ClientAddress,
    cookies: CookieJar,
    headers: HeaderMap,
    Query(answer): Query<AnswerParams>,
) -> Result<Response, ApiError> {
    let issuer = issuer(&state)?;
    let kept = cookies.get(COOKIE).and_then(|cookie| open(&state, cookie.value()));
    let (Some(kept), Some(given)) = (kept, &answer.state) else {
        return Ok(refuse(&state, cookies, Ended::Stale));
    };
    if !kept.attempt.is_answered_by(given) || kept.ends <= state.clock.now() {
        return Ok(refuse(&state, cookies, Ended::Stale));
    }
    let Some(code) = answer.code.as_deref().filter(|_| answer.error.is_none()) else {
        tracing::info!(error = answer.error, "the provider has signed nobody in");
        return Ok(refuse(&state, cookies, Ended::Denied));
    };
    match person(&state, issuer, (code, &kept.attempt), address).await? {
        Ok(user) => {
            let token = sign_in(&state, user, &headers).await?;
            let target = kept.redirect.unwrap_or_else(|| "/".to_owned());
            let cookies = cookies
                .add(cookies::across_sites(&state, KEPT, String::new(), TimeDelta::zero()))
                .add(cookies::cleared(cookies::ADMIN_ACCESS_TOKEN))
                .add(cookies::session(token));
            Ok((StatusCode::SEE_OTHER, cookies, [(header::LOCATION, target)]).into_response())
        }
        Err(ended) => Ok(refuse(&state, cookies, ended)),
    }
}

/// The account of the person who has signed in at the provider.
async fn person(
    state: &ApiState,
    issuer: &Url,
    (code, attempt): (&str, &Attempt),
    address: IpAddr,
) -> Result<Result<UserId, Ended>, ApiError> {
    if !counts_provider_attempt(state, address).await {
        return Ok(Err(Ended::Busy));
    }
    let back = callback(state)?;
    let identity = async {
        let client = client(state, issuer)?;
        client.identity(&back, code, attempt, state.clock.now()).await
    };
    match identity.await {
        Ok(identity) => account(state, issuer, &identity).await,
        Err(error) => Ok(Err(Ended::from_error(&error))),
    }
}

/// The account of a person: the one that they have, or the one with their verified address, which is nobody else's of the provider.
async fn account(state: &ApiState, issuer: &Url, identity: &Identity) -> Result<Result<UserId, Ended>, ApiError> {
    let person = (openid::name_of(issuer), identity.subject.as_str());
    if let Some(user) = identities::account(&state.postgres, person).await? {
        return Ok(Ok(user));
    }
    let Some(email) = &identity.verified_email else {
        tracing::info!("a person without a verified address has no account");
        return Ok(Err(Ended::Unknown));
    };
    let Some(found) = postgres::users::credentials(&state.postgres, email).await? else {
        return Ok(Err(Ended::Unknown));
    };
    if identities::link(&state.postgres, person, found.id, state.clock.now()).await? {
        tracing::info!(
            user = found.id.0,
            "an account is that of a person of the provider from now on"
        );
        return Ok(Ok(found.id));
    }
    // Two answers for one person may come at once.
    let user = identities::account(&state.postgres, person).await?;
    Ok(user.ok_or(Ended::Unknown))
}

/// Signs a user in, for whom the provider has vouched.
async fn sign_in(state: &ApiState, user: UserId, headers: &HeaderMap) -> Result<String, ApiError> {
    let opened = login::open(state, user, tokens::DEFAULT_TTL_SECONDS, headers).await?;
    postgres::tokens::note_provider(&state.postgres, opened.id).await?;
    Ok(opened.token)
}

/// The provider; `NotFound` where the settings name none.
fn issuer(state: &ApiState) -> Result<&Url, ApiError> {
    let issuer = state.settings.openid.issuer.as_ref();
    issuer.ok_or_else(|| ApiError::NotFound("There is no provider to sign in with".to_owned()))
}

/// This site as a client of the provider.
fn client(state: &ApiState, issuer: &Url) -> Result<Client, OpenIdError> {
    let settings = &state.settings.openid;
    Client::new(issuer, &settings.client_id, settings.client_secret.expose())
}

/// The attempt that a browser has kept; `None` for what this server did not seal.
fn open(state: &ApiState, sealed: &str) -> Option<KeptAttempt> {
    let keys = Keys::read(state.settings.secrets.keys.as_ref()).ok()?;
    serde_json::from_str(&keys.open(SEALED_AS, sealed).ok()?).ok()
}

/// The address that the provider sends browsers back to: always ours.
fn callback(state: &ApiState) -> Result<Url, ApiError> {
    state.settings.api.public_url.join(CALLBACK).map_err(ApiError::internal)
}

/// Leads to the sign-in page, which says why nobody is signed in, and ends the attempt.
fn refuse(state: &ApiState, cookies: CookieJar, ended: Ended) -> Response {
    let cookies = cookies.add(cookies::across_sites(state, KEPT, String::new(), TimeDelta::zero()));
    let target = format!("{LOGIN_PAGE}#{}", ended.name());
    (StatusCode::SEE_OTHER, cookies, [(header::LOCATION, target)]).into_response()
}
