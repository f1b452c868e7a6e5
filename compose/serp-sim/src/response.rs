//! Responses that handlers share.

use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, HOST, LOCATION};
use axum::http::{HeaderMap, HeaderName, StatusCode};
use axum::response::{IntoResponse, Response};

/// The host in links when the request names none.
const DEFAULT_HOST: &str = "serp.test";
/// Headers of every page.
pub(crate) const PAGE_HEADERS: [(HeaderName, &str); 2] = [
    (CACHE_CONTROL, "private, max-age=0"),
    (CONTENT_TYPE, "text/html; charset=UTF-8"),
];

/// Returns `http://` and the requested host; [`DEFAULT_HOST`] when the request names none.
pub(crate) fn origin_of(headers: &HeaderMap) -> String {
    let host = headers
        .get(HOST)
        .and_then(|host| host.to_str().ok())
        .unwrap_or(DEFAULT_HOST);
    format!("http://{host}")
}

/// Responds with a rendered page; with 500 and the error where its template failed.
pub(crate) fn page(status: StatusCode, html: Result<String, minijinja::Error>) -> Response {
    match html {
        Ok(html) => html_response(status, Body::from(html)),
        Err(error) => {
            tracing::error!(%error, "a page template failed");
            (
                StatusCode::INTERNAL_SERVER_ERROR,
                format!("a page template failed: {error:#}"),
            )
                .into_response()
        }
    }
}

pub(crate) fn html_response(status: StatusCode, body: Body) -> Response {
    (status, PAGE_HEADERS, body).into_response()
}

/// Redirects the browser with 302.
pub(crate) fn redirect(to: &str) -> Response {
    (StatusCode::FOUND, [(LOCATION, to.to_owned())]).into_response()
}
