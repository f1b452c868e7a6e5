//! The HTTP interface: access, requests and responses.

mod access;
mod multipart;
mod query_request;
mod reply;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::response::Response;
use axum::routing::{MethodFilter, get, on};

use crate::body::BodyReader;
use crate::exception::{ServerError, code};
use crate::execution;
use crate::state::ServerState;
pub(crate) use access::Access;
pub(crate) use query_request::{QueryRequest, SessionParams};
pub(crate) use reply::{Reply, StopReason};

/// The largest multipart form (a query and its parameters) accepted.
const LARGEST_FORM: usize = 64 << 20;

/// Builds the routes of the server: statements at `/`, and the checks `/ping` and `/replicas_status`, which need no password.
pub(crate) fn router(state: Arc<ServerState>) -> Router {
    Router::new()
        .route("/", on(MethodFilter::GET.or(MethodFilter::POST), answer))
        .route("/ping", get(|| async { "Ok.\n" }))
        .route("/replicas_status", get(|| async { "Ok.\n" }))
        .layer(DefaultBodyLimit::max(LARGEST_FORM))
        .with_state(state)
}

/// Answers one request: checks it, runs its statement on its own thread, and forwards the output. A failure before the output begins sets the status.
async fn answer(State(state): State<Arc<ServerState>>, request: Request) -> Response {
    match start_statement(&state, request).await {
        Ok(response) => response,
        Err(exception) => reply::error_response(&state.engine, &exception),
    }
}

/// Checks a request and starts its statement on a thread of its own; returns once the response starts; a statement that failed has a response too,
/// not an error. Fails for a wrong request or password, too many running statements, or one with the same id. A GET without a query or settings gets
/// `Ok.` once its password is checked.
async fn start_statement(state: &Arc<ServerState>, request: Request) -> Result<Response, ServerError> {
    let (parts, body) = request.into_parts();
    let mut query = QueryRequest::read(&parts)?;
    state.access.check(&parts.headers, &query)?;
    if query.is_bare() && parts.method == axum::http::Method::GET {
        return Ok(Response::new("Ok.\n".into()));
    }
    let body = if multipart::is_form(&parts.headers) {
        multipart::apply_form(&mut query, Request::from_parts(parts, body)).await?;
        BodyReader::empty()
    } else {
        BodyReader::new(body)
    };

    let permit = state.permits.clone().try_acquire_owned().map_err(|_| {
        let message = format!("Too many simultaneous queries. Maximum: {}", state.max_concurrent);
        ServerError::new(
            code::TOO_MANY_SIMULTANEOUS_QUERIES,
            "TOO_MANY_SIMULTANEOUS_QUERIES",
            message,
        )
    })?;
    let running = state.running.enter(&query.id)?;
    let reads = Arc::new(AtomicBool::new(false));
    let guard = CancelOnDrop {
        state: state.clone(),
        id: query.id.clone(),
        reads: reads.clone(),
    };
    let (reply, receiver) = Reply::new(&query, &state.engine)?;
    let id = query.id.clone();
    let worker_state = state.clone();
    tokio::task::spawn_blocking(move || {
        execution::run(&worker_state, &query, body, reply, &reads);
        drop((running, permit));
    });
    Ok(receiver.response(&state.engine, &id, guard).await)
}

/// Cancels a reading statement when its client disconnects before the end of the response.
struct CancelOnDrop {
    state: Arc<ServerState>,
    id: String,
    reads: Arc<AtomicBool>,
}

impl Drop for CancelOnDrop {
    /// The client went away: cancels the statement, without waiting for it, if it is known to only read; others run on. A failure is logged only.
    fn drop(&mut self) {
        if !self.reads.load(Ordering::Acquire) {
            return;
        }
        let (state, id) = (self.state.clone(), std::mem::take(&mut self.id));
        tokio::task::spawn_blocking(move || {
            if let Err(exception) = state.engine.cancel(&id) {
                tracing::warn!(query_id = id, %exception, "cannot cancel a statement whose client went away");
            }
        });
    }
}
