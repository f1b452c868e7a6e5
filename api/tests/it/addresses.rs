//! Addresses of accounts and contacts, and the report of mails that could not be delivered.

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::app::App;

async fn make(app: &App, token: &str, email: &str) -> (StatusCode, Value) {
    let body = json!({"email": email, "password": "kV7!wm2q"});
    let made = app.post("/api/UserAccounts", &body, &[("token", token)]).await;
    (made.status, made.body)
}

#[tokio::test]
async fn an_address_is_one_accounts_whatever_its_case() {
    let app = App::start().await;
    app.admin().await;
    let token = app.login("admin@vigie.example").await;
    let (status, ann) = make(&app, &token, "Ann@Acme.example").await;
    assert_eq!(status, StatusCode::OK, "{ann}");
    for twin in ["Ann@Acme.example", "ann@acme.example", "ANN@ACME.EXAMPLE"] {
        let (status, answer) = make(&app, &token, twin).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{twin}: {answer}");
        assert_eq!(answer["error"]["details"]["codes"]["email"], json!(["uniqueness"]));
    }
    let (_, bea) = make(&app, &token, "bea@acme.example").await;
    let headers = [("token", token.as_str()), ("content-type", "application/json")];
    let path = format!("/api/UserAccounts/{}", bea["id"]);
    let (status, _) = app
        .text("PATCH", &path, "{\"email\":\"ANN@acme.example\"}", &headers)
        .await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
    // The own address in another case is the own address.
    let path = format!("/api/UserAccounts/{}", ann["id"]);
    let (status, answer) = app
        .text("PATCH", &path, "{\"email\":\"ann@acme.example\"}", &headers)
        .await;
    assert_eq!(status, StatusCode::OK, "{answer}");
}

#[tokio::test]
async fn addresses_that_no_mail_server_carries_are_refused() {
    let app = App::start().await;
    app.admin().await;
    let token = app.login("admin@vigie.example").await;
    let dealer = app
        .post("/api/Dealers", &json!({"domain": "shop.example"}), &[("token", &token)])
        .await;
    let contacts = format!("/api/Dealers/{}/contacts", dealer.body["id"]);
    for email in [
        "änn@acme.example",
        "ann@ächme.example",
        "ann..lee@acme.example",
        "ann@acme",
        "\"a b\"@acme.example",
    ] {
        let (status, answer) = make(&app, &token, email).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{email}: {answer}");
        assert_eq!(answer["error"]["details"]["codes"]["email"], json!(["custom.email"]));
        let contact = app
            .post(&contacts, &json!({ "email": email }), &[("token", &token)])
            .await;
        assert_eq!(
            contact.status,
            StatusCode::UNPROCESSABLE_ENTITY,
            "{email}: {}",
            contact.body
        );
    }
}

#[tokio::test]
async fn the_last_mail_that_was_given_up_is_told_until_one_arrives() {
    let app = App::start().await;
    app.admin().await;
    let user = app.company_user("acme").await;
    let token = app.login("admin@vigie.example").await;
    let told = async || app.get("/api/operations/undelivered", &[("token", &token)]).await.body["data"].clone();
    assert_eq!(told().await, json!([]));
    let settled = |key: &str, state: &str, at: &str| {
        format!(
            "insert into mail_outbox (business_key, kind, user_id, recipients, message_id, state, settled_at, reason)
             values ('{key}', 'account', {user}, '[\"user@acme.example\"]', '{key}', '{state}', '{at}', '550 no such mailbox')"
        )
    };
    app.postgres
        .execute(settled("one", "failed", "2026-03-01T00:00:00Z").leak())
        .await;
    let one = told().await;
    assert_eq!(
        json!([one[0]["userId"], one[0]["kind"], one[0]["reason"]]),
        json!([user.0, "account", "550 no such mailbox"])
    );
    app.postgres
        .execute(settled("two", "sent", "2026-03-02T00:00:00Z").leak())
        .await;
    assert_eq!(told().await, json!([]));
    let own = app.login("user@acme.example").await;
    let refused = app.get("/api/operations/undelivered", &[("token", &own)]).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
}
