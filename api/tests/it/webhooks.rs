//! Webhooks: whose they are, where they may lead, and what is kept of them.

use axum::body::Body;
use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::app::{App, TestResponse};

const WEBHOOKS: &str = "/api/webhooks";

async fn send(app: &App, method: &str, path: &str, token: &str, body: &Value) -> TestResponse {
    let headers = [
        ("token", token),
        ("content-type", "application/json"),
        ("accept-language", "fr"),
    ];
    app.send(method, path, Body::from(body.to_string()), &headers).await
}

fn hook(url: &str, brand: Option<i32>) -> Value {
    json!({"url": url, "events": ["advertiser.new", "case.changed"], "brandId": brand})
}

#[tokio::test]
async fn a_webhook_is_of_its_user_alone_and_its_secret_shown_once() {
    let app = App::start().await;
    app.company_user("acme").await;
    app.company_user("bolt").await;
    let acme: i32 = app.postgres.fetch("select id from brand where name = 'acme'").await;
    let (ann, eve) = (
        app.login("user@acme.example").await,
        app.login("user@bolt.example").await,
    );
    let made = send(
        &app,
        "POST",
        WEBHOOKS,
        &ann,
        &hook("https://hooks.example/in?key=topsecret", Some(acme)),
    )
    .await;
    assert_eq!(made.status, StatusCode::CREATED, "{}", made.body);
    let secret = made.body["secret"].as_str().unwrap().to_owned();
    assert!(secret.starts_with("whsec_") && secret.len() == 50, "{secret}");
    let path = format!("{WEBHOOKS}/{}", made.body["data"]["id"]);
    let listed = send(&app, "GET", WEBHOOKS, &ann, &Value::Null).await.body;
    assert_eq!(listed[0]["events"], json!(["advertiser.new", "case.changed"]));
    assert_eq!(listed[0]["brandId"], acme);
    assert!(!listed.to_string().contains(&secret));
    let stored: String = app.postgres.fetch("select secret from webhook").await;
    assert!(stored.starts_with("x1.") && !stored.contains(&secret[6..]), "{stored}");
    let audited: String = app
        .postgres
        .fetch("select string_agg(concat_ws(' ', event, details), '|') from audit_entry where model = 'Webhook'")
        .await;
    assert!(
        audited.contains("hooks.example") && !audited.contains("topsecret"),
        "{audited}"
    );

    assert_eq!(send(&app, "GET", WEBHOOKS, &eve, &Value::Null).await.body, json!([]));
    let stolen = hook("https://evil.example/", None);
    for (method, of_it, body) in [
        ("PUT", "", &stolen),
        ("DELETE", "", &Value::Null),
        ("POST", "/secret", &Value::Null),
        ("POST", "/test", &Value::Null),
        ("GET", "/deliveries", &Value::Null),
        ("POST", "/deliveries/1", &Value::Null),
    ] {
        let refused = send(&app, method, &format!("{path}{of_it}"), &eve, body).await;
        assert_eq!(refused.status, StatusCode::NOT_FOUND, "{method} {of_it}");
    }

    let tested = send(&app, "POST", &format!("{path}/test"), &ann, &Value::Null).await;
    assert_eq!(tested.status, StatusCode::ACCEPTED);
    let log = send(&app, "GET", &format!("{path}/deliveries"), &ann, &Value::Null)
        .await
        .body;
    assert_eq!(log[0]["event"], "webhook.test");
    assert_eq!(log[0]["state"], "waiting");
    let again = format!("{path}/deliveries/{}", log[0]["id"]);
    let early = send(&app, "POST", &again, &ann, &Value::Null).await;
    assert_eq!(early.status, StatusCode::NOT_FOUND, "it waits");
    app.postgres
        .execute("update webhook_delivery set due_at = null, settled_at = now(), answer = 500")
        .await;
    assert_eq!(
        send(&app, "POST", &again, &ann, &Value::Null).await.status,
        StatusCode::ACCEPTED
    );

    let changed = send(&app, "POST", &format!("{path}/secret"), &ann, &Value::Null)
        .await
        .body;
    assert_ne!(changed["secret"], secret);
    assert!(changed["data"]["earlierUntil"].is_string());

    let mut off = hook("https://hooks.example/other", None);
    off["enabled"] = json!(false);
    let stopped = send(&app, "PUT", &path, &ann, &off).await.body;
    assert!(
        stopped["stopped"].is_string() && stopped["stopReason"].is_null(),
        "{stopped}"
    );
    let on = send(&app, "PUT", &path, &ann, &hook("https://hooks.example/other", None))
        .await
        .body;
    assert_eq!(on["stopped"], Value::Null);
    let removed = send(&app, "DELETE", &path, &ann, &Value::Null).await;
    assert_eq!(removed.status, StatusCode::NO_CONTENT);
    let kept: i64 = app.postgres.fetch("select count(*) from webhook_delivery").await;
    assert_eq!(kept, 0);
}

#[tokio::test]
async fn what_leads_into_this_network_is_refused_by_field_in_the_language_of_its_user() {
    let app = App::start().await;
    app.company_user("acme").await;
    app.company_user("bolt").await;
    let bolt: i32 = app.postgres.fetch("select id from brand where name = 'bolt'").await;
    let ann = app.login("user@acme.example").await;
    for address in [
        "http://hooks.example/",
        "https://127.0.0.1/",
        "https://[::1]:5432/",
        "https://2130706433/",
        "https://10.0.0.8/",
        "https://user:secret@hooks.example/",
        "hooks.example",
        "",
    ] {
        let refused = send(&app, "POST", WEBHOOKS, &ann, &hook(address, None)).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{address}");
        assert!(refused.body.to_string().contains("adresse https"), "{}", refused.body);
    }
    for wrong in [
        json!({"url": "https://hooks.example/", "events": []}),
        json!({"url": "https://hooks.example/", "events": ["webhook.test"]}),
        json!({"url": "https://hooks.example/", "events": ["advertiser.gone"]}),
        hook("https://hooks.example/", Some(bolt)),
    ] {
        let refused = send(&app, "POST", WEBHOOKS, &ann, &wrong).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{wrong}");
    }
    let made: i64 = app.postgres.fetch("select count(*) from webhook").await;
    assert_eq!(made, 0);
}

#[tokio::test]
async fn a_user_has_ten_webhooks_however_many_are_made_at_once() {
    let app = App::start().await;
    app.company_user("acme").await;
    let ann = app.login("user@acme.example").await;
    let body = hook("https://hooks.example/", None);
    let all = (0..16).map(|_| send(&app, "POST", WEBHOOKS, &ann, &body));
    let made = futures::future::join_all(all).await;
    let count = |status| made.iter().filter(|answer| answer.status == status).count();
    assert_eq!(count(StatusCode::CREATED), 10);
    assert_eq!(count(StatusCode::CONFLICT), 6);
}
