//! What holds for every operation of the contract.

use axum::body::Body;
use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::app::App;

/// Operations that a visitor may call: captures are public to whoever knows their random ids.
const OPEN: [&str; 22] = [
    "get /api/sign-in/provider",
    "get /api/sign-in/provider/start",
    "get /api/sign-in/provider/callback",
    "post /api/second-factor",
    "post /api/second-factor/confirm",
    "post /api/second-factor/off",
    "post /api/second-factor/recovery-codes",
    "post /api/Emails/inbound",
    "get /api/Emails/opened/{token}",
    "get /api/alerts/unsubscribe/{key}",
    "post /api/alerts/unsubscribe/{key}",
    "post /api/UserAccounts/login",
    "get /api/result/{requestID}",
    "get /api/capture-iframe/{requestID}/htmlContent",
    "get /api/capture-iframe/{requestID}/screenshot",
    "get /api/capture-iframe/{requestID}/product",
    "post /api/UserAccounts/reset",
    "get /api/UserAccounts/confirm",
    "post /api/google/invitations/read",
    "post /api/google/invitations/accept",
    "post /api/google/invitations/decline",
    "get /api/google/oauth/callback",
];

#[tokio::test]
async fn every_operation_but_login_and_the_viewer_needs_a_session() {
    let app = App::start().await;
    let contract = app.get("/api/openapi.json", &[]).await.body;
    let mut asked = 0;
    for (path, operations) in contract["paths"].as_object().unwrap() {
        for method in operations.as_object().unwrap().keys() {
            if OPEN.contains(&format!("{method} {path}").as_str()) {
                continue;
            }
            let answer = app.send(&method.to_uppercase(), path, Body::empty(), &[]).await;
            assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{method} {path}");
            let is_logout = path.ends_with("/logout");
            if method != "head" && !is_logout {
                assert_eq!(
                    answer.body["error"]["code"], "AUTHORIZATION_REQUIRED",
                    "{method} {path}"
                );
            }
            asked += 1;
        }
    }
    assert!(asked > 300, "{asked} operations");
}

/// Numbers may be too long for their type.
#[tokio::test]
async fn every_operation_with_a_number_in_its_path_says_that_there_may_be_nothing() {
    let app = App::start().await;
    let contract = app.get("/api/openapi.json", &[]).await.body;
    let mut checked = 0;
    for (path, operations) in contract["paths"].as_object().unwrap() {
        for (method, operation) in operations.as_object().unwrap() {
            let parameters = operation["parameters"].as_array();
            if parameters
                .into_iter()
                .flatten()
                .any(|parameter| parameter["in"] == "path" && parameter["schema"]["type"] == "integer")
            {
                assert!(operation["responses"].get("404").is_some(), "{method} {path}");
                checked += 1;
            }
        }
    }
    assert!(checked > 100, "{checked} operations");
}

#[tokio::test]
async fn unknown_paths_and_verbs_get_the_one_error_body() {
    let app = App::start().await;
    let unknown = app.get("/api/Nothings", &[]).await;
    assert_eq!(unknown.status, StatusCode::NOT_FOUND);
    let message = "There is no method to handle GET /Nothings";
    assert_eq!(
        unknown.body,
        json!({"error": {"statusCode": 404, "name": "Error", "message": message}})
    );
    let verb = app.send("DELETE", "/api/Brands", Body::empty(), &[]).await;
    assert_eq!(verb.status, StatusCode::NOT_FOUND);
    let message = "Shared class \"Brand\" has no method handling DELETE /";
    assert_eq!(verb.body["error"]["message"], message);
}

#[tokio::test]
async fn malformed_and_oversized_bodies_are_told_apart() {
    let app = App::start().await;
    let path = "/api/UserAccounts/login";
    let json = [("content-type", "application/json")];
    let malformed = app.send("POST", path, Body::from("{"), &json).await;
    assert_eq!(malformed.status, StatusCode::BAD_REQUEST);
    assert_eq!(malformed.body["error"]["name"], "SyntaxError");
    let foreign = [("content-type", "application/json; charset=foo")];
    let foreign = app.send("POST", path, Body::from("{}"), &foreign).await;
    assert_eq!(foreign.status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    let large = Value::String("x".repeat(2 << 20)).to_string();
    let large = app.send("POST", path, Body::from(large), &json).await;
    assert_eq!(large.status, StatusCode::PAYLOAD_TOO_LARGE);
}

#[tokio::test]
async fn every_answer_has_a_request_id_and_is_not_cached() {
    let app = App::start().await;
    let answer = app.get("/api/openapi.json", &[]).await;
    assert!(answer.headers.contains_key("x-request-id"));
    assert_eq!(answer.headers["cache-control"], "no-store");
    assert_eq!(answer.headers["x-content-type-options"], "nosniff");
}
