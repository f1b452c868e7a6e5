//! The receiver of a webhook, which counts each message that it took.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use tokio::net::TcpListener;

use crate::part::Part;
use crate::trap::{Effect, Trap};

const MOMENT: &str = "receiver: a message";

/// Clones are the same receiver.
#[derive(Clone)]
pub struct Receiver {
    taken: Arc<Mutex<BTreeMap<String, usize>>>,
    trap: Arc<Trap>,
    /// All that send to it.
    senders: Vec<Arc<Part>>,
}

impl Receiver {
    /// A receiver that a trap may strike: it kills all these, or answers with 503.
    pub fn new(trap: Arc<Trap>, senders: Vec<Arc<Part>>) -> Self {
        Self {
            taken: Arc::default(),
            trap,
            senders,
        }
    }

    /// Starts it; the value is its address.
    pub async fn start(&self) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}/", listener.local_addr().unwrap());
        let router = Router::new().route("/", post(take)).with_state(self.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        address
    }

    /// How often it took each message, by id.
    pub fn taken(&self) -> BTreeMap<String, usize> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn note(&self, message: &str) {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        *taken.entry(message.to_owned()).or_default() += 1;
    }
}

async fn take(State(receiver): State<Receiver>, headers: HeaderMap) -> StatusCode {
    let effect = receiver.trap.spring(MOMENT);
    receiver.trap.note(MOMENT.to_owned());
    if effect.is_none_or(Effect::is_after) {
        receiver.note(headers["webhook-id"].to_str().unwrap());
    }
    match effect {
        None => StatusCode::NO_CONTENT,
        Some(effect) => {
            if effect.kills() {
                for sender in &receiver.senders {
                    sender.kill();
                }
            }
            StatusCode::SERVICE_UNAVAILABLE
        }
    }
}
