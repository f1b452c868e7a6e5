//! An administrator works as somebody else.

use axum::body::Body;
use axum::http::{StatusCode, header};
use chrono::TimeDelta;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt, SeedableRng};
use serde_json::{Value, json};
use vocabulary::UserId;

use crate::app::{App, PASSWORD, TestResponse};

const ME: &str = "/api/UserAccounts/me";
const RESTORE: &str = "/api/UserAccounts/restore";
const LOGOUT: &str = "/api/UserAccounts/logout";
/// What the client asks for: 33 hours and 20 minutes.
const TTL: i64 = 120_000;
const OWN_SESSION: i64 = 1_209_600;

async fn work_as(app: &App, token: &str, user: UserId) -> TestResponse {
    let path = format!("/api/UserAccounts/{user}/accessTokens");
    app.post(&path, &json!({ "ttl": TTL }), &[("token", token)]).await
}

/// An API where the administrator works as the user of a company; the own token and the other.
async fn working() -> (App, UserId, String, String) {
    let app = App::without_idle_end().await;
    app.admin().await;
    let user = app.company_user("acme").await;
    let own = app.login("admin@vigie.example").await;
    let made = work_as(&app, &own, user).await;
    assert_eq!(made.status, StatusCode::OK, "{}", made.body);
    let other = made.body["id"].as_str().unwrap().to_owned();
    (app, user, own, other)
}

async fn status(app: &App, token: &str) -> StatusCode {
    app.get(ME, &[("token", token)]).await.status
}

/// The cookies that an answer sets, by name.
fn cookie(answer: &TestResponse, name: &str) -> Option<String> {
    let set = answer.headers.get_all(header::SET_COOKIE).iter();
    set.filter_map(|cookie| cookie.to_str().ok())
        .find_map(|cookie| cookie.strip_prefix(&format!("{name}=")))
        .map(|rest| rest.split(';').next().unwrap_or_default().to_owned())
}

async fn by_browser(app: &App, path: &str, cookies: &str, body: Body) -> TestResponse {
    let headers = [
        ("cookie", cookies),
        ("x-requested-with", "XMLHttpRequest"),
        ("content-type", "application/json"),
    ];
    app.send("POST", path, body, &headers).await
}

#[tokio::test]
async fn a_browser_keeps_the_own_token_aside_and_gets_it_back() {
    let app = App::start().await;
    let admin = app.admin().await;
    let user = app.company_user("acme").await;
    let own = app.login("admin@vigie.example").await;
    let path = format!("/api/UserAccounts/{user}/accessTokens");
    let started = by_browser(
        &app,
        &path,
        &format!("access_token={own}"),
        Body::from(format!("{{\"ttl\":{TTL}}}")),
    )
    .await;
    assert_eq!(started.status, StatusCode::OK, "{}", started.body);
    let other = cookie(&started, "access_token").unwrap();
    assert_eq!(cookie(&started, "admin_access_token").as_deref(), Some(own.as_str()));

    let cookies = format!("access_token={other}; admin_access_token={own}");
    let me = app.get(ME, &[("cookie", &cookies)]).await;
    assert_eq!(me.body["email"], "user@acme.example");
    assert_eq!(me.body["impersonatedBy"], admin.0);

    let back = by_browser(&app, RESTORE, &cookies, Body::empty()).await;
    assert_eq!(back.status, StatusCode::NO_CONTENT);
    assert_eq!(cookie(&back, "access_token").as_deref(), Some(own.as_str()));
    assert_eq!(cookie(&back, "admin_access_token").as_deref(), Some(""));
    assert_eq!(status(&app, &other).await, StatusCode::UNAUTHORIZED);
    let me = app.get(ME, &[("token", &own)]).await;
    assert_eq!(me.body["email"], "admin@vigie.example");
    assert!(me.body.get("impersonatedBy").is_none());
}

#[tokio::test]
async fn the_cookie_of_another_session_is_not_put_back() {
    let (app, _, _, other) = working().await;
    let foreign = app.login("user@acme.example").await;
    let cookies = format!("access_token={other}; admin_access_token={foreign}");
    let back = by_browser(&app, RESTORE, &cookies, Body::empty()).await;
    assert_eq!(cookie(&back, "access_token").as_deref(), Some(""));
}

#[tokio::test]
async fn nobody_but_an_administrator_works_as_another() {
    let app = App::start().await;
    let admin = app.admin().await;
    let user = app.company_user("acme").await;
    app.operator().await;
    for (email, whom) in [
        ("user@acme.example", admin),
        ("operator@vigie.example", user),
        ("operator@vigie.example", admin),
    ] {
        let token = app.login(email).await;
        let answer = work_as(&app, &token, whom).await;
        let refused = [StatusCode::FORBIDDEN, StatusCode::NOT_FOUND].contains(&answer.status);
        assert!(refused, "{email}: {}", answer.body);
    }
    let token = app.login("user@acme.example").await;
    let answer = app.post(RESTORE, &json!({}), &[("token", &token)]).await;
    assert_eq!(answer.status, StatusCode::CONFLICT);
}

#[tokio::test]
async fn who_works_as_another_changes_no_password_and_no_address_and_goes_no_further() {
    let app = App::start().await;
    app.admin().await;
    let second = app.second_admin().await;
    let user = app.company_user("acme").await;
    let own = app.login("admin@vigie.example").await;
    let other = work_as(&app, &own, second).await.body["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let before: String = app
        .postgres
        .fetch("select string_agg(u::text, '|' order by id) from user_account u")
        .await;
    let change = json!({"oldPassword": PASSWORD, "newPassword": "An0ther!Secret"});
    for (method, path, body) in [
        ("POST", "/api/UserAccounts/change-password".to_owned(), change),
        ("PATCH", ME.to_owned(), json!({"password": "An0ther!Secret"})),
        ("PATCH", ME.to_owned(), json!({"email": "mine@vigie.example"})),
        (
            "PATCH",
            format!("/api/UserAccounts/{user}"),
            json!({"email": "mine@vigie.example"}),
        ),
        ("POST", format!("/api/UserAccounts/{user}/accessTokens"), json!({})),
        ("POST", format!("/api/UserAccounts/{second}/accessTokens"), json!({})),
    ] {
        let headers = [("token", other.as_str()), ("content-type", "application/json")];
        let (status, answer) = app.text(method, &path, &body.to_string(), &headers).await;
        assert_eq!(status, StatusCode::FORBIDDEN, "{method} {path}: {answer}");
    }
    // Nor by a bulk change of one row.
    let bulk = format!("/api/UserAccounts/update?where=%7B%22id%22:{user}%7D");
    let answer = app
        .post(&bulk, &json!({"email": "mine@vigie.example"}), &[("token", &other)])
        .await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{}", answer.body);
    let after: String = app
        .postgres
        .fetch("select string_agg(u::text, '|' order by id) from user_account u")
        .await;
    assert_eq!(after, before);
}

#[tokio::test]
async fn a_token_made_to_choose_a_password_opens_nothing_else_and_leaves_its_trace() {
    let app = App::start().await;
    app.admin().await;
    let user = app.company_user("acme").await;
    let own = app.login("admin@vigie.example").await;
    let path = format!("/api/UserAccounts/{user}/accessTokens");
    let body = Body::from("{\"scopes\":[\"reset-password\"]}");
    let made = by_browser(&app, &path, &format!("access_token={own}"), body).await;
    assert_eq!(made.status, StatusCode::OK, "{}", made.body);
    // It is no session, so the browser keeps its own.
    assert_eq!(cookie(&made, "access_token"), None);
    assert_eq!(
        status(&app, made.body["id"].as_str().unwrap()).await,
        StatusCode::UNAUTHORIZED
    );
    let log = app.get("/api/audit", &[("token", &own)]).await.body;
    let entry = &log["data"][0];
    assert_eq!(
        json!([
            entry["event"],
            entry["model"],
            entry["target"],
            entry["details"]["scopes"]
        ]),
        json!(["create", "CustomAccessToken", user.to_string(), ["reset-password"]])
    );
}

#[tokio::test]
async fn it_ends_with_the_administrators_own_session() {
    let (app, _, own, other) = working().await;
    app.post(LOGOUT, &json!({}), &[("token", &own)]).await;
    assert_eq!(status(&app, &other).await, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn it_ends_when_the_administrators_own_session_would() {
    let app = App::without_idle_end().await;
    app.admin().await;
    let user = app.company_user("acme").await;
    let own = app.login("admin@vigie.example").await;
    app.state.clock.advance(TimeDelta::seconds(OWN_SESSION - 60));
    let other = work_as(&app, &own, user).await.body["id"].as_str().unwrap().to_owned();
    assert_eq!(status(&app, &other).await, StatusCode::OK);
    app.state.clock.advance(TimeDelta::seconds(60));
    assert_eq!(status(&app, &other).await, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn it_ends_with_the_role_of_the_administrator() {
    let (app, _, _, other) = working().await;
    app.postgres
        .execute("delete from role_mapping m using user_account u where u.id::text = m.principal_id and u.email = 'admin@vigie.example'")
        .await;
    assert_eq!(status(&app, &other).await, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn signing_out_of_it_in_a_browser_ends_both_sessions() {
    let (app, _, own, other) = working().await;
    let cookies = format!("access_token={other}; admin_access_token={own}");
    let answer = by_browser(&app, LOGOUT, &cookies, Body::empty()).await;
    assert_eq!(answer.status, StatusCode::NO_CONTENT);
    assert_eq!(status(&app, &own).await, StatusCode::UNAUTHORIZED);
    assert_eq!(status(&app, &other).await, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn everything_asked_for_leaves_who_and_for_whom_in_the_audit_log() {
    let (app, user, own, other) = working().await;
    let headers = [("token", other.as_str()), ("content-type", "application/json")];
    let renamed = app.text("PATCH", ME, "{\"firstName\":\"Ann\"}", &headers).await;
    assert_eq!(renamed.0, StatusCode::OK);
    app.post(RESTORE, &json!({}), &[("token", &other)]).await;
    let log = app.get("/api/audit", &[("token", &own)]).await.body;
    let told: Vec<Value> = log["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| {
            json!([
                entry["event"],
                entry["actor"]["email"],
                entry["actingAs"]["id"],
                entry["target"]
            ])
        })
        .collect();
    let (admin, target) = ("admin@vigie.example", user.to_string());
    assert_eq!(
        json!(told),
        json!([
            ["restore", admin, user.0, target],
            ["request", admin, user.0, format!("POST {RESTORE}")],
            ["change", admin, user.0, target],
            ["request", admin, user.0, format!("PATCH {ME}")],
            ["impersonate", admin, null, target],
        ])
    );
    let change = &log["data"][2];
    assert_eq!(
        change["details"],
        json!({"before": {"firstName": null}, "after": {"firstName": "Ann"}})
    );
    assert_eq!(change["requestId"], log["data"][3]["requestId"]);
}

#[tokio::test]
async fn every_log_line_of_a_request_says_who_and_for_whom() {
    let (app, user, _, other) = working().await;
    let lines = crate::app::logged(app.get("/api/Brands", &[("token", &other)])).await;
    let answered = lines.iter().find(|line| line["message"] == "answered").unwrap();
    assert_eq!(answered["span"]["user"], user.0);
    assert!(answered["span"]["impersonated_by"].is_i64(), "{answered}");
    assert!(
        lines.iter().all(|line| line["span"]["request_id"].is_string()),
        "{lines:?}"
    );
}

/// A session as it should be.
struct Session {
    token: String,
    email: &'static str,
    parent: Option<usize>,
    alive: bool,
}

/// Any run of signing in, working as others, going back, signing out and deleting leaves no session that should be dead.
#[tokio::test]
async fn no_order_of_events_leaves_a_session_that_should_have_ended() {
    let app = App::start().await;
    let admins = ["admin@vigie.example", "second@vigie.example"];
    app.admin().await;
    app.second_admin().await;
    let user = app.company_user("acme").await;
    let seed: u64 = rand::rng().next_u64();
    let mut random = StdRng::seed_from_u64(seed);
    let mut sessions: Vec<Session> = Vec::new();
    for step in 0..60 {
        let living: Vec<usize> = (0..sessions.len()).filter(|at| sessions[*at].alive).collect();
        let chosen = living.choose(&mut random).copied();
        match (random.random_range(0..5), chosen) {
            (0, _) | (_, None) => {
                let email = admins[random.random_range(0..2)];
                let token = app.login(email).await;
                sessions.push(Session {
                    token,
                    email,
                    parent: None,
                    alive: true,
                });
            }
            (1 | 2, Some(own)) => {
                let made = work_as(&app, &sessions[own].token, user).await;
                assert_eq!(
                    made.status.is_success(),
                    sessions[own].parent.is_none(),
                    "seed {seed}, step {step}"
                );
                if made.status.is_success() {
                    let token = made.body["id"].as_str().unwrap().to_owned();
                    sessions.push(Session {
                        token,
                        email: "user@acme.example",
                        parent: Some(own),
                        alive: true,
                    });
                }
            }
            (3, Some(at)) => {
                let back = app.post(RESTORE, &json!({}), &[("token", &sessions[at].token)]).await;
                assert_eq!(
                    back.status.is_success(),
                    sessions[at].parent.is_some(),
                    "seed {seed}, step {step}"
                );
                sessions[at].alive = sessions[at].parent.is_none();
            }
            (_, Some(at)) => {
                app.post(LOGOUT, &json!({}), &[("token", &sessions[at].token)]).await;
                sessions[at].alive = false;
            }
        }
        for at in 0..sessions.len() {
            if sessions[at].parent.is_some_and(|parent| !sessions[parent].alive) {
                sessions[at].alive = false;
            }
        }
        for session in &sessions {
            let lives = status(&app, &session.token).await == StatusCode::OK;
            assert_eq!(lives, session.alive, "{}: seed {seed}, step {step}", session.email);
        }
    }
}

#[tokio::test]
async fn the_sessions_of_the_other_are_left_alone() {
    let (app, user, _, other) = working().await;
    let own = app.login("user@acme.example").await;
    let digests: Vec<String> = sqlx::query_scalar("select encode(sha256, 'hex') from access_token where user_id = $1")
        .bind(user.0)
        .fetch_all(&app.postgres.pool)
        .await
        .unwrap();
    for (method, path) in digests
        .iter()
        .map(|digest| ("DELETE", format!("/api/UserAccounts/me/accessTokens/{digest}")))
        .chain([
            ("DELETE", "/api/UserAccounts/me/accessTokens".to_owned()),
            ("GET", "/api/UserAccounts/me/accessTokens".to_owned()),
            ("DELETE", "/api/sessions".to_owned()),
        ])
    {
        let (refused, answer) = app.text(method, &path, "", &[("token", &other)]).await;
        assert_eq!(refused, StatusCode::FORBIDDEN, "{method} {path}: {answer}");
    }
    assert_eq!(status(&app, &own).await, StatusCode::OK);
}

#[tokio::test]
async fn as_another_administrator_nobody_gives_roles_accounts_or_tokens() {
    let app = App::start().await;
    app.admin().await;
    let second = app.second_admin().await;
    let user = app.company_user("acme").await;
    let own = app.login("admin@vigie.example").await;
    let made = work_as(&app, &own, second).await;
    assert_eq!(made.status, StatusCode::OK, "{}", made.body);
    let other = made.body["id"].as_str().unwrap().to_owned();
    let role: i64 = app
        .postgres
        .fetch("select id::int8 from role where name = 'admin'")
        .await;
    let before: String = app
        .postgres
        .fetch("select string_agg(m::text, '|' order by id) from role_mapping m")
        .await;
    let mapping = json!({"principalId": user.to_string(), "principalType": "USER"}).to_string();
    let account = json!({"email": "eve@acme.example", "password": PASSWORD}).to_string();
    for (method, path, body) in [
        ("PUT", format!("/api/UserAccounts/{user}/roles/rel/{role}"), ""),
        ("DELETE", format!("/api/UserAccounts/{user}/roles"), ""),
        ("POST", format!("/api/UserAccounts/{user}/roles"), "{\"name\":\"new\"}"),
        ("POST", format!("/api/Roles/{role}/principals"), mapping.as_str()),
        ("DELETE", format!("/api/Roles/{role}/principals"), ""),
        ("POST", "/api/Roles".to_owned(), "{\"name\":\"new\"}"),
        ("POST", "/api/UserAccounts".to_owned(), account.as_str()),
        ("DELETE", format!("/api/UserAccounts/{user}"), ""),
        ("POST", format!("/api/UserAccounts/{user}/accessTokens"), "{}"),
    ] {
        let headers = [("token", other.as_str()), ("content-type", "application/json")];
        let (refused, answer) = app.text(method, &path, body, &headers).await;
        assert_eq!(refused, StatusCode::FORBIDDEN, "{method} {path}: {answer}");
    }
    let after: String = app
        .postgres
        .fetch("select string_agg(m::text, '|' order by id) from role_mapping m")
        .await;
    assert_eq!(after, before);
}

#[tokio::test]
async fn a_ticket_for_a_file_ends_with_the_return() {
    let (app, _, own, other) = working().await;
    let link = json!({"link": "/api/Dealers/export"});
    let ticket = app.post("/api/exportTickets", &link, &[("token", &other)]).await.body["access_token"]
        .as_str()
        .unwrap()
        .to_owned();
    let back = app.post(RESTORE, &json!({}), &[("token", &other)]).await;
    assert_eq!(back.status, StatusCode::NO_CONTENT);
    let download = format!("/api/Dealers/export?access_token={ticket}");
    assert_eq!(app.get(&download, &[]).await.status, StatusCode::UNAUTHORIZED);
    assert_eq!(status(&app, &own).await, StatusCode::OK);
}
