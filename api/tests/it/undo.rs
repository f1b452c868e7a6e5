//! Undoing what one operation changed.

use axum::http::StatusCode;
use chrono::TimeDelta;
use serde_json::{Value, json};

use crate::app::{App, TestResponse};

const OPERATION: &str = "0b8c4cc2-5c1a-4f1c-9d1e-0d6f8f0b7a11";

/// An administrator with three terms, one of each state.
async fn world() -> (App, String, Vec<i64>) {
    let app = App::start().await;
    app.admin().await;
    let token = app.login("admin@vigie.example").await;
    let mut terms = Vec::new();
    for (term, state) in [
        ("red shoes", "enabled"),
        ("blue shoes", "disabled"),
        ("boots", "archived"),
    ] {
        let body = json!({"term": term, "state": state, "every": 3_600_000, "options": {"saveShoppingAds": true}});
        let made = app.post("/api/Terms", &body, &[("token", &token)]).await;
        assert_eq!(made.status, StatusCode::OK, "{}", made.body);
        terms.push(made.body["id"].as_i64().unwrap());
    }
    (app, token, terms)
}

/// Sends a request as a part of the operation.
async fn send(app: &App, token: &str, method: &str, path: &str, body: &Value) -> (StatusCode, Value) {
    let headers = [
        ("token", token),
        ("content-type", "application/json"),
        ("x-operation", OPERATION),
    ];
    let (status, text) = app.text(method, path, &body.to_string(), &headers).await;
    (status, serde_json::from_str(&text).unwrap_or_default())
}

fn of_ids(path: &str, ids: &[i64]) -> String {
    let condition = json!({"id": {"inq": ids}}).to_string();
    let query: String = url::form_urlencoded::byte_serialize(condition.as_bytes()).collect();
    format!("{path}?where={query}")
}

async fn change(app: &App, token: &str, ids: &[i64], body: &Value) {
    let (status, answer) = send(app, token, "PATCH", &of_ids("/api/Terms", ids), body).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
}

async fn undo(app: &App, token: &str) -> TestResponse {
    let path = format!("/api/Undo/{OPERATION}");
    app.post(&path, &json!({}), &[("token", token)]).await
}

fn code(refused: &TestResponse) -> (u16, &str) {
    (
        refused.status.as_u16(),
        refused.body["error"]["code"].as_str().unwrap_or_default(),
    )
}

const TERMS: &str =
    "select string_agg(concat_ws(' ', id, state, every, keyword_type, options), '|' order by id) from term";

#[tokio::test]
async fn all_calls_of_an_operation_are_undone_as_one_and_once() {
    let (app, token, terms) = world().await;
    let before: String = app.postgres.fetch(TERMS).await;
    app.postgres.execute("update term set schedule_stale = false").await;
    change(&app, &token, &terms[..2], &json!({"state": "archived"})).await;
    change(
        &app,
        &token,
        &terms,
        &json!({"state": "enabled", "every": 0, "options": {"saveOrganicResults": true}}),
    )
    .await;
    let undone = undo(&app, &token).await;
    assert_eq!((undone.status, &undone.body), (StatusCode::OK, &json!({"count": 3})));
    assert_eq!(app.postgres.fetch::<String>(TERMS).await, before);
    let stale: i64 = app
        .postgres
        .fetch("select count(*) from term where schedule_stale")
        .await;
    assert_eq!(stale, 3, "they are planned again");
    assert_eq!(code(&undo(&app, &token).await).0, 404, "it is undone already");
    let log = app
        .get(
            &format!("/api/audit?model=Term&event=change&target={}", terms[0]),
            &[("token", &token)],
        )
        .await;
    assert_eq!(log.body["data"][0]["details"]["after"]["every"], 3_600_000);
    assert_eq!(
        log.body["data"].as_array().unwrap().len(),
        3,
        "undoing is a change, too"
    );
}

#[tokio::test]
async fn nothing_is_undone_where_a_person_changed_the_same_field_since() {
    let (app, token, terms) = world().await;
    app.second_admin().await;
    let second = app.login("second@vigie.example").await;
    change(&app, &token, &terms, &json!({"state": "enabled"})).await;
    let path = format!("/api/Terms/{}", terms[1]);
    let headers = [("token", second.as_str()), ("content-type", "application/json")];
    let other_field = app
        .text("PATCH", &path, &json!({"every": 0}).to_string(), &headers)
        .await;
    assert_eq!(other_field.0, StatusCode::OK);
    let same_field = app
        .text("PATCH", &path, &json!({"state": "archived"}).to_string(), &headers)
        .await;
    assert_eq!(same_field.0, StatusCode::OK);
    let now: String = app.postgres.fetch(TERMS).await;
    assert_eq!(code(&undo(&app, &token).await), (409, "CHANGED_MEANWHILE"));
    assert_eq!(app.postgres.fetch::<String>(TERMS).await, now, "all or nothing");
    // Changed back by the second, it is as the first one left it.
    let back = app
        .text("PATCH", &path, &json!({"state": "enabled"}).to_string(), &headers)
        .await;
    assert_eq!(back.0, StatusCode::OK);
    assert_eq!(undo(&app, &token).await.status, StatusCode::OK);
    let every: i64 = app
        .postgres
        .fetch("select every from term where term = 'blue shoes'")
        .await;
    assert_eq!(every, 0, "what the second one changed stays");
}

#[tokio::test]
async fn an_operation_is_its_authors_alone_and_for_a_moment() {
    let (app, token, terms) = world().await;
    app.second_admin().await;
    let second = app.login("second@vigie.example").await;
    change(&app, &token, &terms, &json!({"state": "enabled"})).await;
    assert_eq!(code(&undo(&app, &second).await).0, 404);
    // The same name is another operation when another user gives it.
    change(&app, &second, &terms[..1], &json!({"state": "archived"})).await;
    assert_eq!(undo(&app, &second).await.body, json!({"count": 1}));
    app.state.clock.advance(TimeDelta::seconds(16));
    assert_eq!(code(&undo(&app, &token).await), (409, "UNDO_OVER"));
    let enabled: i64 = app
        .postgres
        .fetch("select count(*) from term where state = 'enabled'")
        .await;
    assert_eq!(enabled, 3);
}

#[tokio::test]
async fn of_two_undos_at_once_one_is_done() {
    let (app, token, terms) = world().await;
    let before: String = app.postgres.fetch(TERMS).await;
    change(&app, &token, &terms, &json!({"state": "enabled"})).await;
    let (one, other) = tokio::join!(undo(&app, &token), undo(&app, &token));
    let mut statuses = [one.status.as_u16(), other.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 404]);
    assert_eq!(app.postgres.fetch::<String>(TERMS).await, before);
}

#[tokio::test]
async fn an_undo_that_breaks_off_changes_nothing_and_can_be_repeated() {
    let (app, token, terms) = world().await;
    change(&app, &token, &terms, &json!({"state": "enabled"})).await;
    let now: String = app.postgres.fetch(TERMS).await;
    app.postgres
        .execute("create trigger full_log before insert on audit_entry for each row execute function refuse_change()")
        .await;
    assert!(!undo(&app, &token).await.status.is_success());
    assert_eq!(app.postgres.fetch::<String>(TERMS).await, now);
    app.postgres.execute("drop trigger full_log on audit_entry").await;
    assert_eq!(undo(&app, &token).await.status, StatusCode::OK);
}

#[tokio::test]
async fn an_unnamed_change_cannot_be_undone_and_a_wrong_name_is_refused() {
    let (app, token, terms) = world().await;
    let path = format!("/api/Terms/{}", terms[0]);
    let headers = [("token", token.as_str()), ("content-type", "application/json")];
    let unnamed = app.text("PATCH", &path, "{\"every\": 0}", &headers).await;
    assert_eq!(unnamed.0, StatusCode::OK);
    assert_eq!(undo(&app, &token).await.status, StatusCode::NOT_FOUND);
    let wrong = [
        ("token", token.as_str()),
        ("content-type", "application/json"),
        ("x-operation", "7"),
    ];
    let refused = app.text("PATCH", &path, "{\"every\": 1}", &wrong).await;
    assert_eq!(refused.0, StatusCode::BAD_REQUEST);
    let every: i64 = app
        .postgres
        .fetch("select every from term where term = 'red shoes'")
        .await;
    assert_eq!(every, 0);
}
