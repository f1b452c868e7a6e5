//! What holds for every request: its id, its size, how it comes.

use axum::body::Body;
use axum::http::StatusCode;
use serde_json::json;
use uuid::Uuid;

use crate::app::{App, PASSWORD, settings};

const LOGIN: &str = "/api/UserAccounts/login";

#[tokio::test]
async fn a_clients_id_of_a_request_is_taken_when_it_is_a_plain_word() {
    let app = App::start().await;
    let id_of = async |given: &str| {
        let answer = app.get("/api/FeatureFlags", &[("x-request-id", given)]).await;
        answer.headers["x-request-id"].to_str().unwrap().to_owned()
    };
    assert_eq!(id_of("req-42_a.B").await, "req-42_a.B");
    for odd in ["=cmd|' /C calc'!A0", "a b", "<script>", "\"", "", &"x".repeat(65)] {
        let id = id_of(odd).await;
        assert!(id.parse::<Uuid>().is_ok(), "{odd}: {id}");
    }
}

#[tokio::test]
async fn too_large_a_body_is_told_in_the_words_of_the_api_before_anybody_signs_in() {
    let mut app = App::start().await;
    let mut small = settings();
    small.api.max_body_bytes = 100;
    app.set(small);
    let large = json!({"email": "x".repeat(200), "password": "x"}).to_string();
    for path in [LOGIN, "/api/UserAccounts/reset"] {
        let headers = [("content-type", "application/json")];
        let refused = app.send("POST", path, Body::from(large.clone()), &headers).await;
        assert_eq!(refused.status, StatusCode::PAYLOAD_TOO_LARGE, "{path}");
        assert_eq!(refused.body["error"]["statusCode"], 413, "{path}");
        assert_eq!(refused.body["error"]["name"], "PayloadTooLargeError", "{path}");
    }
}

#[tokio::test]
async fn a_body_may_begin_with_a_byte_order_mark() {
    let app = App::start().await;
    app.admin().await;
    let token = app.login("admin@vigie.example").await;
    let view = json!({"name": "mine", "path": "/domains", "search": {}});
    for (path, body) in [
        // Of the resource set, of a service, and without a session.
        ("/api/Brands", json!({"label": "Acme"})),
        ("/api/savedViews", view),
        (LOGIN, json!({"email": "admin@vigie.example", "password": PASSWORD})),
    ] {
        let headers = [("content-type", "application/json"), ("token", &*token)];
        let marked = format!("\u{feff}{body}");
        let answer = app.send("POST", path, Body::from(marked), &headers).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.body);
        // One alone: a second is none of its own.
        let twice = format!("\u{feff}\u{feff}{body}");
        let answer = app.send("POST", path, Body::from(twice), &headers).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{path}: {}", answer.body);
    }
}

#[tokio::test]
async fn browsers_are_told_to_come_by_tls_where_users_do() {
    let mut app = App::start().await;
    let told = async |app: &App| {
        let answer = app.get("/api/FeatureFlags", &[]).await;
        answer.headers.get("strict-transport-security").cloned()
    };
    assert_eq!(told(&app).await, None);
    let mut secure = settings();
    secure.api.public_url = "https://vigie.example".parse().unwrap();
    app.set(secure);
    assert_eq!(told(&app).await.unwrap(), "max-age=31536000");
}
