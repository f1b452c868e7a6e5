//! The web client inside the binary, built by `make web`. A debug build reads it from disk unless the feature `embedded-web` is on.

use axum::Router;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use rust_embed::{EmbeddedFile, RustEmbed};
use url::Url;

/// Allows scripts, styles and connections of this server only, and frames of it and of what follows. The table library inserts style elements into the page.
const POLICY: &str = "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; \
    font-src 'self'; connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'; frame-src 'self'";
/// For files whose names contain a hash of their content.
const IMMUTABLE: &str = "public, max-age=31536000, immutable";

const NOT_BUILT: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Vigie</title>\
    <h1>The web client is not built</h1><p>Run <code>make web</code> and start Vigie again. The API answers at \
    <a href=\"/api/openapi.json\">/api</a>.</p></html>";

#[derive(RustEmbed)]
#[folder = "../../web/dist"]
#[allow_missing = true]
struct Built;

/// Serves everything except the API: files by name, and the start page for the client's own addresses. Its pages may have frames of `framed`.
pub fn router(framed: Option<&Url>) -> Router {
    let policy = policy(framed);
    Router::new().fallback(get(async move |uri: Uri, headers: HeaderMap| {
        serve(policy, &uri, &headers)
    }))
}

/// What pages may load, with frames of the origin of `framed`.
fn policy(framed: Option<&Url>) -> HeaderValue {
    let origin = framed.map(|url| url.origin().ascii_serialization());
    origin
        .and_then(|origin| HeaderValue::from_str(&format!("{POLICY} {origin}")).ok())
        .unwrap_or(HeaderValue::from_static(POLICY))
}

/// Answers with the file of this name, else with the start page; 404 for missing `assets/` and the paths of [`is_of_operators`], 503 when the client
/// is not built. Every response has the security headers.
fn serve(policy: HeaderValue, uri: &Uri, headers: &HeaderMap) -> Response {
    let path = uri.path().trim_start_matches('/');
    let mut response = if let Some(file) = client_file(path, headers) {
        file
    } else if path.starts_with("assets/") || is_of_operators(path) {
        // The start page in place of a script would only hide that a new version is out.
        StatusCode::NOT_FOUND.into_response()
    } else {
        client_file("index.html", headers)
            .unwrap_or_else(|| (StatusCode::SERVICE_UNAVAILABLE, Html(NOT_BUILT)).into_response())
    };
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    let fixed: [(HeaderName, &str); 3] = [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "same-origin"),
        (header::VARY, "accept-encoding"),
    ];
    for (name, value) in fixed {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Returns whether the first segment of a path, given without its leading slash, starts with a dot or is one that scrapers and scanners look for,
/// such as `metrics`, in any case. Such paths are served on the operations port or nowhere; no page of the client has such an address.
fn is_of_operators(path: &str) -> bool {
    let first = path.split('/').next().unwrap_or_default();
    first.starts_with('.')
        || [
            "metrics",
            "debug",
            "livez",
            "readyz",
            "healthz",
            "health",
            "actuator",
            "server-status",
        ]
        .iter()
        .any(|reserved| first.eq_ignore_ascii_case(reserved))
}

/// Returns a file of the client, compressed where the build made a compressed copy and the browser accepts it; `None` when there is no such file, or
/// for an empty path. Browsers may keep `assets/` for a year and must ask again for the others.
fn client_file(path: &str, headers: &HeaderMap) -> Option<Response> {
    if path.is_empty() {
        return None;
    }
    let plain = Built::get(path)?;
    let kind = HeaderValue::from_str(plain.metadata.mimetype()).ok()?;
    let caching = HeaderValue::from_static(if path.starts_with("assets/") {
        IMMUTABLE
    } else {
        "no-cache"
    });
    let compressed = if takes_brotli(headers) {
        Built::get(&format!("{path}.br"))
    } else {
        None
    };
    let mut response = match compressed {
        Some(file) => ([(header::CONTENT_ENCODING, "br")], file_body(file)).into_response(),
        None => file_body(plain).into_response(),
    };
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response.headers_mut().insert(header::CACHE_CONTROL, caching);
    Some(response)
}

fn file_body(file: EmbeddedFile) -> axum::body::Body {
    match file.data {
        std::borrow::Cow::Borrowed(bytes) => bytes.into(),
        std::borrow::Cow::Owned(bytes) => bytes.into(),
    }
}

/// Returns whether a browser accepts Brotli: `Accept-Encoding` names `br`, and not with `q=0`. `*` does not count.
fn takes_brotli(headers: &HeaderMap) -> bool {
    let accepted = headers
        .get(header::ACCEPT_ENCODING)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    accepted
        .split(',')
        .any(|one| one.split(';').next().is_some_and(|name| name.trim() == "br") && !one.trim_end().ends_with("q=0"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_operators_look_at_is_not_here() {
        for path in ["/metrics", "/debug/pprof/heap", "/livez", "/.env", "/.git/config"] {
            let serve = serve(policy(None), &Uri::from_static(path), &HeaderMap::new());
            assert_eq!(serve.status(), StatusCode::NOT_FOUND, "{path}");
        }
    }

    #[test]
    fn frames_are_of_this_site_and_of_the_dashboard_of_the_settings() {
        let dashboard = Url::parse("https://legacy.example:8443/app/?x").unwrap();
        let allowed = policy(Some(&dashboard));
        let allowed = allowed.to_str().unwrap();
        assert!(
            allowed.ends_with("; frame-src 'self' https://legacy.example:8443"),
            "{allowed}"
        );
        assert!(policy(None).to_str().unwrap().ends_with("; frame-src 'self'"));
    }

    #[test]
    fn every_page_runs_scripts_of_this_site_alone() {
        for path in ["/", "/login", "/assets/none.js"] {
            let serve = serve(policy(None), &Uri::from_static(path), &HeaderMap::new());
            let policy = serve.headers()[header::CONTENT_SECURITY_POLICY]
                .to_str()
                .unwrap_or_default();
            let scripts = policy
                .split(';')
                .map(str::trim)
                .find(|rule| rule.starts_with("script-src"));
            assert_eq!(scripts, Some("script-src 'self'"), "{path}");
            assert!(
                policy.contains("default-src 'self'") && policy.contains("base-uri 'none'"),
                "{path}: {policy}"
            );
        }
    }
}
