//! Sending people to Google, and what comes back.

use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum_extra::extract::CookieJar;
use chrono::TimeDelta;
use google::{ADS_SCOPE, GoogleError, GrantKey, SEARCH_CONSOLE_SCOPE};
use postgres::google::{self as stored, GrantKind, NewGrant, SignIn};
use runtime::sealing::Keys;
use serde::{Deserialize, Serialize};
use url::Url;
use utoipa::{IntoParams, ToSchema};
use vocabulary::{Scope, UserId};

use super::client;
use super::grant_tokens::{SCOPE, seal, take_back};
use super::tree::read_tree;
use crate::access::{cookies, tokens};
use crate::extract::Query;
use crate::failure::ApiError;
use crate::state::ApiState;

/// How long a person may take at Google.
const SIGN_IN: TimeDelta = TimeDelta::minutes(10);
/// Binds a sign-in to the browser that began it. Google sends the browser back from another site, so it cannot be the session's cookie.
const COOKIE: &str = "google_sign_in";
/// Where Google sends the browser back to.
const CALLBACK: &str = "/api/google/oauth/callback";
/// The page for those who were invited.
const INVITED_PAGE: &str = "/google-invitation";
/// The page for administrators.
const ADMIN_PAGE: &str = "/google-connect";

/// Where to send the browser.
#[derive(Serialize, ToSchema)]
pub(super) struct SignInView {
    data: SignInTargetView,
}

/// A page of Google.
#[derive(Serialize, ToSchema)]
struct SignInTargetView {
    url: String,
}

/// Begins a sign-in for these scopes, kept for [`SIGN_IN`] and bound to this browser.
pub(super) async fn begin(
    state: &ApiState,
    cookies: CookieJar,
    scopes: &[&str],
    sign_in: impl FnOnce(String) -> SignIn,
) -> Result<(CookieJar, Json<SignInView>), ApiError> {
    let consent = client(state)?
        .consent(scopes, &callback(state)?)
        .map_err(super::failed)?;
    let secret = tokens::fresh();
    let digests = (tokens::digest(&consent.state), tokens::digest(&secret));
    let until = state.clock.now() + SIGN_IN;
    stored::begin_sign_in(&state.postgres, &SCOPE, digests, &sign_in(consent.verifier), until).await?;
    let cookie = cookies::across_sites(state, (COOKIE, CALLBACK), secret, SIGN_IN);
    let url = consent.url.to_string();
    let data = SignInTargetView { url };
    Ok((cookies.add(cookie), Json(SignInView { data })))
}

/// What Google sends back.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct AnswerParams {
    /// What the sign-in began with.
    state: Option<String>,
    /// What is exchanged for a grant.
    code: Option<String>,
    /// Why there is none.
    error: Option<String>,
}

/// Why a consent came to nothing, as the pages know it.
#[derive(Clone, Copy, Debug)]
enum Ended {
    Ok,
    Denied,
    /// The state is unknown, used, too old, or of another browser.
    Stale,
    /// Not all that was asked was given.
    InPart,
    /// The account does not have the site.
    WrongAccount,
    /// The invitation was used or replaced meanwhile.
    Used,
    Failed,
}

impl Ended {
    const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Denied => "denied",
            Self::Stale => "stale",
            Self::InPart => "part",
            Self::WrongAccount => "account",
            Self::Used => "used",
            Self::Failed => "failed",
        }
    }
}

/// Takes the answer of Google: exchanges the code, stores the grant, and sends the browser to the page that says how it went. A state is used once.
#[utoipa::path(
    get, path = "/google/oauth/callback", tag = "Google", params(AnswerParams),
    responses((status = 303, description = "To the page that says how it went")),
)]
pub(super) async fn take_answer(
    State(state): State<ApiState>,
    cookies: CookieJar,
    Query(answer): Query<AnswerParams>,
) -> Result<Response, ApiError> {
    let browser = cookies.get(COOKIE).map(|cookie| tokens::digest(cookie.value()));
    let digest = answer.state.as_deref().map(tokens::digest);
    let sign_in = match (digest, browser) {
        (Some(digest), Some(browser)) => {
            stored::take_sign_in(&state.postgres, &SCOPE, (digest, browser), state.clock.now()).await?
        }
        _ => None,
    };
    let cookies = cookies.add(cookies::across_sites(
        &state,
        (COOKIE, CALLBACK),
        String::new(),
        TimeDelta::zero(),
    ));
    let Some(sign_in) = sign_in else {
        return Ok(send(cookies, INVITED_PAGE, Ended::Stale));
    };
    let page = if sign_in.item.is_some() {
        INVITED_PAGE
    } else {
        ADMIN_PAGE
    };
    let ended = match (&answer.code, &answer.error) {
        (Some(code), None) => finish(&state, &sign_in, code).await?,
        (_, Some(error)) if error == "access_denied" => Ended::Denied,
        _ => Ended::Failed,
    };
    Ok(send(cookies, page, ended))
}

/// Exchanges the code of a sign-in and stores what was granted.
async fn finish(state: &ApiState, sign_in: &SignIn, code: &str) -> Result<Ended, ApiError> {
    let wanted = if sign_in.item.is_some() {
        SEARCH_CONSOLE_SCOPE
    } else {
        ADS_SCOPE
    };
    let google_client = client(state)?;
    let granted = google_client
        .exchange(code, &sign_in.verifier, &callback(state)?, &[wanted])
        .await;
    let granted = match granted {
        Ok(granted) => granted,
        Err(GoogleError::ConsentInPart(_)) => return Ok(Ended::InPart),
        Err(error) => {
            tracing::warn!(%error, "a consent at Google came to nothing");
            return Ok(Ended::Failed);
        }
    };
    let keys = Keys::read(state.settings.secrets.keys.as_ref()).map_err(ApiError::internal)?;
    let sealed = seal(&keys, &granted.refresh_token)?;
    let new = NewGrant {
        kind: if sign_in.item.is_some() {
            GrantKind::Item
        } else {
            GrantKind::Manager
        },
        email: granted.email.as_deref(),
        scopes: &granted.scopes,
        refresh_token: &sealed,
    };
    let ended = match (sign_in.item, sign_in.user) {
        (Some(item), _) => of_item(state, item, &new, &granted.refresh_token).await?,
        (None, Some(user)) => of_manager(state, UserId(user), &new, &granted.refresh_token).await?,
        (None, None) => Ended::Stale,
    };
    if !matches!(ended, Ended::Ok) {
        // Nothing is kept of a consent that is of no use.
        take_back(state, &sealed).await;
    }
    Ok(ended)
}

/// Stores the grant of a manager account and reads which customers it reaches.
async fn of_manager(state: &ApiState, user: UserId, new: &NewGrant<'_>, token: &str) -> Result<Ended, ApiError> {
    let mut tx = postgres::begin(&state.postgres).await?;
    let scope = Scope::administrator(user);
    let id = stored::add_grant(&mut tx, &scope, new, state.clock.now()).await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    if let Err(error) = read_tree(state, (id, token.to_owned())).await {
        // The grant is there; its customers can be read again.
        error.log();
    }
    Ok(Ended::Ok)
}

/// Gives an item the site that fits its domain, if the account has it.
async fn of_item(state: &ApiState, item: i32, new: &NewGrant<'_>, token: &str) -> Result<Ended, ApiError> {
    let found = stored::get_item(&state.postgres, &SCOPE, item).await?;
    let Some(domain) = found.and_then(|item| item.domain) else {
        return Ok(Ended::Used);
    };
    // Not stored yet: an id that no row has, so that its access token is nobody else's.
    let key = GrantKey {
        id: 0,
        refresh_token: token.to_owned(),
    };
    let sites = match client(state)?.account(key, None).sites().await {
        Ok(sites) => sites,
        Err(error) => {
            tracing::warn!(%error, "the sites of a consent could not be read");
            return Ok(Ended::Failed);
        }
    };
    let site = sites
        .into_iter()
        .map(|site| site.url)
        .filter(|site| is_of(site, &domain))
        .min_by_key(|site| {
            // The whole domain before one address of it.
            (!site.starts_with("sc-domain:"), site.len())
        });
    let Some(site) = site else {
        return Ok(Ended::WrongAccount);
    };
    let now = state.clock.now();
    let mut tx = postgres::begin(&state.postgres).await?;
    let grant = stored::add_grant(&mut tx, &SCOPE, new, now).await?;
    let attached = stored::attach_site(&mut tx, &SCOPE, (item, grant), (&site, new.scopes), now).await?;
    let Some(before) = attached else {
        return Ok(Ended::Used);
    };
    tx.commit().await.map_err(postgres::Error::from)?;
    if let Some(before) = before {
        take_back(state, &before).await;
    }
    Ok(Ended::Ok)
}

/// Whether a property of Search Console is of a domain: the domain itself or a host below it.
fn is_of(site: &str, domain: &str) -> bool {
    let domain = domain.trim_start_matches("www.");
    let host = match site.strip_prefix("sc-domain:") {
        Some(host) => Some(host.to_owned()),
        None => Url::parse(site).ok().and_then(|url| url.host_str().map(str::to_owned)),
    };
    host.is_some_and(|host| host == domain || host.ends_with(&format!(".{domain}")))
}

/// The address that Google sends browsers back to: always ours.
fn callback(state: &ApiState) -> Result<Url, ApiError> {
    state.settings.api.public_url.join(CALLBACK).map_err(ApiError::internal)
}

fn send(cookies: CookieJar, page: &str, ended: Ended) -> Response {
    let target = format!("{page}?result={}", ended.name());
    (StatusCode::SEE_OTHER, cookies, [(header::LOCATION, target)]).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_property_fits_the_domain_and_what_is_below_it() {
        for (site, fits) in [
            ("sc-domain:brand.example", true),
            ("https://www.brand.example/", true),
            ("https://shop.brand.example/fr/", true),
            ("https://mybrand.example/", false),
            ("sc-domain:example", false),
            ("https://brand.example.evil.example/", false),
            ("https://brand.example@evil.example/", false),
            ("brand.example", false),
        ] {
            assert_eq!(is_of(site, "www.brand.example"), fits, "{site}");
        }
    }
}
