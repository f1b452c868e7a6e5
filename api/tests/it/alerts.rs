//! Digest alerts: who may have them, and what they may say.

use axum::body::Body;
use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::app::App;

/// A case of Acme that was opened yesterday, and one that was opened long before.
const CASES: &str = "insert into action (brand_id, domain, country, engine, status, created_date)
    select id, 'new.example', 'FR', 'google', 'new'::action_status, '2026-03-01T08:00:00Z'::timestamptz from brand where name = 'acme'
    union all
    select id, 'old.example', 'FR', 'google', 'new', '2026-01-20T08:00:00Z' from brand where name = 'acme'";

async fn delete(app: &App, path: &str, headers: &[(&str, &str)]) -> StatusCode {
    app.send("DELETE", path, Body::empty(), headers).await.status
}

fn weekly(brand: i32, recipient: i32) -> Value {
    json!({"brandId": brand, "enable": true, "cron": "0 8 * * MON", "recipientIds": [recipient], "subject": "Weekly"})
}

#[tokio::test]
async fn a_user_has_alerts_on_the_own_brands_which_no_other_company_sees() {
    let app = App::start().await;
    let (ann, eve) = (app.company_user("acme").await.0, app.company_user("bolt").await.0);
    app.operator().await;
    let acme: i32 = app.postgres.fetch("select id from brand where name = 'acme'").await;
    let tokens = [
        app.login("user@acme.example").await,
        app.login("user@bolt.example").await,
        app.login("operator@vigie.example").await,
    ];
    let token = |index: usize| [("token", tokens[index].as_str())];
    let made = app.post("/api/alerts", &weekly(acme, ann), &token(0)).await;
    assert_eq!(made.status, StatusCode::OK, "{}", made.body);
    assert_eq!(made.body["data"]["owner"], ann);
    assert!(made.body["data"]["nextSend"].is_string(), "{}", made.body);
    let of = format!("/api/alerts/{}", made.body["data"]["id"]);
    for (index, count) in [(0, 1), (1, 0), (2, 1)] {
        let listed = app.get("/api/alerts", &token(index)).await;
        assert_eq!(listed.body["data"].as_array().unwrap().len(), count, "{}", listed.body);
    }
    assert_eq!(delete(&app, &of, &token(1)).await, StatusCode::NOT_FOUND);
    let recipients = format!("/api/alerts/recipients?brandID={acme}");
    assert_eq!(app.get(&recipients, &token(1)).await.status, StatusCode::NOT_FOUND);
    let seen = app.get(&recipients, &token(0)).await;
    assert_eq!(seen.body["data"][0]["email"], "user@acme.example", "{}", seen.body);
    assert_eq!(seen.body["data"].as_array().unwrap().len(), 1, "{}", seen.body);
    let to_others = app.post("/api/alerts", &weekly(acme, eve), &token(0)).await;
    assert_eq!(to_others.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(
        to_others.body["error"]["details"]["messages"]["recipientIds"].is_array(),
        "{}",
        to_others.body
    );
    assert_eq!(delete(&app, &of, &token(0)).await, StatusCode::NO_CONTENT);
}

#[tokio::test]
async fn what_an_alert_cannot_say_is_refused_by_field() {
    let app = App::start().await;
    let ann = app.company_user("acme").await.0;
    let acme: i32 = app.postgres.fetch("select id from brand where name = 'acme'").await;
    let token = app.login("user@acme.example").await;
    for (field, value) in [
        ("cron", json!("61 * * * *")),
        ("subject", json!("Weekly\r\nBcc: eve@bolt.example")),
        ("fromName", json!("\u{202e}emcA")),
        ("from", json!("boss@bolt.example")),
        ("hookTrigger", json!("action.eaten")),
        ("recipientIds", json!([])),
        ("brandId", json!(987_654)),
    ] {
        let mut body = weekly(acme, ann);
        body[field] = value;
        let refused = app.post("/api/alerts", &body, &[("token", &token)]).await;
        assert_eq!(
            refused.status,
            StatusCode::UNPROCESSABLE_ENTITY,
            "{field}: {}",
            refused.body
        );
        assert!(
            refused.body["error"]["details"]["messages"][field].is_array(),
            "{field}: {}",
            refused.body
        );
    }
    let ahead = app
        .post(
            "/api/alerts/schedule",
            &json!({"frequency": "2 weeks"}),
            &[("token", &token)],
        )
        .await;
    assert_eq!(ahead.body["next"].as_array().map(Vec::len), Some(3), "{}", ahead.body);
}

#[tokio::test]
async fn what_is_wrong_with_an_alert_is_said_in_the_language_of_its_reader() {
    let app = App::start().await;
    let ann = app.company_user("acme").await.0;
    let acme: i32 = app.postgres.fetch("select id from brand where name = 'acme'").await;
    let token = app.login("user@acme.example").await;
    let mut body = weekly(acme, ann);
    body["cron"] = json!("61 * * * *");
    body["recipientIds"] = json!([]);
    for (language, cron, recipients) in [
        ("fr", "n'est pas une expression cron", "compte de 1 à 50 utilisateurs"),
        ("de", "is no cron expression", "has 1 to 50 users"),
    ] {
        let headers = [("token", token.as_str()), ("accept-language", language)];
        let refused = app.post("/api/alerts", &body, &headers).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", refused.body);
        let messages = &refused.body["error"]["details"]["messages"];
        assert!(messages["cron"][0].as_str().unwrap().starts_with(cron), "{messages}");
        assert_eq!(messages["recipientIds"][0], recipients);
        let text = refused.body["error"]["message"].as_str().unwrap();
        assert!(text.contains(recipients), "{text}");
        assert_eq!(refused.body["error"]["name"], "ValidationError");
    }
}

#[tokio::test]
async fn changes_of_alerts_are_in_the_audit_log() {
    let app = App::start().await;
    let ann = app.company_user("acme").await.0;
    let acme: i32 = app.postgres.fetch("select id from brand where name = 'acme'").await;
    let token = app.login("user@acme.example").await;
    let token = [("token", token.as_str())];
    let made = app.post("/api/alerts", &weekly(acme, ann), &token).await;
    let of = format!("/api/alerts/{}", made.body["data"]["id"]);
    let mut changed = weekly(acme, ann);
    changed["subject"] = json!("Daily");
    let body = Body::from(changed.to_string());
    let headers = [token[0], ("content-type", "application/json")];
    assert_eq!(app.send("PUT", &of, body, &headers).await.status, StatusCode::OK);
    assert_eq!(delete(&app, &of, &token).await, StatusCode::NO_CONTENT);
    let logged: String = app
        .postgres
        .fetch(
            "select string_agg(concat_ws(' ', event, details #>> '{before,subject}', details #>> '{after,subject}', actor_id is not null), ', ' order by id)
             from audit_entry where model = 'Alert'",
        )
        .await;
    assert_eq!(logged, "create Weekly t, change Weekly Daily t, remove Daily t");
}

#[tokio::test]
async fn an_alert_of_a_deleted_brand_is_off_and_says_so_to_its_owner() {
    let app = App::start().await;
    let ann = app.company_user("acme").await.0;
    app.company_user("bolt").await;
    let acme: i32 = app.postgres.fetch("select id from brand where name = 'acme'").await;
    let token = app.login("user@acme.example").await;
    let made = app.post("/api/alerts", &weekly(acme, ann), &[("token", &token)]).await;
    assert_eq!(made.body["data"]["offReason"], Value::Null, "{}", made.body);
    app.postgres.execute("delete from brand where name = 'acme'").await;
    // What a session sees of brands is kept for a moment.
    let token = app.login("user@acme.example").await;
    let listed = app.get("/api/alerts", &[("token", &token)]).await;
    let alert = &listed.body["data"][0];
    assert_eq!(
        (&alert["enable"], &alert["offReason"], &alert["offAt"].is_string()),
        (&json!(false), &json!("brand_deleted"), &true),
        "{}",
        listed.body
    );
    assert!(
        alert["brand"]
            .as_str()
            .is_some_and(|brand| brand.eq_ignore_ascii_case("acme")),
        "{alert}"
    );
    let other = app.login("user@bolt.example").await;
    let listed = app.get("/api/alerts", &[("token", &other)]).await;
    assert_eq!(listed.body["data"], json!([]), "of another owner");
}

#[tokio::test]
async fn a_recipient_leaves_an_alert_in_one_click_from_its_mail() {
    const MESSAGE_ID: &str = "8d3a7e0e-5f0c-4a53-9c5e-0a4f3f0f7d11";
    const KEY: &str = "0f1f7f0e-3c55-4a0b-8d1c-6f0b7b9a2e52";
    const KEY_OF_ANOTHER_KIND: &str = "1b6f1a7e-91d4-4f4e-a1a7-2f3f4d5c6b73";
    let app = App::start().await;
    let ann = app.company_user("acme").await.0;
    let acme: i32 = app.postgres.fetch("select id from brand where name = 'acme'").await;
    let token = app.login("user@acme.example").await;
    let made = app.post("/api/alerts", &weekly(acme, ann), &[("token", &token)]).await;
    let queued = format!(
        "insert into mail_outbox (business_key, kind, user_id, recipients, message_id, leave_key, context)
         values ('alert:1', 'alert', {ann}, '[\"user@acme.example\"]', '{MESSAGE_ID}', '{KEY}', '{{\"alert\": {}}}'),
                ('reset:1', 'reset', {ann}, '[\"user@acme.example\"]', 'other', '{KEY_OF_ANOTHER_KIND}', '{{}}')",
        made.body["data"]["id"]
    );
    app.postgres.execute(queued.leak()).await;
    let recipients = async || {
        let listed = app.get("/api/alerts", &[("token", &token)]).await;
        listed.body["data"][0]["recipientIds"].clone()
    };
    let post = async |mail: &str| {
        let body = Body::from("List-Unsubscribe=One-Click");
        let headers = [("content-type", "application/x-www-form-urlencoded")];
        app.send("POST", &format!("/api/alerts/unsubscribe/{mail}"), body, &headers)
            .await
            .status
    };
    let opened = app.get(&format!("/api/alerts/unsubscribe/{KEY}"), &[]).await;
    assert_eq!(
        opened.status,
        StatusCode::SEE_OTHER,
        "looking at a link changes nothing"
    );
    for unknown in ["nothing", MESSAGE_ID, KEY_OF_ANOTHER_KIND] {
        assert_eq!(post(unknown).await, StatusCode::NOT_FOUND, "{unknown}");
    }
    assert_eq!(recipients().await, json!([ann]));
    assert_eq!(post(KEY).await, StatusCode::NO_CONTENT);
    assert_eq!(recipients().await, json!([]));
    assert_eq!(post(KEY).await, StatusCode::NO_CONTENT, "again");
}

#[tokio::test]
async fn an_alert_is_tried_on_what_happened_and_goes_to_nobody_else() {
    let app = App::start().await;
    let ann = app.company_user("acme").await.0;
    app.company_user("bolt").await;
    let acme: i32 = app.postgres.fetch("select id from brand where name = 'acme'").await;
    app.postgres.execute(CASES).await;
    let (own, other) = (
        app.login("user@acme.example").await,
        app.login("user@bolt.example").await,
    );
    let after = |hook: &str| {
        let mut body = weekly(acme, ann);
        body["hookTrigger"] = json!(hook);
        body
    };
    let headers = [("token", own.as_str()), ("accept-language", "fr")];
    let shown = app.post("/api/alerts/preview", &after("action.new"), &headers).await;
    assert_eq!(shown.status, StatusCode::OK, "{}", shown.body);
    assert_eq!(shown.body["data"]["subject"], "Weekly");
    let text = shown.body["data"]["body"].as_str().unwrap();
    assert!(
        text.starts_with("Bonjour") && text.contains("new.example") && !text.contains("old.example"),
        "{text}"
    );
    let of_others = app
        .post("/api/alerts/preview", &after("action.new"), &[("token", &other)])
        .await;
    assert_eq!(of_others.status, StatusCode::UNPROCESSABLE_ENTITY);

    // As many tests as are let through, each to the caller.
    for _ in 0..5 {
        let sent = app.post("/api/alerts/test", &after("action.new"), &headers).await;
        assert_eq!(sent.status, StatusCode::NO_CONTENT, "{}", sent.body);
    }
    let sixth = app.post("/api/alerts/test", &after("action.new"), &headers).await;
    assert_eq!(sixth.status, StatusCode::TOO_MANY_REQUESTS);
    let queued: String = app
        .postgres
        .fetch("select count(*) || ' ' || string_agg(distinct recipients ->> 0, ',') from mail_outbox where kind = 'trial'")
        .await;
    assert_eq!(queued, "5 user@acme.example");
    let stored: i64 = app.postgres.fetch("select count(*) from alert").await;
    assert_eq!(stored, 0);
}

#[tokio::test]
async fn administrators_write_texts_which_alerts_of_the_brand_can_have() {
    let app = App::start().await;
    let ann = app.company_user("acme").await.0;
    app.company_user("bolt").await;
    app.admin().await;
    app.postgres.execute(CASES).await;
    let acme: i32 = app.postgres.fetch("select id from brand where name = 'acme'").await;
    let (user, bolt, admin) = (
        app.login("user@acme.example").await,
        app.login("user@bolt.example").await,
        app.login("admin@vigie.example").await,
    );
    let (user, bolt, admin) = (
        [("token", user.as_str())],
        [("token", bolt.as_str())],
        [("token", admin.as_str())],
    );
    let text = json!({"label": "Brief", "language": "fr", "brandId": acme, "subject": "{{ brand }}",
        "body": "Nouveaux : {{ opened.count }}{% for case in opened.cases %} {{ case.domain }}{% endfor %}"});
    assert_eq!(
        app.post("/api/alerts/texts", &text, &user).await.status,
        StatusCode::FORBIDDEN
    );
    let stored = app.post("/api/alerts/texts", &text, &admin).await;
    assert_eq!(stored.status, StatusCode::OK, "{}", stored.body);
    let id = stored.body["data"]["id"].as_i64().unwrap();
    // The templates of mails to advertisers are others.
    let others = app.get("/api/mailTemplates", &admin).await;
    assert!(
        others.body["data"]
            .as_array()
            .unwrap()
            .iter()
            .all(|one| one["id"] != id),
        "{}",
        others.body
    );
    let of_brand = format!("/api/alerts/texts?brandID={acme}");
    assert_eq!(app.get(&of_brand, &user).await.body["data"][0]["id"], id);
    assert_eq!(app.get("/api/alerts/texts", &bolt).await.body["data"], json!([]));

    let mut alert = weekly(acme, ann);
    alert["templateId"] = json!(id);
    alert["subject"] = Value::Null;
    let preview = app.post("/api/alerts/preview", &alert, &user).await;
    assert_eq!(
        preview.body["data"],
        json!({"subject": "acme", "body": "Nouveaux : 1 new.example"}),
        "{}",
        preview.body
    );
    let trial = json!({"brandId": acme, "language": "en", "subject": "{{ brand }}", "body": "{% if hits %}{{ hits.count }}{% endif %}", "ofEvents": true});
    let tried = app.post("/api/alerts/texts/preview", &trial, &admin).await;
    assert_eq!(
        tried.body["data"],
        json!({"subject": "acme", "body": "1"}),
        "{}",
        tried.body
    );
    let made = app.post("/api/alerts", &alert, &user).await;
    assert_eq!(made.body["data"]["templateId"], id, "{}", made.body);

    // A changed text is a new version, which the alert has from then on.
    let path = format!("/api/alerts/texts/{id}");
    let mut next = text.clone();
    next["subject"] = json!("{{ brand }}!");
    let headers = [admin[0], ("content-type", "application/json")];
    let changed = app.send("PUT", &path, Body::from(next.to_string()), &headers).await;
    assert_eq!(
        (changed.status, &changed.body["data"]["version"]),
        (StatusCode::OK, &json!(2)),
        "{}",
        changed.body
    );
    assert_eq!(changed.body["data"]["alerts"], 1);
    let again = app.send("PUT", &path, Body::from(next.to_string()), &headers).await;
    assert_eq!(again.status, StatusCode::NOT_FOUND, "it is not the newest");
    let newest = changed.body["data"]["id"].as_i64().unwrap();
    assert_eq!(
        app.get("/api/alerts", &user).await.body["data"][0]["templateId"],
        newest
    );
    alert["templateId"] = json!(id);
    assert_eq!(
        app.post("/api/alerts", &alert, &user).await.status,
        StatusCode::UNPROCESSABLE_ENTITY
    );

    assert_eq!(
        delete(&app, &format!("/api/alerts/texts/{newest}"), &user).await,
        StatusCode::FORBIDDEN
    );
    assert_eq!(
        delete(&app, &format!("/api/alerts/texts/{newest}"), &admin).await,
        StatusCode::NO_CONTENT
    );
    assert_eq!(
        app.get("/api/alerts", &user).await.body["data"][0]["templateId"],
        Value::Null
    );
}

#[tokio::test]
async fn a_text_that_cannot_be_filled_in_is_refused_at_its_field() {
    let app = App::start().await;
    app.admin().await;
    let token = app.login("admin@vigie.example").await;
    let admin = [("token", token.as_str())];
    let text = json!({"label": "Brief", "language": "fr", "subject": "{{ brand }}", "body": "{{ opened.count }}"});
    for (field, value) in [
        ("body", "{{ nothing }}"),
        ("subject", "{{ opened.nothing }}"),
        ("body", "{% include 'x' %}"),
        ("label", " "),
        ("language", "de"),
    ] {
        let mut wrong = text.clone();
        wrong[field] = json!(value);
        let refused = app.post("/api/alerts/texts", &wrong, &admin).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{field} {value}");
        assert!(
            refused.body["error"]["details"]["messages"][field].is_array(),
            "{}",
            refused.body
        );
    }
}
