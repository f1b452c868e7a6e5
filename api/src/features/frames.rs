//! Dashboards of others in frames (decisions D5, D115): Vigie fetches them with the credentials that it keeps, so that no browser sees these.
//!
//! What comes through is somebody else's: it runs in a sandbox without our origin, without cookies and service workers, and with a ticket that opens
//! this dashboard alone. Scripts and pictures of its host come through as well, and are asked for without the credentials.

use axum::Json;
use axum::body::Body;
use axum::extract::{OriginalUri, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chrono::TimeDelta;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Bytes;
use postgres::tokens::{MadeIn, NewToken};
use postgres::{flags, users};
use runtime::sealing::Keys;
use serde::Serialize;
use serde_json::Value;
use url::Url;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::access::frame_hosts::{self, FrameHosts};
use crate::access::{Caller, dashboards, tokens};
use crate::extract::Path;
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// How long what a frame loads may be asked for.
const TTL: TimeDelta = TimeDelta::minutes(5);
/// Where frames are on this server; a ticket follows.
const FRAMES: &str = "/api/dashboards/frame/";
/// The entry of the Stop and Go dashboard.
const STOP_GO: &str = "stopgo-dashboard";
/// The page of the news, which is a setting.
const NEWS: &str = "stopgo-news";
/// The entry whose login and password others are opened with.
const CREDENTIALS: &str = "clicdata";
/// Bytes of one answer.
const MOST_BYTES: usize = 32 << 20;
/// No origin of ours, no top window, no downloads.
const SANDBOX: &str = "sandbox allow-scripts allow-forms; frame-ancestors 'self'";
/// What is passed on of an answer; all else, cookies first, is not.
const PASSED_ON: [HeaderName; 4] = [
    header::CONTENT_TYPE,
    header::CONTENT_LANGUAGE,
    header::ETAG,
    header::LAST_MODIFIED,
];
/// What a browser sends when it asks for a service worker.
const SERVICE_WORKER: HeaderName = HeaderName::from_static("service-worker");

/// The operations of this slice.
pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(open_frame))
        .route("/dashboards/frame/{ticket}/", axum::routing::get(load_in_frame))
        .route("/dashboards/frame/{ticket}/{*path}", axum::routing::get(load_in_frame))
}

/// Where a dashboard is found.
#[derive(Serialize, ToSchema)]
struct FrameView {
    data: FrameAddress,
}

/// The address of a frame.
#[derive(Serialize, ToSchema)]
struct FrameAddress {
    /// Its path on this server, for five minutes; null where the user has no such dashboard, or its host is not allowed.
    url: Option<String>,
}

/// A dashboard as it is stored: where it is, and with what it is opened.
struct Entry {
    address: Url,
    authorization: Option<HeaderValue>,
}

impl Entry {
    /// What an address of the host is asked with: the credentials for the dashboard itself and what lies under it, nothing for the rest of the host. One login
    /// often opens the dashboards of several companies there.
    fn authorization_for(&self, address: &Url) -> Option<&HeaderValue> {
        let own = self.address.path();
        let asked = address.path();
        let is_itself = asked == own && (self.address.query().is_none() || address.query() == self.address.query());
        let below = asked.strip_prefix(own.trim_end_matches('/'));
        let is_below = asked != own && below.is_some_and(|rest| rest.starts_with('/')) && is_plain(asked);
        self.authorization.as_ref().filter(|_| is_itself || is_below)
    }
}

/// Whether every host reads a path alike: without separators and dots that are written as escapes.
fn is_plain(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    !["%2f", "%5c", "%2e", "//", ";"]
        .iter()
        .any(|trick| path.contains(trick))
}

/// The address of one of the reader's dashboards: `app-action-sem-summary`, `stopgo-dashboard` or `stopgo-news`. The first two are entries of the user, else of
/// the company account; the news are a setting.
#[utoipa::path(
    get, path = "/dashboards/{entry}/frame", tag = "Dashboards",
    params(("entry" = String, Path, description = "Name of the entry")),
    responses(
        (status = 200, body = FrameView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "The feature is off for this user"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn open_frame(
    State(state): State<ApiState>,
    caller: Caller,
    Path(entry): Path<String>,
) -> Result<Json<FrameView>, ApiError> {
    if entry == STOP_GO {
        let known = flags::of_user(&state.postgres, caller.user.id, &caller.user.known_roles()).await?;
        if !known.get("stopgo_dashboard").copied().unwrap_or(false) {
            return Err(ApiError::Forbidden);
        }
    }
    let found = find(&state, caller.user.id, &entry).await?;
    let hosts = hosts(&state);
    let Some(found) = found.filter(|found| hosts.allow(&found.address).is_ok()) else {
        return Ok(Json(FrameView {
            data: FrameAddress { url: None },
        }));
    };
    let secret = tokens::fresh();
    let digest = tokens::digest(&secret);
    let scopes = [format!("{}{entry}", dashboards::FRAME_SCOPE)];
    let ticket = NewToken {
        digest: &digest,
        user: caller.user.id,
        ttl: TTL.num_seconds(),
        scopes: Some(&scopes),
        created: state.clock.now(),
        made_in: Some(MadeIn::from(&caller.session)),
        impersonated_by: None,
        user_agent: None,
    };
    postgres::tokens::create(&state.postgres, &ticket).await?;
    let query = found
        .address
        .query()
        .map(|query| format!("?{query}"))
        .unwrap_or_default();
    let path = found.address.path();
    Ok(Json(FrameView {
        data: FrameAddress {
            url: Some(format!("{FRAMES}{secret}{path}{query}")),
        },
    }))
}

/// What a frame shows, and what it loads: fetched from the host of the dashboard, with the credentials that Vigie keeps. Opened by the ticket in the path alone.
/// It is no operation of the contract: paths and answers are those of the host.
async fn load_in_frame(
    State(state): State<ApiState>,
    method: Method,
    headers: HeaderMap,
    OriginalUri(uri): OriginalUri,
) -> Result<Response, ApiError> {
    if method != Method::GET || headers.contains_key(SERVICE_WORKER) {
        return Err(ApiError::Forbidden);
    }
    // The path as it was sent, with its escapes.
    let path = uri.path().strip_prefix(FRAMES).ok_or(ApiError::NotSignedIn)?;
    let (ticket, rest) = path.find('/').map_or((path, "/"), |slash| path.split_at(slash));
    let found = postgres::tokens::find(&state.postgres, &tokens::digest(ticket)).await?;
    let (token, user) = found
        .filter(|(token, _)| token.expires_at() > state.clock.now())
        .ok_or(ApiError::NotSignedIn)?;
    let scopes = token.scopes.as_deref().unwrap_or_default();
    let [scope] = scopes else {
        return Err(ApiError::NotSignedIn);
    };
    let entry = scope
        .strip_prefix(dashboards::FRAME_SCOPE)
        .ok_or(ApiError::NotSignedIn)?;
    let entry = find(&state, user.id, entry).await?.ok_or(ApiError::NotSignedIn)?;
    let base = format!("{FRAMES}{ticket}");
    let mut address = entry.address.clone();
    address.set_path(rest);
    address.set_query(uri.query());
    fetch(&hosts(&state), &entry, &address, &base).await
}

fn hosts(state: &ApiState) -> FrameHosts {
    let frames = &state.settings.frames;
    let news = state
        .settings
        .stop_go
        .news_url
        .iter()
        .filter_map(|url| url.host_str().map(str::to_owned));
    FrameHosts {
        allowed: frames.allowed_hosts.iter().cloned().chain(news).collect(),
        allow_private: frames.allow_private,
    }
}

/// A dashboard of a user; `None` without one. The credentials are those of the entry itself, else of `clicdata`.
async fn find(state: &ApiState, user: vocabulary::UserId, entry: &str) -> Result<Option<Entry>, ApiError> {
    if entry == NEWS {
        let address = state.settings.stop_go.news_url.clone();
        return Ok(address.map(|address| Entry {
            address,
            authorization: None,
        }));
    }
    let (sealed, of_company) = users::dashboards_of(&state.postgres, &dashboards::SCOPE, user).await?;
    let of_user = match sealed {
        Some(text) => {
            let keys = Keys::read(state.settings.secrets.keys.as_ref()).map_err(ApiError::internal)?;
            dashboards::open(&keys, &text).map_err(ApiError::internal)?
        }
        None => Value::Null,
    };
    let of_company = of_company.unwrap_or_default();
    let named = |name: &str| of_user.get(name).or_else(|| of_company.get(name));
    let text = |value: Option<&Value>, key: &str| value.and_then(|value| value.get(key)?.as_str()).map(str::to_owned);
    let own = named(entry);
    let address = own.and_then(Value::as_str).map(str::to_owned);
    let address = address.or_else(|| text(own, "address")).or_else(|| text(own, "url"));
    let Some(address) = address.and_then(|address| Url::parse(&address).ok()) else {
        return Ok(None);
    };
    let credentials = own
        .filter(|own| own.get("login").is_some())
        .or_else(|| named(CREDENTIALS));
    let pair = text(credentials, "login").zip(text(credentials, "password"));
    let authorization = pair.and_then(|(login, password)| {
        let mut value =
            HeaderValue::try_from(format!("Basic {}", STANDARD.encode(format!("{login}:{password}")))).ok()?;
        value.set_sensitive(true);
        Some(value)
    });
    Ok(Some(Entry { address, authorization }))
}

/// Fetches an address of a dashboard's host and passes on what may be passed on. A redirect stays on the host, or is refused.
async fn fetch(hosts: &FrameHosts, entry: &Entry, address: &Url, base: &str) -> Result<Response, ApiError> {
    hosts.allow(address).map_err(|_| ApiError::Forbidden)?;
    let mut request = hyper::Request::get(address.as_str()).header(header::HOST, frame_hosts::authority(address));
    if let Some(authorization) = entry.authorization_for(address) {
        request = request.header(header::AUTHORIZATION, authorization);
    }
    let request = request.body(Full::<Bytes>::default()).map_err(ApiError::internal)?;
    let answer = hosts.send(request).await.map_err(|cause| ApiError::Unavailable {
        store: "The dashboard",
        cause: cause.into(),
    })?;
    let status = answer.status();
    if status.is_redirection() && status != StatusCode::NOT_MODIFIED {
        return redirect(entry, address, &answer, base);
    }
    let (parts, body) = answer.into_parts();
    let body = Limited::new(body, MOST_BYTES).collect().await;
    let body = body
        .map_err(|cause| ApiError::Unavailable {
            store: "The dashboard",
            cause,
        })?
        .to_bytes();
    let is_page = parts
        .headers
        .get(header::CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"));
    let body = if is_page { rooted(&body, base).into() } else { body };
    let mut response = Response::new(Body::from(body));
    // A login form of the host's own would be asked for by the browser.
    *response.status_mut() = if status == StatusCode::UNAUTHORIZED {
        StatusCode::BAD_GATEWAY
    } else {
        status
    };
    for name in PASSED_ON {
        if let Some(value) = parts.headers.get(&name) {
            response.headers_mut().insert(name, value.clone());
        }
    }
    confine(response.headers_mut());
    Ok(response)
}

fn redirect<B>(entry: &Entry, address: &Url, answer: &Response<B>, base: &str) -> Result<Response, ApiError> {
    let to = answer
        .headers()
        .get(header::LOCATION)
        .and_then(|location| address.join(location.to_str().ok()?).ok());
    let to = to
        .filter(|to| to.origin() == entry.address.origin())
        .ok_or(ApiError::Forbidden)?;
    let query = to.query().map(|query| format!("?{query}")).unwrap_or_default();
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::FOUND;
    let location = HeaderValue::try_from(format!("{base}{}{query}", to.path())).map_err(ApiError::internal)?;
    response.headers_mut().insert(header::LOCATION, location);
    confine(response.headers_mut());
    Ok(response)
}

/// The headers that keep what comes through in its place.
fn confine(headers: &mut HeaderMap) {
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(SANDBOX));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    // A sandboxed page has no origin, and still loads its own scripts and fonts.
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("null"));
}

/// A page whose addresses from the root of its host lead through the frame.
fn rooted(page: &[u8], base: &str) -> Vec<u8> {
    let page = String::from_utf8_lossy(page);
    let mut rooted = page.into_owned();
    for attribute in ["src", "href", "action"] {
        for quote in ['"', '\''] {
            let from = format!("{attribute}={quote}/");
            let mut out = String::with_capacity(rooted.len());
            let mut rest = rooted.as_str();
            while let Some(at) = rest.find(&from) {
                let (before, after) = rest.split_at(at + from.len());
                out.push_str(before);
                // An address that begins with two slashes names another host.
                if !after.starts_with('/') {
                    out.truncate(out.len() - 1);
                    out.push_str(base);
                    out.push('/');
                }
                rest = after;
            }
            out.push_str(rest);
            rooted = out;
        }
    }
    rooted.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_open_the_dashboard_and_what_lies_under_it_alone() {
        for (stored, asked, with_credentials) in [
            ("/board", "/board", true),
            ("/board", "/board?day=2", true),
            ("/board", "/board/data.json?day=2", true),
            ("/board/", "/board/data.json", true),
            ("/board?of=1", "/board?of=1", true),
            ("/board?of=1", "/board?of=2", false),
            ("/board?of=1", "/board", false),
            ("/board?of=1", "/board/data.json", true),
            ("/", "/anything", true),
            ("/board", "/", false),
            ("/board", "/boards", false),
            ("/board", "/other", false),
            ("/board", "/board/../other", false),
            ("/board", "/board/%2e%2e/other", false),
            ("/board", "/board/..%2fother", false),
            ("/board", "/board/..%5Cother", false),
            ("/board", "/board/..;/other", false),
            ("/board", "/board//other", false),
        ] {
            let host = Url::parse("https://dashboards.example").unwrap();
            let entry = Entry {
                address: host.join(stored).unwrap(),
                authorization: Some(HeaderValue::from_static("Basic x")),
            };
            let asked = host.join(asked).unwrap();
            assert_eq!(
                entry.authorization_for(&asked).is_some(),
                with_credentials,
                "{stored} {asked}"
            );
        }
    }

    #[test]
    fn addresses_from_the_root_lead_through_the_frame_and_others_stay() {
        let page =
            br#"<img src="/a.png"><a href='/b'></a><script src="//other.example/c.js"></script><link href="d.css">"#;
        let rooted = String::from_utf8(rooted(page, "/f/t")).unwrap();
        assert_eq!(
            rooted,
            r#"<img src="/f/t/a.png"><a href='/f/t/b'></a><script src="//other.example/c.js"></script><link href="d.css">"#
        );
    }
}
