//! Health checks on the operations port.

use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode};
use serde_json::Value;
use tower::ServiceExt;

use crate::app::App;

#[tokio::test]
async fn readiness_names_each_store_and_liveness_asks_none() {
    let app = App::start().await;
    let operations = api::operations(app.state.clone(), runtime::metrics::start().unwrap());
    let ask = async |path: &str| {
        let request = Request::builder().uri(path).body(Body::empty()).unwrap();
        let response = operations.clone().oneshot(request).await.unwrap();
        let status = response.status();
        (status, to_bytes(response.into_body(), 1 << 20).await.unwrap())
    };
    let (status, body) = ask("/readyz").await;
    let stores: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(status, StatusCode::OK, "{stores}");

    app.postgres.pool.close().await;
    let (status, body) = ask("/readyz").await;
    let stores: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
    assert_ne!(stores["postgres"], "ready");
    assert_eq!(stores["clickhouse"], "ready");
    assert_eq!(ask("/livez").await.0, StatusCode::OK);
}
