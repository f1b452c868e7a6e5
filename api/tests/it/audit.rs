//! The log of what administrators change.

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::app::App;

async fn entries(app: &App, token: &str, query: &str) -> Vec<Value> {
    let answer = app.get(&format!("/api/audit?{query}"), &[("token", token)]).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
    answer.body["data"].as_array().unwrap().clone()
}

async fn write(app: &App, token: &str, method: &str, path: &str, body: &Value) -> StatusCode {
    let headers = [("token", token), ("content-type", "application/json")];
    app.text(method, path, &body.to_string(), &headers).await.0
}

#[tokio::test]
async fn a_change_is_kept_with_what_it_was_and_without_secrets() {
    let app = App::start().await;
    app.admin().await;
    let user = app.company_user("acme").await;
    let token = app.login("admin@vigie.example").await;
    let body = json!({
        "firstName": "Ann",
        "password": "An0ther!Secret",
        "dashboards": {"clicdata": {"login": "ann", "password": "hunter2"}},
    });
    let path = format!("/api/UserAccounts/{user}");
    assert_eq!(write(&app, &token, "PATCH", &path, &body).await, StatusCode::OK);
    let log = entries(&app, &token, &format!("model=UserAccount&target={user}&event=change")).await;
    assert_eq!(log.len(), 1);
    assert_eq!(
        log[0]["details"],
        json!({"before": {"firstName": null}, "after": {"firstName": "Ann"}, "secrets": ["dashboards", "password"]})
    );
    assert_eq!(log[0]["actor"]["email"], "admin@vigie.example");
    assert_eq!(log[0]["actingAs"], Value::Null);
    let stored: String = app
        .postgres
        .fetch("select string_agg(e::text, '|') from audit_entry e")
        .await;
    assert!(!stored.contains("hunter2") && !stored.contains("argon2"), "{stored}");
}

#[tokio::test]
async fn every_kind_of_change_is_kept() {
    let app = App::start().await;
    app.admin().await;
    let user = app.company_user("acme").await;
    let token = app.login("admin@vigie.example").await;
    let role: i64 = app
        .postgres
        .fetch("select id::int8 from role where name = 'operator'")
        .await;
    let link = format!("/api/UserAccounts/{user}/roles/rel/{role}");
    assert_eq!(write(&app, &token, "PUT", &link, &json!({})).await, StatusCode::OK);
    assert_eq!(
        write(&app, &token, "DELETE", &link, &json!({})).await,
        StatusCode::NO_CONTENT
    );
    let made = app
        .post("/api/CompanyAccounts", &json!({"name": "Bolt"}), &[("token", &token)])
        .await;
    let company = made.body["id"].as_i64().unwrap();
    let renamed = format!("/api/CompanyAccounts/update?where=%7B%22id%22:{company}%7D");
    assert_eq!(
        write(&app, &token, "POST", &renamed, &json!({"name": "Volt"})).await,
        StatusCode::OK
    );
    let path = format!("/api/CompanyAccounts/{company}");
    assert_eq!(write(&app, &token, "DELETE", &path, &json!({})).await, StatusCode::OK);
    let told: Vec<Value> = entries(&app, &token, "")
        .await
        .iter()
        .map(|entry| json!([entry["event"], entry["model"], entry["details"]]))
        .collect();
    let joined = json!({"relation": "roles", "model": "Role", "id": role});
    let made = json!({"after": {"name": "Bolt", "notificationAuto": false}});
    let gone = json!({"before": {"id": company, "name": "Volt", "totalViews": 0, "notificationAuto": false}});
    let named = json!({"before": {"name": "Bolt"}, "after": {"name": "Volt"}});
    let expected = json!([
        ["remove", "CompanyAccount", gone],
        ["change", "CompanyAccount", named],
        ["create", "CompanyAccount", made],
        ["unlink", "UserAccount", joined],
        ["link", "UserAccount", joined],
    ]);
    assert_eq!(json!(told), expected);
}

#[tokio::test]
async fn a_change_that_cannot_be_kept_is_not_made() {
    let app = App::start().await;
    app.admin().await;
    let user = app.company_user("acme").await;
    let token = app.login("admin@vigie.example").await;
    app.postgres
        .execute("create trigger full_log before insert on audit_entry for each row execute function refuse_change()")
        .await;
    let role: i64 = app
        .postgres
        .fetch("select id::int8 from role where name = 'admin'")
        .await;
    for (method, path, body) in [
        (
            "PATCH",
            format!("/api/UserAccounts/{user}"),
            json!({"firstName": "Ann"}),
        ),
        ("DELETE", format!("/api/UserAccounts/{user}"), json!({})),
        ("PUT", format!("/api/UserAccounts/{user}/roles/rel/{role}"), json!({})),
        ("POST", "/api/CompanyAccounts".to_owned(), json!({"name": "Bolt"})),
        ("POST", format!("/api/UserAccounts/{user}/accessTokens"), json!({})),
    ] {
        let status = write(&app, &token, method, &path, &body).await;
        assert!(
            status.is_server_error() || status == StatusCode::CONFLICT,
            "{method} {path}: {status}"
        );
    }
    let left: String = app
        .postgres
        .fetch(
            "select concat_ws(' ', (select count(*) from user_account where first_name is null),
                 (select count(*) from role_mapping), (select count(*) from company_account), (select count(*) from access_token))",
        )
        .await;
    assert_eq!(left, "2 1 1 1");
}

#[tokio::test]
async fn what_a_user_changes_of_the_own_account_is_nobody_elses_business() {
    let app = App::start().await;
    app.admin().await;
    app.company_user("acme").await;
    let user = app.login("user@acme.example").await;
    let path = "/api/UserAccounts/me";
    assert_eq!(
        write(&app, &user, "PATCH", path, &json!({"firstName": "Ann"})).await,
        StatusCode::OK
    );
    let token = app.login("admin@vigie.example").await;
    assert!(entries(&app, &token, "").await.is_empty());
}

#[tokio::test]
async fn pages_follow_each_other_without_gap() {
    let app = App::start().await;
    app.admin().await;
    let token = app.login("admin@vigie.example").await;
    let many: Vec<Value> = (0..5)
        .map(|place| json!({"name": format!("Company {place}")}))
        .collect();
    app.post("/api/CompanyAccounts", &json!(many), &[("token", &token)])
        .await;
    let (mut names, mut before) = (Vec::new(), String::new());
    loop {
        let page = app
            .get(&format!("/api/audit?limit=2{before}"), &[("token", &token)])
            .await
            .body;
        for entry in page["data"].as_array().unwrap() {
            names.push(entry["details"]["after"]["name"].as_str().unwrap().to_owned());
        }
        match page["next"].as_i64() {
            Some(next) => before = format!("&before={next}"),
            None => break,
        }
    }
    assert_eq!(names, ["Company 4", "Company 3", "Company 2", "Company 1", "Company 0"]);
}

#[tokio::test]
async fn nobody_but_an_administrator_reads_it() {
    let app = App::start().await;
    app.company_user("acme").await;
    app.operator().await;
    for email in ["user@acme.example", "operator@vigie.example"] {
        let token = app.login(email).await;
        let answer = app.get("/api/audit", &[("token", &token)]).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN);
    }
}

#[tokio::test]
async fn a_row_that_cannot_be_joined_is_not_made() {
    let app = App::start().await;
    app.admin().await;
    let token = app.login("admin@vigie.example").await;
    let made = app
        .post("/api/Dealers", &json!({"domain": "shop.example"}), &[("token", &token)])
        .await;
    let dealer = made.body["id"].as_i64().unwrap();
    app.postgres
        .execute("create trigger no_join before insert on dealer_contact for each row execute function refuse_change()")
        .await;
    let path = format!("/api/Dealers/{dealer}/contacts");
    let refused = app
        .post(&path, &json!({"email": "jane@shop.example"}), &[("token", &token)])
        .await;
    assert!(!refused.status.is_success());
    let contacts: i64 = app.postgres.fetch("select count(*) from contact").await;
    assert_eq!(contacts, 0);
}
