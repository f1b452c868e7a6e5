//! The HTTP side: who asks, what is asked, and how the answer leaves.

mod access;
mod call;
mod multipart;
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
use crate::server::Server;
pub(crate) use access::Access;
pub(crate) use call::{QueryRequest, SessionParams};
pub(crate) use reply::{Reply, StopReason};

/// The largest form (a query and its parameters) taken as multipart.
const LARGEST_FORM: usize = 64 << 20;

/// Every route of the server.
pub(crate) fn router(server: Arc<Server>) -> Router {
    Router::new()
        .route("/", on(MethodFilter::GET.or(MethodFilter::POST), answer))
        .route("/ping", get(|| async { "Ok.\n" }))
        .route("/replicas_status", get(|| async { "Ok.\n" }))
        .layer(DefaultBodyLimit::max(LARGEST_FORM))
        .with_state(server)
}

/// Answers one request: checks it, runs its statement on a thread of its own, and passes the output on.
async fn answer(State(server): State<Arc<Server>>, request: Request) -> Response {
    match start(&server, request).await {
        Ok(response) => response,
        Err(exception) => reply::refusal(&server.engine, &exception),
    }
}

async fn start(server: &Arc<Server>, request: Request) -> Result<Response, ServerError> {
    let (parts, body) = request.into_parts();
    let mut call = QueryRequest::read(&parts)?;
    server.access.check(&parts.headers, &call)?;
    if call.is_bare() && parts.method == axum::http::Method::GET {
        return Ok(Response::new("Ok.\n".into()));
    }
    let body = if multipart::is_form(&parts.headers) {
        multipart::read(&mut call, Request::from_parts(parts, body)).await?;
        BodyReader::empty()
    } else {
        BodyReader::new(body)
    };

    let permit = server.permits.clone().try_acquire_owned().map_err(|_| {
        let message = format!("Too many simultaneous queries. Maximum: {}", server.max_concurrent);
        ServerError::new(
            code::TOO_MANY_SIMULTANEOUS_QUERIES,
            "TOO_MANY_SIMULTANEOUS_QUERIES",
            message,
        )
    })?;
    let running = server.running.enter(&call.id)?;
    let reads = Arc::new(AtomicBool::new(false));
    let guard = CancelOnDrop {
        server: server.clone(),
        id: call.id.clone(),
        reads: reads.clone(),
    };
    let (reply, answer) = Reply::new(&call, &server.engine)?;
    let id = call.id.clone();
    let worker = server.clone();
    tokio::task::spawn_blocking(move || {
        execution::run(&worker, &call, body, reply, &reads);
        drop((running, permit));
    });
    Ok(answer.response(&server.engine, &id, guard).await)
}

/// Cancels a statement that reads, when its client goes away before the end of the answer.
struct CancelOnDrop {
    server: Arc<Server>,
    id: String,
    reads: Arc<AtomicBool>,
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        if !self.reads.load(Ordering::Acquire) {
            return;
        }
        let (server, id) = (self.server.clone(), std::mem::take(&mut self.id));
        tokio::task::spawn_blocking(move || {
            if let Err(exception) = server.engine.cancel(&id) {
                tracing::warn!(query_id = id, %exception, "cannot cancel a statement whose client went away");
            }
        });
    }
}
