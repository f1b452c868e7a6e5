//! Named states of lists.

use axum::body::Body;
use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::app::{App, TestResponse};

const VIEWS: &str = "/api/savedViews";
const ANN: &str = "user@acme.example";
const BOB: &str = "user@bolt.example";

async fn save(app: &App, email: &str, body: &Value) -> TestResponse {
    let token = app.login(email).await;
    app.post(VIEWS, body, &[("token", &token)]).await
}

async fn seen(app: &App, email: &str, path: &str) -> Vec<Value> {
    let token = app.login(email).await;
    let answer = app.get(&format!("{VIEWS}?path={path}"), &[("token", &token)]).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
    answer.body["data"].as_array().unwrap().clone()
}

async fn remove(app: &App, email: &str, id: &Value) -> StatusCode {
    let token = app.login(email).await;
    app.send("DELETE", &format!("{VIEWS}/{id}"), Body::empty(), &[("token", &token)])
        .await
        .status
}

fn view(name: &str, shared: bool) -> Value {
    json!({"name": name, "path": "/domains", "shared": shared, "search": {"perPage": 100}, "columns": {"hidden": ["tags"]}})
}

async fn with_colleagues() -> App {
    let app = App::start().await;
    app.company_user("acme").await;
    app.company_user("bolt").await;
    app.admin().await;
    let together = "update user_account set company_account_id =
        (select company_account_id from user_account where email = 'user@acme.example') where email = 'user@bolt.example'";
    app.postgres.execute(together).await;
    app
}

#[tokio::test]
async fn a_view_is_seen_by_its_user_and_by_colleagues_when_it_is_shared() {
    let app = with_colleagues().await;
    app.company_user("corp").await;
    assert_eq!(save(&app, ANN, &view("mine", false)).await.status, StatusCode::OK);
    assert_eq!(save(&app, ANN, &view("ours", true)).await.status, StatusCode::OK);
    let own = seen(&app, ANN, "/domains").await;
    let expected = json!({"id": own[0]["id"], "name": "mine", "path": "/domains", "search": {"perPage": 100},
        "columns": {"hidden": ["tags"]}, "shared": false, "own": true, "owner": ANN});
    assert_eq!(own[0], expected);
    assert_eq!(own.len(), 2);
    let of_colleague = seen(&app, BOB, "/domains").await;
    assert_eq!(of_colleague.len(), 1);
    assert_eq!(
        (&of_colleague[0]["name"], &of_colleague[0]["own"]),
        (&json!("ours"), &json!(false))
    );
    assert!(seen(&app, "user@corp.example", "/domains").await.is_empty());
    assert!(seen(&app, "admin@vigie.example", "/domains").await.is_empty());
    assert!(seen(&app, ANN, "/terms").await.is_empty());
}

#[tokio::test]
async fn a_view_of_the_same_name_is_written_over() {
    let app = with_colleagues().await;
    let first = save(&app, ANN, &view("mine", true)).await;
    let mut other = view(" mine ", false);
    other["search"] = json!({"perPage": 30});
    let second = save(&app, ANN, &other).await;
    assert_eq!(first.body["id"], second.body["id"]);
    let own = seen(&app, ANN, "/domains").await;
    assert_eq!(
        (own.len(), &own[0]["search"]["perPage"], &own[0]["shared"]),
        (1, &json!(30), &json!(false))
    );
    assert!(seen(&app, BOB, "/domains").await.is_empty());
}

#[tokio::test]
async fn only_its_user_removes_a_view() {
    let app = with_colleagues().await;
    let id = save(&app, ANN, &view("ours", true)).await.body["id"].clone();
    assert_eq!(remove(&app, BOB, &id).await, StatusCode::NOT_FOUND);
    assert_eq!(remove(&app, "admin@vigie.example", &id).await, StatusCode::NOT_FOUND);
    assert_eq!(remove(&app, ANN, &id).await, StatusCode::NO_CONTENT);
    assert_eq!(remove(&app, ANN, &id).await, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn one_user_keeps_so_many_views_and_no_more() {
    let app = with_colleagues().await;
    app.postgres
        .execute(
            "insert into saved_view (user_id, company_account_id, path, name, search)
             select id, company_account_id, '/domains', 'view ' || n, '{}' from user_account, generate_series(1, 99) n
             where email in ('user@acme.example', 'user@bolt.example')",
        )
        .await;
    let token = app.login(ANN).await;
    let bodies: Vec<Value> = (0..4).map(|n| view(&format!("at once {n}"), false)).collect();
    let headers = [("token", token.as_str())];
    let tries = bodies.iter().map(|body| app.post(VIEWS, body, &headers));
    let mut answers = futures::future::join_all(tries).await;
    answers.sort_by_key(|answer| answer.status);
    let statuses: Vec<u16> = answers.iter().map(|answer| answer.status.as_u16()).collect();
    assert_eq!(statuses, [200, 409, 409, 409]);
    assert_eq!(answers[1].body["error"]["code"], "TOO_MANY_VIEWS");
    // What is there is written over, and what is removed makes room.
    assert_eq!(save(&app, ANN, &view("view 7", false)).await.status, StatusCode::OK);
    assert_eq!(save(&app, BOB, &view("another's", false)).await.status, StatusCode::OK);
    let own = seen(&app, ANN, "/domains").await;
    assert_eq!(own.iter().filter(|view| view["own"] == true).count(), 100);
    remove(&app, ANN, &own[0]["id"]).await;
    assert_eq!(save(&app, ANN, &view("room again", false)).await.status, StatusCode::OK);
}

#[tokio::test]
async fn of_very_many_views_the_own_ones_are_told_and_some_of_colleagues() {
    let app = with_colleagues().await;
    app.postgres
        .execute(
            "insert into user_account (email, company_account_id)
             select 'colleague' || n || '@acme.example', company_account_id from user_account, generate_series(1, 4) n
             where email = 'user@acme.example';
             insert into saved_view (user_id, company_account_id, path, name, search)
             select id, company_account_id, '/domains', 'view ' || n, '{}' from user_account, generate_series(1, 100) n
             where company_account_id is not null",
        )
        .await;
    let told = seen(&app, ANN, "/domains").await;
    assert_eq!(told.len(), 300);
    assert_eq!(told.iter().filter(|view| view["own"] == true).count(), 100);
}

#[tokio::test]
async fn a_field_that_breaks_its_rules_is_named() {
    let app = with_colleagues().await;
    let large = json!({"x": "x".repeat(70_000)});
    for (email, field, value) in [
        (ANN, "name", json!(" ")),
        (ANN, "name", json!("x".repeat(81))),
        (ANN, "path", json!("https://evil.example")),
        (ANN, "path", json!("/Domains/1")),
        (ANN, "search", json!([])),
        (ANN, "search", large.clone()),
        (ANN, "columns", large),
        ("admin@vigie.example", "shared", json!(true)),
    ] {
        let mut body = view("mine", false);
        body[field] = value;
        let answer = save(&app, email, &body).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{field}");
        assert!(
            answer.body["error"]["details"]["messages"][field].is_array(),
            "{field}: {}",
            answer.body
        );
    }
}
