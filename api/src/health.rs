//! Health and metrics, on a port of their own that is not shown to users.

use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use axum::routing::get;
use axum::{Json, Router};
use serde_json::{Map, Value};

use crate::state::ApiState;

/// What a store may take to answer a health check.
const PATIENCE: Duration = Duration::from_secs(1);

/// The routes of the operations port: `/livez` answers without looking at a store, `/readyz` asks each store, `/metrics` is in Prometheus text form.
pub fn router(state: ApiState, metrics: runtime::metrics::Handle) -> Router {
    Router::new()
        .route("/livez", get(|| std::future::ready("alive")))
        .route("/readyz", get(ready))
        .with_state(state)
        .route("/metrics", get(move || std::future::ready(metrics.render())))
}

/// Answers 200 when every store answers within [`PATIENCE`], else 503; the body is a JSON object of the stores by name, each `ready` or what is wrong.
async fn ready(State(state): State<ApiState>) -> impl IntoResponse {
    let redis = async {
        let reachable = state.coordination.is_reachable().await;
        if reachable {
            Ok(())
        } else {
            Err("not reachable: limits hold for each process alone")
        }
    };
    let (postgres, clickhouse, redis) = tokio::join!(
        in_time(postgres::ping(&state.postgres)),
        in_time(state.analytics.health()),
        in_time(redis),
    );
    let stores = [("postgres", postgres), ("clickhouse", clickhouse), ("redis", redis)];
    let status = if stores.iter().all(|(_, answer)| answer.is_ok()) {
        StatusCode::OK
    } else {
        StatusCode::SERVICE_UNAVAILABLE
    };
    let body: Map<String, Value> = stores
        .into_iter()
        .map(|(name, answer)| {
            (
                name.to_owned(),
                Value::String(answer.err().unwrap_or_else(|| "ready".to_owned())),
            )
        })
        .collect();
    (status, Json(body))
}

/// The outcome of a health check, with its error as text; an error too after [`PATIENCE`].
async fn in_time<E: std::fmt::Display>(answer: impl Future<Output = Result<(), E>>) -> Result<(), String> {
    match tokio::time::timeout(PATIENCE, answer).await {
        Ok(result) => result.map_err(|error| error.to_string()),
        Err(_) => Err(format!("no answer within {} s", PATIENCE.as_secs())),
    }
}
