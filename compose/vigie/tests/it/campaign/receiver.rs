//! The receiver of a webhook, which counts each message that it took.

use std::net::SocketAddr;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use tokio::net::TcpListener;

use crate::tally::Tally;
use crate::trap::Effect;

/// Starts a receiver that counts messages by id; returns its address. Where a fault strikes it answers with 503.
pub async fn start(tally: Tally) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let router = Router::new().route("/", post(take)).with_state(tally);
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
}

async fn take(State(tally): State<Tally>, headers: HeaderMap) -> StatusCode {
    let effect = tally.spring("receiver: a message");
    if effect.is_none_or(Effect::is_after) {
        tally.note(headers["webhook-id"].to_str().unwrap());
    }
    tally.kill_if(effect);
    match effect {
        None => StatusCode::NO_CONTENT,
        Some(_) => StatusCode::SERVICE_UNAVAILABLE,
    }
}
