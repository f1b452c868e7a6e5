//! Logins and passwords of outside dashboards: written, and never answered.

use api::dashboards;
use axum::http::StatusCode;
use runtime::Secret;
use runtime::sealing::Keys;
use serde_json::{Value, json};

use crate::app::{App, settings};

const MARK: &str = "hunter2-of-clicdata";

/// Everything that the database holds, as a dump has it.
async fn dump(app: &App) -> String {
    app.postgres
        .fetch("select string_agg(u::text, '|') || coalesce((select string_agg(a::text, '|') from audit_entry a), '') from user_account u")
        .await
}

#[tokio::test]
async fn they_are_in_no_answer_found_by_no_filter_and_plain_in_no_dump() {
    let app = App::start().await;
    app.admin().await;
    let user = app.company_user("acme").await;
    let (admin, own) = (
        app.login("admin@vigie.example").await,
        app.login("user@acme.example").await,
    );
    let entries = json!({"clicdata": {"login": "ann", "password": MARK}, "app-action-sem-summary": {"url": MARK}});
    let (path, headers) = (
        format!("/api/UserAccounts/{user}"),
        [("token", admin.as_str()), ("content-type", "application/json")],
    );
    let body = json!({ "dashboards": entries });
    let patched = app.text("PATCH", &path, &body.to_string(), &headers).await;
    assert_eq!(patched.0, StatusCode::OK, "{}", patched.1);
    let new = json!({"email": "bea@acme.example", "password": "kV7!wm2q", "dashboards": entries});
    let made = app.post("/api/UserAccounts", &new, &[("token", &admin)]).await;
    assert_eq!(made.status, StatusCode::OK, "{}", made.body);
    let mut answers = vec![patched.1, made.body.to_string()];
    for (token, path) in [
        (&own, "/api/UserAccounts/me".to_owned()),
        (&admin, path.clone()),
        (&admin, "/api/UserAccounts".to_owned()),
        (
            &admin,
            "/api/UserAccounts/findOne?filter=%7B%22where%22:%7B%22email%22:%22user@acme.example%22%7D%7D".to_owned(),
        ),
        (
            &admin,
            "/api/UserAccounts?filter=%7B%22fields%22:%5B%22dashboards%22%5D%7D".to_owned(),
        ),
        (&admin, "/api/UserAccounts/export".to_owned()),
        (
            &admin,
            "/api/CompanyAccounts?filter=%7B%22include%22:%22userAccounts%22%7D".to_owned(),
        ),
        (&admin, "/api/audit".to_owned()),
    ] {
        answers.push(app.text("GET", &path, "", &[("token", token)]).await.1);
    }
    for answer in &answers {
        assert!(!answer.contains(MARK) && !answer.contains("\"ann\""), "{answer}");
    }
    // The names of the entries are shown.
    let me = app.get("/api/UserAccounts/me", &[("token", &own)]).await.body;
    assert_eq!(me["dashboards"], json!({"app-action-sem-summary": {}, "clicdata": {}}));
    for condition in [
        json!({"dashboards.clicdata.password": MARK}),
        json!({"dashboards.clicdata.password": {"like": "hunter%"}}),
    ] {
        let query = format!("/api/UserAccounts/count?where={}", percent(&condition));
        assert_eq!(
            app.get(&query, &[("token", &admin)]).await.body["count"],
            0,
            "{condition}"
        );
    }
    for hidden in ["dashboardsSealed", "verificationEnds"] {
        let query = format!(
            "/api/UserAccounts/count?where={}",
            percent(&json!({ hidden: {"neq": null} }))
        );
        assert_eq!(
            app.get(&query, &[("token", &admin)]).await.status,
            StatusCode::BAD_REQUEST,
            "{hidden}"
        );
    }
    assert!(!dump(&app).await.contains(MARK));
    // Taken away, nothing is left.
    let gone = app.text("PATCH", &path, "{\"dashboards\":null}", &headers).await;
    assert_eq!(gone.0, StatusCode::OK, "{}", gone.1);
    let left: i64 = app
        .postgres
        .fetch("select count(*) from user_account where dashboards_sealed is not null")
        .await;
    assert_eq!(left, 1);
}

fn percent(json: &Value) -> String {
    json.to_string()
        .replace('%', "%25")
        .replace('"', "%22")
        .replace('{', "%7B")
        .replace('}', "%7D")
}

#[tokio::test]
async fn without_a_key_nothing_is_stored() {
    let mut app = App::start().await;
    app.admin().await;
    let user = app.company_user("acme").await;
    let mut without = settings();
    without.secrets.keys = None;
    app.set(without);
    let admin = app.login("admin@vigie.example").await;
    let body = json!({"dashboards": {"clicdata": {"password": MARK}}}).to_string();
    let headers = [("token", admin.as_str()), ("content-type", "application/json")];
    let refused = app
        .text("PATCH", &format!("/api/UserAccounts/{user}"), &body, &headers)
        .await;
    assert_eq!(refused.0, StatusCode::CONFLICT, "{}", refused.1);
    assert!(refused.1.contains("NO_SECRETS_KEY"), "{}", refused.1);
    assert!(!dump(&app).await.contains(MARK));
}

#[tokio::test]
async fn what_earlier_versions_left_is_sealed_and_a_new_key_seals_anew() {
    let app = App::start().await;
    app.company_user("acme").await;
    let plain =
        format!("update user_account set dashboards_unsealed = '{{\"clicdata\": {{\"password\": \"{MARK}\"}}}}'");
    app.postgres.execute(plain.leak()).await;
    let (old, new) = ("0a".repeat(32), "0b".repeat(32));
    let keys = |text: String| Keys::read(Some(&Secret::new(text))).unwrap();
    let pool = &app.postgres.pool;
    assert!(dashboards::seal_stored(pool, &Keys::read(None).unwrap()).await.is_err());
    assert_eq!(dashboards::seal_stored(pool, &keys(old.clone())).await.unwrap(), 1);
    assert!(!dump(&app).await.contains(MARK));
    let sealed: String = app.postgres.fetch("select dashboards_sealed from user_account").await;
    assert_eq!(dashboards::seal_stored(pool, &keys(old.clone())).await.unwrap(), 0);
    // The old key is still there while the new one takes over.
    assert!(dashboards::seal_stored(pool, &keys(new.clone())).await.is_err());
    assert_eq!(
        dashboards::seal_stored(pool, &keys(format!("{new},{old}")))
            .await
            .unwrap(),
        1
    );
    let anew: String = app.postgres.fetch("select dashboards_sealed from user_account").await;
    assert_ne!(anew, sealed);
    assert_eq!(dashboards::seal_stored(pool, &keys(new)).await.unwrap(), 0);
}
