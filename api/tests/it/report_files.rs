//! Reports as PDF: who may have them, and what the token of a print opens.

use axum::http::StatusCode;
use postgres::tokens::{self, NewToken};
use serde_json::json;
use vocabulary::UserId;

use crate::app::App;

#[tokio::test]
async fn a_report_is_for_the_user_who_asked_for_it_as_long_as_the_brand_is_seen() {
    let app = App::start().await;
    app.company_user("acme").await;
    app.company_user("bolt").await;
    let acme: i32 = app.postgres.fetch("select id from brand where name = 'acme'").await;
    let (ann, eve) = (
        app.login("user@acme.example").await,
        app.login("user@bolt.example").await,
    );
    let body = json!({"brandId": acme, "month": "2026-01", "timeZone": "Europe/Paris"});
    let headers = [("token", ann.as_str()), ("accept-language", "fr")];
    let asked = app.post("/api/reports", &body, &headers).await;
    assert_eq!(asked.status, StatusCode::ACCEPTED, "{}", asked.body);
    assert_eq!(asked.body["state"], "waiting");
    let order: String = app
        .postgres
        .fetch("select concat_ws(' ', month, language, time_zone) from report_file")
        .await;
    assert_eq!(order, "2026-01-01 fr Europe/Paris");
    let path = format!("/api/reports/{}", asked.body["id"]);
    let file = format!("{path}/file");
    assert_eq!(app.get(&path, &headers).await.body["state"], "waiting");
    assert_eq!(app.get(&file, &headers).await.status, StatusCode::NOT_FOUND, "not yet");
    app.postgres
        .execute("update report_file set pdf = '%PDF-1.7', settled_at = now()")
        .await;
    assert_eq!(app.get(&path, &headers).await.body["state"], "ready");
    let sent = app.get(&file, &headers).await;
    assert_eq!(sent.status, StatusCode::OK);
    assert_eq!(sent.headers["content-type"], "application/pdf");
    let disposition = sent.headers["content-disposition"].to_str().unwrap();
    assert_eq!(disposition, "attachment; filename=\"report-acme-2026-01.pdf\"");
    for path in [&path, &file] {
        let of_others = app.get(path, &[("token", &eve)]).await;
        assert_eq!(of_others.status, StatusCode::NOT_FOUND, "{path}");
    }
    app.postgres.execute("delete from brand_company_account").await;
    for path in [&path, &file] {
        assert_eq!(app.get(path, &headers).await.status, StatusCode::NOT_FOUND, "{path}");
    }
    let blind = app.post("/api/reports", &body, &headers).await;
    assert_eq!(blind.status, StatusCode::UNPROCESSABLE_ENTITY);
}

#[tokio::test]
async fn what_cannot_be_reported_is_refused_by_field_in_the_language_of_its_reader() {
    let app = App::start().await;
    app.company_user("acme").await;
    let token = app.login("user@acme.example").await;
    for (field, value) in [
        ("month", json!("2126-01")),
        ("month", json!("2026-13")),
        ("month", json!("../../etc")),
        ("brandId", json!(987_654)),
        ("timeZone", json!("Mars/Olympus")),
    ] {
        let mut body = json!({"month": "2026-01"});
        body[field] = value.clone();
        let headers = [("token", token.as_str()), ("accept-language", "fr")];
        let refused = app.post("/api/reports", &body, &headers).await;
        assert_eq!(
            refused.status,
            StatusCode::UNPROCESSABLE_ENTITY,
            "{field} {value}: {}",
            refused.body
        );
        let text = refused.body["error"]["details"]["messages"][field][0].as_str().unwrap();
        assert!(text.starts_with("n'est pas"), "{text}");
    }
    for asked in 1..=21 {
        let body = json!({"month": "2026-01"});
        let answer = app.post("/api/reports", &body, &[("token", &token)]).await;
        let wanted = if asked > 20 {
            StatusCode::TOO_MANY_REQUESTS
        } else {
            StatusCode::ACCEPTED
        };
        assert_eq!(answer.status, wanted, "{asked}");
    }
    assert_eq!(
        app.postgres.fetch::<i64>("select count(*) from report_file").await,
        1,
        "one waits"
    );
}

#[tokio::test]
async fn the_token_of_a_print_reads_figures_and_nothing_else() {
    let app = App::start().await;
    let ann = app.company_user("acme").await.0;
    let acme: i32 = app.postgres.fetch("select id from brand where name = 'acme'").await;
    let secret = tokens::fresh();
    let new = NewToken {
        digest: &tokens::digest(&secret),
        user: UserId(ann),
        ttl: 120,
        scopes: Some(&[tokens::REPORT_SCOPE.to_owned()]),
        created: app.state.clock.now(),
        made_in: None,
        impersonated_by: None,
        user_agent: None,
    };
    tokens::create(&app.state.postgres, &new).await.unwrap();
    let by_header = [("authorization", secret.as_str()), ("accept-language", "fr")];
    let of_brand = format!("/api/Brands/{acme}");
    let figures = "/api/home/cases?filters[date][between][start]=2026-01-01T00:00:00Z&filters[date][between][end]=2026-02-01T00:00:00Z";
    for path in ["/api/UserAccounts/me", figures, &of_brand] {
        assert_eq!(app.get(path, &by_header).await.status, StatusCode::OK, "{path}");
    }
    let language: Option<String> = app
        .postgres
        .fetch("select language from user_account where email = 'user@acme.example'")
        .await;
    assert_eq!(language, None, "a print is no session whose language counts");
    for path in [
        "/api/Brands",
        "/api/Brands/",
        "/api/UserAccounts",
        "/api/keys",
        "/api/sessions",
        "/api/reports/1",
        "/api/Sems/findAdvertisers",
    ] {
        let refused = app.get(path, &by_header).await.status;
        assert!(
            refused == StatusCode::FORBIDDEN || refused == StatusCode::NOT_FOUND,
            "{path}: {refused}"
        );
    }
    let written = app.post("/api/reports", &json!({"month": "2026-01"}), &by_header).await;
    assert_eq!(written.status, StatusCode::FORBIDDEN);
    let cookie = format!("access_token={secret}");
    let by_cookie = app.get(figures, &[("cookie", &cookie)]).await;
    assert_eq!(by_cookie.status, StatusCode::UNAUTHORIZED);
}
