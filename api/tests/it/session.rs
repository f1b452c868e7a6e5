//! Signing in, being signed in, signing out.

use api::passwords;
use axum::body::Body;
use axum::http::{StatusCode, header};
use chrono::TimeDelta;
use serde_json::{Value, json};

use crate::app::{App, PASSWORD, settings};

const LOGIN: &str = "/api/UserAccounts/login";
const LOGOUT: &str = "/api/UserAccounts/logout";
const ME: &str = "/api/UserAccounts/me";
const ME_WITH_COMPANY: &str =
    "/api/UserAccounts/me?filter=%7B%22include%22:%5B%22roles%22,%7B%22companyAccount%22:%22brands%22%7D%5D%7D";

#[tokio::test]
async fn a_login_answers_the_token_and_sets_a_cookie_no_script_can_read() {
    let app = App::start().await;
    let user = app.company_user("acme").await;
    let answer = app
        .post(
            LOGIN,
            &json!({"email": "User@Acme.example", "password": PASSWORD}),
            &[("x-requested-with", "XMLHttpRequest")],
        )
        .await;
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!(answer.body["ttl"], 1_209_600);
    assert_eq!(answer.body["userId"], user.0);
    let cookies = answer.headers.get_all(header::SET_COOKIE);
    let cookie = cookies
        .iter()
        .filter_map(|cookie| cookie.to_str().ok())
        .find(|cookie| cookie.starts_with("access_token="))
        .unwrap();
    for part in [
        "access_token=",
        "HttpOnly",
        "Secure",
        "SameSite=Strict",
        "Max-Age=1296000",
        "Path=/",
    ] {
        assert!(cookie.contains(part), "{part} in {cookie}");
    }
}

#[tokio::test]
async fn a_wrong_password_and_an_unknown_email_get_the_same_answer() {
    let app = App::start().await;
    app.company_user("acme").await;
    let wrong = app
        .post(LOGIN, &json!({"email": "user@acme.example", "password": "nope"}), &[])
        .await;
    let unknown = app
        .post(LOGIN, &json!({"email": "nobody@acme.example", "password": "nope"}), &[])
        .await;
    assert_eq!(wrong.status, StatusCode::UNAUTHORIZED);
    assert_eq!(wrong.body["error"]["code"], "LOGIN_FAILED");
    assert_eq!(wrong.body["error"]["message"], "Unauthorized");
    assert_eq!(wrong.body, unknown.body);
}

#[tokio::test]
async fn a_login_without_a_name_is_told_so() {
    let app = App::start().await;
    let answer = app.post(LOGIN, &json!({"email": "", "password": "x"}), &[]).await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    assert_eq!(answer.body["error"]["code"], "USERNAME_EMAIL_REQUIRED");
    let answer = app.post(LOGIN, &json!({"email": "a@b.example"}), &[]).await;
    assert_eq!(answer.status, StatusCode::UNAUTHORIZED);
    let answer = app
        .post(LOGIN, &json!({"email": {"like": "%"}, "password": "x"}), &[])
        .await;
    assert_eq!(answer.body["error"]["code"], "INVALID_EMAIL");
}

#[tokio::test]
async fn five_failures_close_the_door_and_say_for_how_long() {
    let app = App::start().await;
    app.company_user("acme").await;
    let wrong = json!({"email": "user@acme.example", "password": "nope"});
    for _ in 0..5 {
        assert_eq!(app.post(LOGIN, &wrong, &[]).await.status, StatusCode::UNAUTHORIZED);
    }
    let right = json!({"email": "user@acme.example", "password": PASSWORD});
    let refused = app.post(LOGIN, &right, &[]).await;
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
    assert!(refused.headers.contains_key(header::RETRY_AFTER));
}

#[tokio::test]
async fn me_tells_the_company_with_its_brands() {
    let app = App::start().await;
    app.company_user("acme").await;
    let token = app.login("user@acme.example").await;
    for (name, value) in [
        ("authorization", token.clone()),
        ("authorization", format!("Bearer {token}")),
        ("token", token.clone()),
        ("cookie", format!("access_token={token}")),
    ] {
        let me = app.get(ME_WITH_COMPANY, &[(name, &value)]).await;
        assert_eq!(me.status, StatusCode::OK, "{name}");
        assert_eq!(me.body["email"], "user@acme.example");
        assert_eq!(me.body["roles"], json!([]));
        assert_eq!(me.body["companyAccount"]["brands"][0]["label"], "acme");
        assert!(me.body.get("password").is_none());
    }
}

#[tokio::test]
async fn an_expired_token_is_refused_everywhere() {
    let app = App::start().await;
    app.admin().await;
    let token = app.login("admin@vigie.example").await;
    app.state.clock.advance(TimeDelta::seconds(1_209_600));
    let answer = app.get(ME, &[("token", &token)]).await;
    assert_eq!(answer.status, StatusCode::UNAUTHORIZED);
    assert_eq!(answer.body["error"]["code"], "INVALID_TOKEN");
}

#[tokio::test]
async fn a_logout_ends_the_session_and_clears_both_cookies() {
    let app = App::start().await;
    app.admin().await;
    let token = app.login("admin@vigie.example").await;
    let answer = app.post(LOGOUT, &json!({}), &[("token", &token)]).await;
    assert_eq!(answer.status, StatusCode::NO_CONTENT);
    let cleared: Vec<_> = answer
        .headers
        .get_all(header::SET_COOKIE)
        .iter()
        .map(|c| c.to_str().unwrap())
        .collect();
    assert!(
        cleared
            .iter()
            .any(|cookie| cookie.starts_with("access_token=;") && cookie.contains("Max-Age=0")),
        "{cleared:?}"
    );
    assert!(
        cleared.iter().any(|cookie| cookie.starts_with("admin_access_token=;")),
        "{cleared:?}"
    );
    assert_eq!(app.get(ME, &[("token", &token)]).await.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn another_site_cannot_sign_a_reader_out() {
    let app = App::start().await;
    app.admin().await;
    let cookie = format!("access_token={}", app.login("admin@vigie.example").await);
    let forged = app
        .send(
            "POST",
            LOGOUT,
            Body::empty(),
            &[("cookie", &cookie), ("sec-fetch-site", "cross-site")],
        )
        .await;
    assert_eq!(forged.status, StatusCode::FORBIDDEN);
    let own = app
        .send(
            "POST",
            LOGOUT,
            Body::empty(),
            &[("cookie", &cookie), ("x-requested-with", "XMLHttpRequest")],
        )
        .await;
    assert_eq!(own.status, StatusCode::NO_CONTENT);
}

#[tokio::test]
async fn flags_follow_the_role() {
    let app = App::start().await;
    app.admin().await;
    app.company_user("acme").await;
    let admin = app.login("admin@vigie.example").await;
    let user = app.login("user@acme.example").await;
    let on = app.get("/api/FeatureFlags?userId=1", &[("token", &admin)]).await;
    assert_eq!(
        on.body,
        json!({"header_workspaces_switch": true, "stopgo_dashboard": true})
    );
    let off = app.get("/api/FeatureFlags", &[("token", &user)]).await;
    assert_eq!(
        off.body,
        json!({"header_workspaces_switch": false, "stopgo_dashboard": false})
    );
}

#[tokio::test]
async fn a_form_of_another_site_signs_nobody_in() {
    let app = App::start().await;
    app.company_user("acme").await;
    let form = format!("email=user%40acme.example&password={}", PASSWORD.replace('!', "%21"));
    let sent = |headers: Vec<(&'static str, &'static str)>| {
        let mut all = vec![
            ("content-type", "application/x-www-form-urlencoded"),
            ("host", "vigie.example"),
        ];
        all.extend(headers);
        let (app, form) = (&app, form.clone());
        async move { app.send("POST", LOGIN, Body::from(form), &all).await }
    };
    for of_others in [
        vec![("sec-fetch-site", "cross-site")],
        vec![("sec-fetch-site", "same-site")],
        vec![("origin", "https://evil.example")],
        vec![("origin", "null")],
    ] {
        let refused = sent(of_others.clone()).await;
        assert_eq!(refused.status, StatusCode::FORBIDDEN, "{of_others:?}");
        assert_eq!(refused.body["error"]["code"], "CROSS_SITE_REQUEST");
        assert!(!refused.headers.contains_key(header::SET_COOKIE), "{of_others:?}");
    }
    // A program gets the token, and no cookie that it has no use for.
    let program = sent(vec![]).await;
    assert_eq!(program.status, StatusCode::OK, "{}", program.body);
    assert!(!program.headers.contains_key(header::SET_COOKIE));
    let own = sent(vec![
        ("sec-fetch-site", "same-origin"),
        ("origin", "https://vigie.example"),
    ])
    .await;
    assert!(own.headers.contains_key(header::SET_COOKIE));
}

#[tokio::test]
async fn a_session_ends_when_nobody_uses_it() {
    let app = App::start().await;
    app.company_user("acme").await;
    let (used, left) = (
        app.login("user@acme.example").await,
        app.login("user@acme.example").await,
    );
    for _ in 0..3 {
        app.state.clock.advance(TimeDelta::days(3));
        assert_eq!(app.get(ME, &[("token", &used)]).await.status, StatusCode::OK);
    }
    let ended = app.get(ME, &[("token", &left)]).await;
    assert_eq!(ended.status, StatusCode::UNAUTHORIZED);
    assert_eq!(ended.body["error"]["code"], "INVALID_TOKEN");
    let sessions = app.get("/api/sessions", &[("token", &used)]).await.body;
    assert_eq!(sessions.as_array().unwrap().len(), 1, "{sessions}");
}

#[tokio::test]
async fn an_administrator_gives_a_user_a_flag_by_name_and_takes_it_back() {
    let app = App::start().await;
    app.admin().await;
    let user = app.company_user("acme").await;
    let (admin, reader) = (
        app.login("admin@vigie.example").await,
        app.login("user@acme.example").await,
    );
    let path = format!("/api/FeatureFlags/users/{}", user.0);
    let put = async |path: &str, body: Value| {
        let headers = [("token", admin.as_str()), ("content-type", "application/json")];
        app.send("PUT", path, Body::from(body.to_string()), &headers).await
    };
    let flag = "header_workspaces_switch";
    for on in [true, false] {
        let given = put(&path, json!({"flags": {flag: on}})).await;
        assert_eq!(given.status, StatusCode::OK, "{}", given.body);
        let listed = app.get(&path, &[("token", &admin)]).await;
        assert_eq!(listed.body, given.body);
        assert_eq!(
            listed.body["data"][0],
            json!({"key": flag, "byRole": false, "byName": on})
        );
        let own = app.get("/api/FeatureFlags", &[("token", &reader)]).await;
        assert_eq!(own.body, json!({flag: on, "stopgo_dashboard": false}));
    }
    let log = app.get("/api/audit?model=FeatureFlag", &[("token", &admin)]).await;
    assert_eq!(log.body["data"].as_array().unwrap().len(), 2, "{}", log.body);
    assert_eq!(log.body["data"][0]["target"], user.0.to_string());

    let unknown = put(&path, json!({"flags": {"no_such_flag": true}})).await;
    assert_eq!(unknown.status, StatusCode::UNPROCESSABLE_ENTITY);
    let nobody = put("/api/FeatureFlags/users/999999", json!({"flags": {flag: true}})).await;
    assert_eq!(nobody.status, StatusCode::NOT_FOUND);
    let refused = app.get(&path, &[("token", &reader)]).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn the_published_password_opens_no_account_where_other_machines_reach_the_site() {
    let mut app = App::start().await;
    let demo = app.company_user("demo").await;
    app.company_user("acme").await;
    let hash = passwords::hash(passwords::PUBLISHED.to_owned()).await.unwrap();
    postgres::users::set_password(&app.postgres.pool, demo, &hash)
        .await
        .unwrap();
    let sign_in = async |app: &App, email: &str, password: &str| {
        let body = json!({ "email": email, "password": password });
        app.post("/api/UserAccounts/login", &body, &[]).await
    };
    // Every try is one: none waits for those before.
    let site = |listen: &str, public_url: &str| {
        let mut settings = settings();
        settings.api.login_throttle = false;
        settings.api.listen = listen.parse().unwrap();
        settings.api.public_url = public_url.parse().unwrap();
        settings
    };
    for (listen, public_url) in [
        ("127.0.0.1:8080", "http://localhost:8080"),
        ("[::1]:8080", "http://127.0.0.1:8080"),
    ] {
        app.set(site(listen, public_url));
        let answer = sign_in(&app, "user@demo.example", passwords::PUBLISHED).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
    }
    for (listen, public_url) in [
        ("0.0.0.0:8080", "http://localhost:8080"),
        ("[::]:8080", "http://localhost:8080"),
        ("127.0.0.1:8080", "https://vigie.example"),
    ] {
        app.set(site(listen, public_url));
        // Whether an account has it is nobody's to know.
        for email in ["user@demo.example", "user@acme.example", "nobody@demo.example"] {
            let answer = sign_in(&app, email, passwords::PUBLISHED).await;
            assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{email}");
            assert_eq!(answer.body["error"]["code"], "PUBLISHED_PASSWORD", "{email}");
        }
        let answer = sign_in(&app, "user@demo.example", "another").await;
        assert_eq!(answer.body["error"]["code"], "LOGIN_FAILED");
        assert_eq!(
            sign_in(&app, "user@acme.example", PASSWORD).await.status,
            StatusCode::OK
        );
    }
    // Nor is it chosen.
    let session = app.login("user@acme.example").await;
    let body = json!({ "oldPassword": PASSWORD, "newPassword": passwords::PUBLISHED });
    let refused = app
        .post("/api/UserAccounts/change-password", &body, &[("token", &session)])
        .await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", refused.body);
}
