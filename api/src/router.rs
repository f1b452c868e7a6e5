//! The router of the API: all routes, and the middleware of every request.

use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, MatchedPath, Request, State};
use axum::http::{HeaderName, HeaderValue, Method, Uri, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use postgres::Pulse;
use tower::ServiceBuilder;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::request_id::{MakeRequestUuid, PropagateRequestIdLayer, RequestId, SetRequestIdLayer};
use tower_http::set_header::SetResponseHeaderLayer;
use tower_http::trace::TraceLayer;
use tracing::info_span;
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;

use crate::failure::{ApiError, LEDGER};
use crate::fair_share::{self, FairShares};
use crate::features;
use crate::openapi::{Contract, add_common_failures};
use crate::readers_language;
use crate::reference;
use crate::resources;
use crate::state::ApiState;

const JSON: &str = "application/json";
/// Identifiers of other programs fit.
const LONGEST_REQUEST_ID: usize = 64;
/// A year. Other names under the same domain are not ours to decide on.
const ONLY_BY_TLS: &str = "max-age=31536000";

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The OpenAPI document, written out. A router needs none of it, and to describe all resources takes longer than to route them.
static CONTRACT: LazyLock<Bytes> = LazyLock::new(|| serde_json::to_vec(&openapi()).unwrap_or_default().into());

/// The routes of the features, under `/api`, with their descriptions.
fn features() -> OpenApiRouter<ApiState> {
    OpenApiRouter::with_openapi(Contract::openapi()).nest(
        "/api",
        OpenApiRouter::new()
            .merge(features::session::routes())
            .merge(features::flags::routes())
            .merge(features::monitoring::routes())
            .merge(features::actions::routes())
            .merge(features::capture_use::routes())
            .merge(features::captures::routes())
            .merge(features::case_mails::routes())
            .merge(features::operations::routes())
            .merge(features::files::routes())
            .merge(features::global_search::routes())
            .merge(features::advertiser_groups::routes())
            .merge(features::comparator::routes())
            .merge(features::home::routes())
            .merge(features::audit::routes())
            .merge(features::auto_match::routes())
            .merge(features::alerts::routes())
            .merge(features::escalation::routes())
            .merge(features::exports::routes())
            .merge(features::frames::routes())
            .merge(features::google::routes())
            .merge(features::official_domains::routes())
            .merge(features::partners::routes())
            .merge(features::plan_preview::routes())
            .merge(features::privacy::routes())
            .merge(features::proof::routes())
            .merge(features::report_files::routes())
            .merge(features::webhooks::routes())
            .merge(features::saved_views::routes())
            .merge(features::stop_go::routes())
            .merge(features::term_access::routes())
            .merge(features::term_import::routes())
            .merge(features::search_stats::routes())
            .merge(features::term_runs::routes())
            .merge(features::undo::routes())
            .merge(features::deleted::routes())
            .merge(features::trails::routes()),
    )
}

/// The OpenAPI document, as served at `/api/openapi.json`: every route, and the failures that any of them may answer.
pub fn openapi() -> utoipa::openapi::OpenApi {
    let mut document = features().into_openapi().nest("/api", resources::document());
    add_common_failures(&mut document);
    document
}

/// The router of `/api` with what holds for every request: request id, log line, metrics, time and size limits, fair shares, compression, and one
/// form of errors, also for panics. Requests for other paths go to `outside` without these. With TLS, browsers are made to use only TLS for all
/// paths.
pub fn router(state: ApiState, outside: Router) -> Router {
    let features: Router<ApiState> = features().into();
    let router = features.nest("/api", resources::routes());
    let is_secure = state.settings.api.is_secure();
    let max_body = state.settings.api.max_body_bytes;
    let patience = RequestTimeout {
        limit: Duration::from_secs(state.settings.api.timeout_seconds),
        ledger: Pulse::new(&state.direct),
    };
    let answers = router
        .route(
            "/api/openapi.json",
            axum::routing::get(async || ([(header::CONTENT_TYPE, JSON)], CONTRACT.clone())),
        )
        .merge(reference::page())
        .route("/api/{*rest}", axum::routing::any(answer_unknown))
        .method_not_allowed_fallback(answer_unknown)
        .layer(
            ServiceBuilder::new()
                .layer(middleware::from_fn(drop_unfit_request_id))
                .layer(SetRequestIdLayer::new(REQUEST_ID, MakeRequestUuid))
                .layer(
                    TraceLayer::new_for_http()
                        .make_span_with(request_span)
                        .on_request(())
                        .on_response(log_answer),
                )
                .layer(PropagateRequestIdLayer::new(REQUEST_ID))
                .layer(SetResponseHeaderLayer::if_not_present(
                    header::CACHE_CONTROL,
                    HeaderValue::from_static("no-store"),
                ))
                .layer(SetResponseHeaderLayer::if_not_present(
                    header::X_CONTENT_TYPE_OPTIONS,
                    HeaderValue::from_static("nosniff"),
                ))
                .layer(CompressionLayer::new())
                .layer(middleware::from_fn(measure_requests))
                .layer(CatchPanicLayer::custom(|_: Box<dyn std::any::Any + Send>| {
                    ApiError::internal("a handler panicked").into_response()
                }))
                .layer(middleware::from_fn_with_state(patience, in_time))
                .layer(middleware::from_fn_with_state(
                    Arc::new(FairShares::default()),
                    fair_share::hold,
                ))
                .layer(middleware::from_fn(readers_language::answer_in_it))
                .layer(DefaultBodyLimit::max(max_body)),
        )
        .with_state(state)
        .merge(outside);
    // Paths are made canonical before they are routed, so this wraps the router.
    let canonical = ServiceBuilder::new()
        .layer(middleware::from_fn(canonical_path))
        .service(answers);
    let app = Router::new().fallback_service(canonical);
    if is_secure {
        app.layer(middleware::from_fn(only_by_tls))
    } else {
        app
    }
}

/// Middleware that drops a client's request id, which is written to logs and to the audit log, unless it is a single word of ASCII letters, digits
/// and `-_.`, of at most [`LONGEST_REQUEST_ID`] bytes.
async fn drop_unfit_request_id(mut request: Request, next: Next) -> Response {
    let is_word = |id: &HeaderValue| {
        let bytes = id.as_bytes();
        (1..=LONGEST_REQUEST_ID).contains(&bytes.len())
            && bytes
                .iter()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(byte))
    };
    let headers = request.headers_mut();
    let mut given = headers.get_all(REQUEST_ID).iter();
    let is_taken = given.next().is_some_and(is_word) && given.next().is_none();
    if !is_taken {
        headers.remove(REQUEST_ID);
    }
    next.run(request).await
}

/// Middleware that adds `Strict-Transport-Security`, which makes browsers use only TLS for a year.
async fn only_by_tls(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    response
        .headers_mut()
        .insert(header::STRICT_TRANSPORT_SECURITY, HeaderValue::from_static(ONLY_BY_TLS));
    response
}

/// Middleware that rewrites the path of a resource to its canonical case, without a slash at the end (decision D167).
async fn canonical_path(mut request: Request, next: Next) -> Result<Response, ApiError> {
    if let Some(uri) = resources::canonical(request.uri())? {
        *request.uri_mut() = uri;
    }
    Ok(next.run(request).await)
}

/// Paths that go on with a secret, which opens a frame, ends a subscription or says that a mail was opened; it is not logged.
const SECRET_AFTER: [&str; 3] = [
    "/api/dashboards/frame/",
    "/api/alerts/unsubscribe/",
    "/api/Emails/opened/",
];

/// The path as it is logged.
fn logged_path(path: &str) -> &str {
    SECRET_AFTER
        .into_iter()
        .find(|before| path.starts_with(before))
        .unwrap_or(path)
}

/// The tracing span of one request. Its path goes without the query, which may hold an export ticket.
fn request_span(request: &Request) -> tracing::Span {
    let id = request
        .extensions()
        .get::<RequestId>()
        .and_then(|id| id.header_value().to_str().ok())
        .unwrap_or("");
    info_span!(
        "request",
        request_id = id,
        method = request.method().as_str(),
        path = logged_path(request.uri().path()),
        user = tracing::field::Empty,
        impersonated_by = tracing::field::Empty
    )
}

/// Logs the status of a response and its milliseconds.
fn log_answer<B>(response: &axum::http::Response<B>, latency: Duration, _: &tracing::Span) {
    let millis = u64::try_from(latency.as_millis()).unwrap_or(u64::MAX);
    tracing::info!(status = response.status().as_u16(), millis, "answered");
}

/// Middleware that records the duration of each request in `http_request_duration_seconds` by route, method and status; paths without a route count
/// as `unmatched`.
async fn measure_requests(request: Request, next: Next) -> Response {
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or_else(|| "unmatched".to_owned(), |path| path.as_str().to_owned());
    let method = request.method().to_string();
    let start = Instant::now();
    let response = next.run(request).await;
    let status = response.status().as_u16().to_string();
    metrics::histogram!("http_request_duration_seconds", "route" => route, "method" => method, "status" => status)
        .record(start.elapsed());
    response
}

/// How long a request is waited for.
#[derive(Clone)]
struct RequestTimeout {
    limit: Duration,
    ledger: Pulse,
}

/// Middleware that gives up on a request: with `TooManyResults` after the time limit, and with `Unavailable` as soon as Postgres does not answer any
/// more. The client of ClickHouse has time limits of its own. Giving up cancels the queries of the request.
async fn in_time(State(patience): State<RequestTimeout>, request: Request, next: Next) -> Response {
    let answered = tokio::time::timeout(patience.limit, next.run(request));
    tokio::select! {
        biased;
        response = answered => response.unwrap_or_else(|_| ApiError::TooManyResults.into_response()),
        () = patience.ledger.lost() => ApiError::Unavailable {
            store: LEDGER,
            cause: "it does not answer".into(),
        }
        .into_response(),
    }
}

/// Answers 404 for a path or method that no route has.
async fn answer_unknown(method: Method, uri: Uri) -> ApiError {
    ApiError::NotFound(resources::missing(&method, &uri))
}
