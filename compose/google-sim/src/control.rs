//! How a test or a person makes the simulator fail, looks at what was changed, and changes lists as somebody in Google would.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::faults::{Fault, Faults};
use crate::lists;
use crate::shared::Shared;

/// A failure, and how often it happens.
#[derive(Deserialize)]
pub struct FaultOrder {
    fault: Fault,
    #[serde(default = "once")]
    times: u32,
}

const fn once() -> u32 {
    1
}

/// Answers `POST /control/faults` for tests.
pub async fn fault(State(shared): State<Shared>, Json(order): Json<FaultOrder>) -> StatusCode {
    shared.world().faults.set(order.fault, order.times);
    StatusCode::NO_CONTENT
}

/// `POST /control/reset`: no more failures.
pub async fn reset(State(shared): State<Shared>) -> StatusCode {
    shared.world().faults = Faults::default();
    StatusCode::NO_CONTENT
}

/// `GET /control/journal`: every change, oldest first.
pub async fn journal(State(shared): State<Shared>) -> Json<Value> {
    Json(json!(shared.world().journal))
}

/// `GET /control/lists`: the lists as they are.
pub async fn lists(State(shared): State<Shared>) -> Json<Value> {
    let world = shared.world();
    let lists = world.lists.iter().map(|((customer, id), list)| {
        let keywords: Vec<&str> = list.keywords.values().map(|(text, _)| text.as_str()).collect();
        let criteria: Vec<String> = list.keywords.keys().map(u64::to_string).collect();
        json!({
            "customer": customer, "id": id.to_string(), "name": list.name, "keywords": keywords, "criteria": criteria,
            "campaigns": list.campaigns,
        })
    });
    Json(lists.collect())
}

/// A change that somebody makes in Google's own pages.
#[derive(Deserialize)]
pub struct Edit {
    customer: String,
    /// `sharedSets`, `sharedCriteria` or `campaignSharedSets`.
    what: String,
    operations: Vec<Value>,
}

/// `POST /control/lists`: the change, as the API would take it.
pub async fn edit(State(shared): State<Shared>, Json(edit): Json<Edit>) -> Result<Json<Value>, StatusCode> {
    let body = json!({ "operations": edit.operations });
    let made = lists::mutate(&mut shared.world(), &edit.customer, &edit.what, &body);
    made.map(|made| Json(made.body)).map_err(|_| StatusCode::BAD_REQUEST)
}
