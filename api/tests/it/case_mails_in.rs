//! Mail that comes in over HTTP, and what staff does with it.

use axum::body::Body;
use axum::http::StatusCode;
use runtime::Secret;
use serde_json::{Value, json};

use crate::app::{App, TestResponse, settings};

const SECRET: &str = "the secret of the mail server";
const MAIL: &str = "From: Ann <ann@shop.example>\r\nSubject: Re: Your ads\r\n\r\nWe stop.\r\n";

/// A case of the brand `acme` with a mail of ours, one of the advertiser, and one that may be of a machine; and a mail without a case.
const CASE: &str = "insert into dealer (id, domain) values (900, 'shop.example');
    insert into contact (id, email, state) values (900, 'ann@shop.example', 'active');
    insert into dealer_contact (dealer_id, contact_id) values (900, 900);
    insert into action (id, domain, country, engine, status, waiting, advertiser_id, brand_id, updated_date, inprogress_date, last_status_date, contacted_at,
        received_count, unread_count, sended_count)
    select 900, 'shop.example', 'FR', 'google', 'inprogress', false, 900, id, '2026-03-01Z', '2026-02-28Z', '2026-02-28Z', '2026-02-28Z', 2, 2, 1
    from brand where name = 'acme';
    insert into inbound_mail (id, digest, raw, source, received_at, verdict, verdict_at, sender, sender_name, subject, preview, envelope_to)
    overriding system value values
        (1, sha256('1'), 'x', 'webhook', '2026-03-01Z', 'matched', '2026-03-01Z', 'ann@shop.example', 'Ann', 'Re: Your ads', 'We stop.', '{}'),
        (2, sha256('2'), 'x', 'webhook', '2026-03-01Z', 'matched', '2026-03-01Z', 'ann@shop.example', 'Ann', 'Automatic', 'Away.', '{}'),
        (3, sha256('3'), 'x', 'imap', '2026-03-01Z', 'unmatched', '2026-03-01Z', 'ann@shop.example', 'Ann', 'Hello', 'Which ads?', '{ads@mail.example}'),
        (4, sha256('4'), 'x', 'imap', '2026-03-01Z', 'unreadable', '2026-03-01Z', null, null, null, null, '{}');
    insert into email (id, action_id, direction, status, subject, body, created_date, received_date, automatic, inbound_id, left_at) values
        (900, 900, 'out', 'sent', 'Your ads', 'Hello', '2026-03-01Z', null, 'no', null, '2026-03-01Z'),
        (901, 900, 'in', 'received', 'Re: Your ads', 'We stop.', '2026-03-01Z', '2026-03-01Z', 'no', 1, null),
        (902, 900, 'in', 'received', 'Automatic', 'Away.', '2026-03-01Z', '2026-03-01Z', 'maybe', 2, null)";

async fn app() -> App {
    let mut app = App::start().await;
    let mut settings = settings();
    settings.inbound.secret = Some(Secret::new(SECRET.to_owned()));
    app.set(settings);
    app
}

async fn post(app: &App, secret: &str, raw: Vec<u8>) -> TestResponse {
    let authorization = format!("Bearer {secret}");
    let headers = [
        ("authorization", authorization.as_str()),
        ("x-envelope-from", "ann@shop.example"),
        ("x-envelope-to", "Reply+x@mail.example, ads@mail.example"),
        ("content-type", "message/rfc822"),
    ];
    app.send("POST", "/api/Emails/inbound", Body::from(raw), &headers).await
}

#[tokio::test]
async fn a_mail_server_with_the_secret_leaves_a_mail_once() {
    let app = app().await;
    for _ in 0..2 {
        let answer = post(&app, SECRET, MAIL.into()).await;
        assert_eq!((answer.status, &answer.body), (StatusCode::OK, &json!({})));
    }
    let stored: String = app
        .postgres
        .fetch("select string_agg(concat_ws(' ', source, envelope_from, envelope_to, verdict is null), ';') from inbound_mail")
        .await;
    assert_eq!(
        stored,
        "webhook ann@shop.example {reply+x@mail.example,ads@mail.example} t"
    );
    let raw: Vec<u8> = app.postgres.fetch("select raw from inbound_mail").await;
    assert_eq!(raw, MAIL.as_bytes());
}

#[tokio::test]
async fn nobody_else_leaves_one() {
    let app = app().await;
    for secret in ["", "another", &SECRET[1..]] {
        let answer = post(&app, secret, MAIL.into()).await;
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{secret}");
    }
    let stored: i64 = app.postgres.fetch("select count(*) from inbound_mail").await;
    assert_eq!(stored, 0);
    // Without a secret in the settings there is no such path.
    let closed = App::start().await;
    for secret in ["", SECRET] {
        assert_eq!(post(&closed, secret, MAIL.into()).await.status, StatusCode::NOT_FOUND);
    }
}

#[tokio::test]
async fn a_mail_over_the_limit_is_refused() {
    let app = app().await;
    for megabytes in [11, 50] {
        let answer = post(&app, SECRET, vec![b'x'; megabytes << 20]).await;
        assert_eq!(answer.status, StatusCode::PAYLOAD_TOO_LARGE, "{megabytes}");
    }
    assert_eq!(post(&app, SECRET, vec![b'x'; 9 << 20]).await.status, StatusCode::OK);
}

#[tokio::test]
async fn staff_reads_a_mail_and_says_who_wrote_it() {
    let app = app().await;
    app.company_user("acme").await;
    app.operator().await;
    app.postgres.execute(CASE).await;
    let token = app.login("operator@vigie.example").await;
    let headers = [("token", token.as_str())];
    let counts = async || -> String {
        app.postgres
            .fetch("select concat_ws(' ', waiting, received_count, unread_count) from action where id = 900")
            .await
    };
    let read = app
        .post("/api/actions/emails/901/read", &json!({"read": true}), &headers)
        .await;
    assert_eq!(read.status, StatusCode::OK, "{}", read.body);
    assert_eq!(read.body["data"]["open"], true);
    assert_eq!(counts().await, "f 2 1");
    assert!(read.body["data"]["readBy"]["name"].is_string(), "{}", read.body);
    app.post("/api/actions/emails/901/read", &json!({"read": true}), &headers)
        .await;
    assert_eq!(counts().await, "f 2 1");
    let unread = app
        .post("/api/actions/emails/901/read", &json!({"read": false}), &headers)
        .await;
    assert_eq!(unread.body["data"]["readBy"], Value::Null);
    assert_eq!(counts().await, "f 2 2");
    let ruled = app
        .post(
            "/api/actions/emails/902/automatic",
            &json!({"automatic": true}),
            &headers,
        )
        .await;
    assert_eq!(ruled.body["data"]["automatic"], "certain", "{}", ruled.body);
    assert_eq!(counts().await, "f 1 1");
    let again = app
        .post(
            "/api/actions/emails/902/automatic",
            &json!({"automatic": false}),
            &headers,
        )
        .await;
    assert_eq!(
        (again.status, &again.body["error"]["code"]),
        (StatusCode::CONFLICT, &json!("ALREADY_DECIDED"))
    );
    // A mail of ours is not read, and one that is not there neither.
    for id in [900, 7] {
        let path = format!("/api/actions/emails/{id}/read");
        assert_eq!(
            app.post(&path, &json!({"read": true}), &headers).await.status,
            StatusCode::NOT_FOUND
        );
    }
}

#[tokio::test]
async fn a_mail_without_a_case_is_given_one() {
    let app = app().await;
    app.company_user("acme").await;
    app.operator().await;
    app.postgres.execute(CASE).await;
    let token = app.login("operator@vigie.example").await;
    let headers = [("token", token.as_str())];
    let listed = app.get("/api/inboundMails?verdict=unmatched", &headers).await;
    let data = &listed.body["data"];
    assert_eq!(data.as_array().unwrap().len(), 1, "{data}");
    assert_eq!(data[0]["from"], json!({"address": "ann@shop.example", "name": "Ann"}));
    assert_eq!(data[0]["suggestions"][0]["actionID"], 900);
    assert_eq!(data[0]["suggestions"][0]["reason"], "contact");
    let unreadable = app.get("/api/inboundMails?verdict=unreadable", &headers).await;
    assert_eq!(unreadable.body["data"][0]["id"], 4);
    let other = app.get("/api/inboundMails?verdict=own", &headers).await;
    assert_eq!(other.status, StatusCode::BAD_REQUEST);
    for (path, action, status) in [
        ("/api/inboundMails/3/attach", 901, StatusCode::NOT_FOUND),
        ("/api/inboundMails/77/attach", 900, StatusCode::NOT_FOUND),
        ("/api/inboundMails/1/attach", 900, StatusCode::CONFLICT),
        ("/api/inboundMails/3/attach", 900, StatusCode::OK),
        ("/api/inboundMails/3/attach", 900, StatusCode::OK),
    ] {
        let answer = app.post(path, &json!({"actionID": action}), &headers).await;
        assert_eq!(answer.status, status, "{path} {action} {}", answer.body);
    }
    let waits: bool = app
        .postgres
        .fetch(
            "select verdict is null and attached_to = 900 and attached_by is not null from inbound_mail where id = 3",
        )
        .await;
    assert!(waits);
    for status in [StatusCode::NO_CONTENT, StatusCode::CONFLICT] {
        let taken_back = app
            .send("DELETE", "/api/inboundMails/3/attach", Body::empty(), &headers)
            .await;
        assert_eq!(taken_back.status, status, "{}", taken_back.body);
    }
    let listed = app.get("/api/inboundMails", &headers).await;
    assert_eq!(listed.body["data"][0]["id"], 3, "{}", listed.body);
    let audited: i64 = app
        .postgres
        .fetch("select count(*) from audit_entry where model = 'InboundMail'")
        .await;
    assert_eq!(audited, 2);
}

#[tokio::test]
async fn a_mail_without_a_case_is_read_put_away_and_brought_back() {
    let app = app().await;
    app.company_user("acme").await;
    app.operator().await;
    app.postgres.execute(CASE).await;
    app.postgres
        .execute("update inbound_mail set body = 'All of it', html = '<p>All of it</p>' where id = 3; update inbound_mail set failure = 'too large' where id = 4")
        .await;
    let token = app.login("operator@vigie.example").await;
    let headers = [("token", token.as_str())];
    let read = app.get("/api/inboundMails/3", &headers).await;
    assert_eq!(
        read.body["data"],
        json!({"body": "All of it", "html": "<p>All of it</p>"})
    );
    // A mail of a case is read there.
    assert_eq!(
        app.get("/api/inboundMails/1", &headers).await.status,
        StatusCode::NOT_FOUND
    );
    let count = async || app.get("/api/inboundMails?limit=0", &headers).await.body;
    assert_eq!(count().await, json!({"data": [], "unmatched": 1}));
    for (path, is_discarded, status, left) in [
        ("/api/inboundMails/3/discard", true, StatusCode::NO_CONTENT, 0),
        ("/api/inboundMails/3/discard", false, StatusCode::NO_CONTENT, 1),
        ("/api/inboundMails/3/discard", false, StatusCode::CONFLICT, 1),
        ("/api/inboundMails/1/discard", true, StatusCode::CONFLICT, 1),
        ("/api/inboundMails/77/discard", true, StatusCode::CONFLICT, 1),
    ] {
        let answer = app.post(path, &json!({"discarded": is_discarded}), &headers).await;
        assert_eq!(answer.status, status, "{path} {is_discarded} {}", answer.body);
        assert_eq!(count().await["unmatched"], left, "{path} {is_discarded}");
    }
    // What could not be read is still that when it is brought back.
    for is_discarded in [true, false] {
        let body = json!({"discarded": is_discarded});
        let answer = app.post("/api/inboundMails/4/discard", &body, &headers).await;
        assert_eq!(answer.status, StatusCode::NO_CONTENT, "{}", answer.body);
    }
    let unreadable = app.get("/api/inboundMails?verdict=unreadable", &headers).await;
    assert_eq!(unreadable.body["data"][0]["id"], 4);
}

#[tokio::test]
async fn company_users_do_nothing_of_it() {
    let app = app().await;
    app.company_user("acme").await;
    app.postgres.execute(CASE).await;
    let token = app.login("user@acme.example").await;
    let headers = [("token", token.as_str())];
    for (path, body) in [
        ("/api/actions/emails/901/read", json!({"read": true})),
        ("/api/actions/emails/902/automatic", json!({"automatic": true})),
        ("/api/inboundMails/3/attach", json!({"actionID": 900})),
        ("/api/inboundMails/3/discard", json!({"discarded": true})),
    ] {
        assert_eq!(
            app.post(path, &body, &headers).await.status,
            StatusCode::FORBIDDEN,
            "{path}"
        );
    }
    assert_eq!(
        app.get("/api/inboundMails", &headers).await.status,
        StatusCode::FORBIDDEN
    );
    let unread: i32 = app
        .postgres
        .fetch("select unread_count from action where id = 900")
        .await;
    assert_eq!(unread, 2);
}
