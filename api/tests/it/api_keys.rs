//! API keys: what they open, and who tries more.

use axum::body::Body;
use axum::http::StatusCode;
use chrono::TimeDelta;
use serde_json::{Value, json};

use crate::app::{App, PASSWORD, TestResponse};

const KEYS: &str = "/api/keys";
const LIST: &str = "/api/monitoring/domains";

async fn send(app: &App, method: &str, path: &str, token: &str, body: &Value) -> TestResponse {
    let headers = [("token", token), ("content-type", "application/json")];
    app.send(method, path, Body::from(body.to_string()), &headers).await
}

/// Makes a key; returns its id and itself.
async fn make(app: &App, session: &str, scopes: &[&str], days: Option<u16>) -> (i64, String) {
    let body = json!({"name": "nightly report", "scopes": scopes, "days": days});
    let made = send(app, "POST", KEYS, session, &body).await;
    assert_eq!(made.status, StatusCode::CREATED, "{}", made.body);
    let id = made.body["data"]["id"].as_i64().unwrap();
    (id, made.body["key"].as_str().unwrap().to_owned())
}

async fn status(app: &App, path: &str, key: &str) -> StatusCode {
    app.get(path, &[("authorization", &format!("Bearer {key}"))])
        .await
        .status
}

#[tokio::test]
async fn a_key_is_shown_once_opens_what_it_names_and_nothing_else() {
    let app = App::start().await;
    app.company_user("acme").await;
    let session = app.login("user@acme.example").await;
    let (id, key) = make(&app, &session, &["read:lists"], None).await;
    assert!(key.starts_with("vigie_") && key.len() == 49, "{key}");
    let listed = send(&app, "GET", KEYS, &session, &Value::Null).await.body;
    assert_eq!(listed.as_array().unwrap().len(), 1);
    assert_eq!(listed[0]["id"], id);
    assert_eq!(listed[0]["hint"], key[45..]);
    assert_eq!(listed[0]["scopes"], json!(["read:lists"]));
    assert_eq!(listed[0]["expires"], Value::Null);
    assert!(!listed.to_string().contains(&key));
    let stored: String = app
        .postgres
        .fetch("select string_agg(concat_ws(' ', encode(sha256, 'hex'), name, hint, scopes), ' ') from access_token")
        .await;
    assert!(!stored.contains(&key[6..]), "{stored}");

    assert_eq!(status(&app, LIST, &key).await, StatusCode::OK);
    for path in [
        "/api/UserAccounts/me",
        KEYS,
        "/api/sessions",
        "/api/Brands",
        "/api/actions/detail/1",
        "/api/captures/x/evidence",
    ] {
        assert_eq!(status(&app, path, &key).await, StatusCode::FORBIDDEN, "{path}");
    }
    let more = json!({"name": "more", "scopes": ["read:lists"]});
    assert_eq!(
        send(&app, "POST", KEYS, &key, &more).await.status,
        StatusCode::FORBIDDEN
    );
    let ticket = send(
        &app,
        "POST",
        "/api/exportTickets",
        &key,
        &json!({"link": "/api/Sems/groupTerms/export"}),
    )
    .await;
    assert_eq!(ticket.status, StatusCode::FORBIDDEN, "{}", ticket.body);
    // As a cookie it opens nothing, and in an address neither.
    let by_cookie = app.get(LIST, &[("cookie", &format!("access_token={key}"))]).await;
    assert_eq!(by_cookie.status, StatusCode::UNAUTHORIZED);
    let in_address = app
        .get(&format!("/api/Sems/groupTerms/export?access_token={key}"), &[])
        .await;
    assert_eq!(in_address.status, StatusCode::UNAUTHORIZED);

    let audited: String = app
        .postgres
        .fetch("select string_agg(concat_ws(' ', event, details), '|') from audit_entry where model = 'ApiKey'")
        .await;
    assert!(
        audited.starts_with("create") && audited.contains("nightly report"),
        "{audited}"
    );
    assert!(!audited.contains(&key[6..]), "{audited}");
}

#[tokio::test]
async fn a_key_that_was_ended_replayed_later_or_left_without_its_account_opens_nothing() {
    let app = App::start().await;
    let user = app.company_user("acme").await;
    let session = app.login("user@acme.example").await;
    let (stolen, key) = make(&app, &session, &["read:lists"], None).await;
    let ended = send(&app, "DELETE", &format!("{KEYS}/{stolen}"), &session, &Value::Null).await;
    assert_eq!(ended.status, StatusCode::NO_CONTENT);
    assert_eq!(status(&app, LIST, &key).await, StatusCode::UNAUTHORIZED);
    let again = send(&app, "DELETE", &format!("{KEYS}/{stolen}"), &session, &Value::Null).await;
    assert_eq!(again.status, StatusCode::NOT_FOUND);

    let (_, short) = make(&app, &session, &["read:lists"], Some(1)).await;
    let (_, lasting) = make(&app, &session, &["read:lists"], None).await;
    app.state.clock.advance(TimeDelta::hours(25));
    assert_eq!(status(&app, LIST, &short).await, StatusCode::UNAUTHORIZED, "expired");
    assert_eq!(status(&app, LIST, &lasting).await, StatusCode::OK);
    // Longer than a session may be idle.
    app.state.clock.advance(TimeDelta::days(200));
    assert_eq!(status(&app, LIST, &lasting).await, StatusCode::OK);

    // Ending the other sessions leaves it, a new password does not.
    let session = app.login("user@acme.example").await;
    send(&app, "DELETE", "/api/sessions", &session, &Value::Null).await;
    assert_eq!(status(&app, LIST, &lasting).await, StatusCode::OK);
    let change = json!({"oldPassword": PASSWORD, "newPassword": "Tq7$kf2Zp9x"});
    let changed = send(&app, "POST", "/api/UserAccounts/change-password", &session, &change).await;
    assert!(changed.status.is_success(), "{}", changed.body);
    assert_eq!(status(&app, LIST, &lasting).await, StatusCode::UNAUTHORIZED);

    let login = json!({"email": "user@acme.example", "password": "Tq7$kf2Zp9x"});
    let session = app.post("/api/UserAccounts/login", &login, &[]).await;
    let (_, orphan) = make(&app, session.body["id"].as_str().unwrap(), &["read:lists"], None).await;
    app.postgres
        .execute(format!("delete from user_account where id = {user}").leak())
        .await;
    assert_eq!(status(&app, LIST, &orphan).await, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn a_key_gives_no_more_than_its_user_has_and_nobody_ends_anothers() {
    let app = App::start().await;
    app.admin().await;
    let user = app.company_user("acme").await;
    app.company_user("bolt").await;
    let acme = app.login("user@acme.example").await;
    let bolt = app.login("user@bolt.example").await;
    let (id, key) = make(&app, &acme, &["read:lists", "write:tags"], None).await;
    let other = send(&app, "DELETE", &format!("{KEYS}/{id}"), &bolt, &Value::Null).await;
    assert_eq!(other.status, StatusCode::NOT_FOUND);
    assert_eq!(send(&app, "GET", KEYS, &bolt, &Value::Null).await.body, json!([]));
    assert_eq!(status(&app, LIST, &key).await, StatusCode::OK);
    // Another company's brand is as unknown to the key as it is to the user.
    let brand: i32 = app.postgres.fetch("select id from brand where name = 'bolt'").await;
    let address = format!("/api/coverage?brandId={brand}");
    let by_user = app.get(&address, &[("token", acme.as_str())]).await;
    let by_key = app.get(&address, &[("token", key.as_str())]).await;
    assert_eq!((by_key.status, by_key.body), (by_user.status, by_user.body));
    // An administrator who works as the user makes no keys and sees none.
    let admin = app.login("admin@vigie.example").await;
    let path = format!("/api/UserAccounts/{user}/accessTokens");
    let made = send(&app, "POST", &path, &admin, &json!({ "ttl": 600 })).await;
    let as_user = made.body["id"].as_str().unwrap();
    let new = json!({"name": "x", "scopes": ["read:lists"]});
    assert_eq!(
        send(&app, "POST", KEYS, as_user, &new).await.status,
        StatusCode::FORBIDDEN
    );
    assert_eq!(
        send(&app, "GET", KEYS, as_user, &Value::Null).await.status,
        StatusCode::FORBIDDEN
    );
}

#[tokio::test]
async fn tags_are_set_with_a_key_for_them_by_whoever_may_set_them() {
    let app = App::start().await;
    app.admin().await;
    app.company_user("acme").await;
    app.postgres
        .execute(
            "insert into dealer (id, domain) values (601, 'shop.example');
             insert into category (id, name, label, scope, visibility) values (501, 'watched', 'Watched', 'tag', 'all')",
        )
        .await;
    let path = "/api/Dealers/601/categories/rel/501";
    let admin = app.login("admin@vigie.example").await;
    let (_, reads) = make(&app, &admin, &["read:lists"], None).await;
    assert_eq!(
        send(&app, "PUT", path, &reads, &json!({})).await.status,
        StatusCode::FORBIDDEN
    );
    let (_, tags) = make(&app, &admin, &["write:tags"], None).await;
    let set = send(&app, "PUT", path, &tags, &json!({})).await;
    assert_eq!(set.status, StatusCode::OK, "{}", set.body);
    let links = "select count(*) from category_dealer where dealer_id = 601 and category_id = 501";
    assert_eq!(app.postgres.fetch::<i64>(links).await, 1);
    assert_eq!(
        send(&app, "DELETE", path, &tags, &Value::Null).await.status,
        StatusCode::NO_CONTENT
    );
    assert_eq!(app.postgres.fetch::<i64>(links).await, 0);
    // With a key it is no more than in a session.
    let user = app.login("user@acme.example").await;
    let (_, own) = make(&app, &user, &["write:tags"], None).await;
    let by_session = send(&app, "PUT", path, &user, &json!({})).await;
    let by_key = send(&app, "PUT", path, &own, &json!({})).await;
    assert_eq!(by_key.status, by_session.status, "{} {}", by_key.body, by_session.body);
}

#[tokio::test]
async fn what_cannot_be_is_refused_by_field_and_a_user_has_twenty_keys() {
    let app = App::start().await;
    app.company_user("acme").await;
    let session = app.login("user@acme.example").await;
    for (body, field) in [
        (json!({"name": " ", "scopes": ["read:lists"]}), "name"),
        (json!({"name": "x".repeat(81), "scopes": ["read:lists"]}), "name"),
        (json!({"name": "x", "scopes": []}), "scopes"),
        (json!({"name": "x", "scopes": ["key"]}), "scopes"),
        (
            json!({"name": "x", "scopes": ["read:lists", "write:everything"]}),
            "scopes",
        ),
        (json!({"name": "x", "scopes": ["read:lists"], "days": 0}), "days"),
        (json!({"name": "x", "scopes": ["read:lists"], "days": 367}), "days"),
    ] {
        let refused = send(&app, "POST", KEYS, &session, &body).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{body}");
        assert!(refused.body.to_string().contains(field), "{}", refused.body);
    }
    let body = json!({"name": "x", "scopes": ["read:lists"]});
    let all = futures::future::join_all((0..24).map(|_| send(&app, "POST", KEYS, &session, &body))).await;
    let made = all.iter().filter(|made| made.status == StatusCode::CREATED).count();
    let listed = send(&app, "GET", KEYS, &session, &Value::Null).await.body;
    assert!(made <= 20 && listed.as_array().unwrap().len() == made, "{made}");
    while send(&app, "POST", KEYS, &session, &body).await.status == StatusCode::CREATED {}
    let listed = send(&app, "GET", KEYS, &session, &Value::Null).await.body;
    assert_eq!(listed.as_array().unwrap().len(), 20);
}

#[tokio::test]
async fn a_key_makes_so_many_calls_a_minute() {
    let app = App::start().await;
    app.company_user("acme").await;
    let session = app.login("user@acme.example").await;
    let (_, key) = make(&app, &session, &["read:evidence"], None).await;
    for call in 0..120 {
        assert_eq!(
            status(
                &app,
                "/api/captures/00000000-0000-0000-0000-000000000000/evidence",
                &key
            )
            .await,
            StatusCode::NOT_FOUND,
            "{call}"
        );
    }
    let refused = app
        .get(
            "/api/captures/00000000-0000-0000-0000-000000000000/evidence",
            &[("token", key.as_str())],
        )
        .await;
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS, "{}", refused.body);
}
