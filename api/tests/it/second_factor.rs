//! The second factor of a sign-in, and who tries to do without.

use axum::body::Body;
use axum::http::StatusCode;
use chrono::TimeDelta;
use serde_json::{Value, json};
use totp_rs::{Builder, Secret};

use crate::app::{App, PASSWORD, TestResponse};

const LOGIN: &str = "/api/UserAccounts/login";
const FACTOR: &str = "/api/second-factor";
const ME: &str = "/api/UserAccounts/me";
const USER: &str = "user@acme.example";
/// Half a minute, after which an app shows another code.
const STEP: TimeDelta = TimeDelta::seconds(30);

/// The account's app.
struct Authenticator(String);

impl Authenticator {
    /// The code that it shows now.
    fn code(&self, app: &App) -> String {
        let secret = Secret::try_from_base32(&self.0).unwrap();
        let codes = Builder::new()
            .with_secret(secret)
            .with_account_name("x")
            .build()
            .unwrap();
        let now = u64::try_from(app.state.clock.now().timestamp()).unwrap();
        codes.generate(now).to_string()
    }

    /// The next code, once the one before was shown.
    fn next_code(&self, app: &App) -> String {
        app.state.clock.advance(STEP);
        self.code(app)
    }
}

async fn post(app: &App, path: &str, email: &str, code: Option<&str>) -> TestResponse {
    let body = json!({"email": email, "password": PASSWORD, "code": code});
    app.post(path, &body, &[]).await
}

async fn sign_in(app: &App, email: &str, code: &str) -> TestResponse {
    post(app, LOGIN, email, Some(code)).await
}

/// Switches the second factor of an account on; returns its app and the recovery codes.
async fn switch_on(app: &App, email: &str) -> (Authenticator, Vec<String>) {
    let begun = post(app, FACTOR, email, None).await;
    assert_eq!(begun.status, StatusCode::OK, "{}", begun.body);
    let device = Authenticator(begun.body["secret"].as_str().unwrap().to_owned());
    let confirmed = post(app, &format!("{FACTOR}/confirm"), email, Some(&device.code(app))).await;
    assert_eq!(confirmed.status, StatusCode::OK, "{}", confirmed.body);
    let codes = serde_json::from_value(confirmed.body["recoveryCodes"].clone()).unwrap();
    (device, codes)
}

/// The code of a refusal.
fn refusal(response: &TestResponse) -> (StatusCode, &str) {
    (
        response.status,
        response.body["error"]["code"].as_str().unwrap_or_default(),
    )
}

const WRONG: (StatusCode, &str) = (StatusCode::UNAUTHORIZED, "SECOND_FACTOR_WRONG");

/// An API that does not count what fails.
async fn unthrottled() -> App {
    let mut app = App::start().await;
    let mut settings = crate::app::settings();
    settings.api.login_throttle = false;
    app.set(settings);
    app
}

async fn is_signed_in(app: &App, token: &str) -> bool {
    app.get(ME, &[("token", token)]).await.status == StatusCode::OK
}

#[tokio::test]
async fn a_sign_in_needs_a_code_and_each_code_opens_once() {
    let app = App::start().await;
    app.company_user("acme").await;
    let (here, elsewhere) = (app.login(USER).await, app.login(USER).await);
    let begun = post(&app, FACTOR, USER, None).await.body;
    let uri = begun["uri"].as_str().unwrap();
    assert!(
        uri.starts_with("otpauth://totp/Vigie:user%40acme.example?secret="),
        "{uri}"
    );
    assert!(uri.contains(begun["secret"].as_str().unwrap()), "{uri}");
    // Nobody is asked for codes of a secret that no app has proved to have.
    assert!(is_signed_in(&app, &app.login(USER).await).await);
    let device = Authenticator(begun["secret"].as_str().unwrap().to_owned());
    let body = json!({"email": USER, "password": PASSWORD, "code": device.code(&app)});
    let confirmed = app.post(&format!("{FACTOR}/confirm"), &body, &[("token", &here)]).await;
    assert_eq!(confirmed.status, StatusCode::OK, "{}", confirmed.body);
    assert!(is_signed_in(&app, &here).await && !is_signed_in(&app, &elsewhere).await);

    let without = post(&app, LOGIN, USER, None).await;
    assert_eq!(refusal(&without), (StatusCode::UNAUTHORIZED, "SECOND_FACTOR_REQUIRED"));
    // The code that switched it on was used.
    assert_eq!(refusal(&sign_in(&app, USER, &device.code(&app)).await), WRONG);
    let code = device.next_code(&app);
    let spaced = format!("{} {}", &code[..3], &code[3..]);
    let token = sign_in(&app, USER, &spaced).await;
    assert_eq!(token.status, StatusCode::OK, "{}", token.body);
    assert!(is_signed_in(&app, token.body["id"].as_str().unwrap()).await);
    assert_eq!(refusal(&sign_in(&app, USER, &code).await), WRONG);
    // Not even an earlier one that was never used.
    let skipped = device.next_code(&app);
    assert_eq!(
        sign_in(&app, USER, &device.next_code(&app)).await.status,
        StatusCode::OK
    );
    assert_eq!(refusal(&sign_in(&app, USER, &skipped).await), WRONG);
    let shown = app.get(FACTOR, &[("token", &here)]).await.body;
    assert_eq!((&shown["recoveryCodes"], &shown["needed"]), (&json!(10), &json!(false)));
    assert!(shown["since"].is_string(), "{shown}");
}

#[tokio::test]
async fn a_code_does_without_no_password_and_tells_nobody_about_it() {
    let app = unthrottled().await;
    app.company_user("acme").await;
    let (device, codes) = switch_on(&app, USER).await;
    let code = device.next_code(&app);
    for code in [&code, &codes[0]] {
        let body = json!({"email": USER, "password": "Wrong-password-1", "code": code});
        for path in ["", "/confirm", "/recovery-codes", "/off"] {
            let answer = app.post(&format!("{FACTOR}{path}"), &body, &[]).await;
            assert_eq!(refusal(&answer), (StatusCode::UNAUTHORIZED, "LOGIN_FAILED"), "{path}");
        }
    }
    // None of them was used up.
    assert_eq!(sign_in(&app, USER, &code).await.status, StatusCode::OK);
    assert_eq!(sign_in(&app, USER, &codes[0]).await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_recovery_code_opens_once_and_the_account_is_written_to() {
    let app = App::start().await;
    app.company_user("acme").await;
    let (device, codes) = switch_on(&app, USER).await;
    let typed = codes[3].to_uppercase().replace('-', " ");
    let token = sign_in(&app, USER, &typed).await;
    assert_eq!(token.status, StatusCode::OK, "{}", token.body);
    assert_eq!(refusal(&sign_in(&app, USER, &codes[3]).await), WRONG);
    let token = token.body["id"].as_str().unwrap();
    assert_eq!(app.get(FACTOR, &[("token", token)]).await.body["recoveryCodes"], 9);
    let mails: i64 = app
        .postgres
        .fetch(
            "select count(*) from mail_outbox where kind = 'secondfactor' and recipients = '[\"user@acme.example\"]'",
        )
        .await;
    assert_eq!(mails, 2, "one for switching on, one for the recovery code");
    let stored: String = app
        .postgres
        .fetch("select string_agg(secret, ' ') || string_agg(encode(r.sha256, 'escape'), ' ') from second_factor f join recovery_code r using (user_id)")
        .await;
    assert!(!stored.contains(&device.0) && !stored.contains(&codes[0]), "{stored}");

    // New ones end all earlier ones.
    let renewed = post(
        &app,
        &format!("{FACTOR}/recovery-codes"),
        USER,
        Some(&device.next_code(&app)),
    )
    .await;
    assert_eq!(renewed.status, StatusCode::OK, "{}", renewed.body);
    assert_eq!(refusal(&sign_in(&app, USER, &codes[4]).await), WRONG);
    let fresh = renewed.body["recoveryCodes"][0].as_str().unwrap();
    assert_eq!(sign_in(&app, USER, fresh).await.status, StatusCode::OK);
}

#[tokio::test]
async fn one_code_in_many_requests_at_once_opens_one_session() {
    let app = unthrottled().await;
    app.company_user("acme").await;
    let (device, codes) = switch_on(&app, USER).await;
    for code in [device.next_code(&app), codes[0].clone()] {
        let tries = (0..4).map(|_| sign_in(&app, USER, &code));
        let answers = futures::future::join_all(tries).await;
        let opened = answers.iter().filter(|answer| answer.status == StatusCode::OK).count();
        assert_eq!(opened, 1, "{code}");
    }
}

#[tokio::test]
async fn who_has_the_password_cannot_try_all_codes() {
    let mut app = App::start().await;
    let mut settings = crate::app::settings();
    settings.api.trusted_proxies = vec!["192.0.2.0/24".to_owned().try_into().unwrap()];
    app.set(settings);
    app.company_user("acme").await;
    let (device, codes) = switch_on(&app, USER).await;
    for attempt in 0..10_u32 {
        // From another address each time, as the count of an address and its name has a lower limit.
        let address = format!("198.51.100.{attempt}");
        let body = json!({"email": USER, "password": PASSWORD, "code": format!("{attempt:06}")});
        let answer = app.post(LOGIN, &body, &[("x-forwarded-for", &address)]).await;
        assert_eq!(refusal(&answer), WRONG);
    }
    let right = sign_in(&app, USER, &device.next_code(&app)).await;
    assert_eq!(right.status, StatusCode::TOO_MANY_REQUESTS, "{}", right.body);
    let recovery = sign_in(&app, USER, &codes[0]).await;
    assert_eq!(recovery.status, StatusCode::TOO_MANY_REQUESTS, "{}", recovery.body);
}

#[tokio::test]
async fn a_secret_is_replaced_until_it_is_confirmed_and_never_afterwards() {
    let app = App::start().await;
    app.company_user("acme").await;
    let first = Authenticator(
        post(&app, FACTOR, USER, None).await.body["secret"]
            .as_str()
            .unwrap()
            .to_owned(),
    );
    let second = Authenticator(
        post(&app, FACTOR, USER, None).await.body["secret"]
            .as_str()
            .unwrap()
            .to_owned(),
    );
    let confirm = format!("{FACTOR}/confirm");
    assert_eq!(
        refusal(&post(&app, &confirm, USER, Some(&first.code(&app))).await),
        WRONG
    );
    assert_eq!(
        post(&app, &confirm, USER, Some(&second.code(&app))).await.status,
        StatusCode::OK
    );
    let on = (StatusCode::CONFLICT, "SECOND_FACTOR_ON");
    assert_eq!(refusal(&post(&app, FACTOR, USER, None).await), on);
    assert_eq!(
        refusal(&post(&app, &confirm, USER, Some(&second.next_code(&app))).await),
        on
    );

    let off = format!("{FACTOR}/off");
    let none = (StatusCode::UNAUTHORIZED, "SECOND_FACTOR_REQUIRED");
    assert_eq!(refusal(&post(&app, &off, USER, None).await), none);
    assert_eq!(refusal(&post(&app, &off, USER, Some("000000")).await), WRONG);
    let switched = post(&app, &off, USER, Some(&second.code(&app))).await;
    assert_eq!(switched.status, StatusCode::NO_CONTENT, "{}", switched.body);
    assert!(is_signed_in(&app, &app.login(USER).await).await);
    let is_off = (StatusCode::CONFLICT, "SECOND_FACTOR_OFF");
    assert_eq!(refusal(&post(&app, &off, USER, Some("000000")).await), is_off);
    assert_eq!(
        refusal(&post(&app, &format!("{FACTOR}/recovery-codes"), USER, Some("000000")).await),
        is_off
    );
    let begun = (StatusCode::CONFLICT, "SECOND_FACTOR_NOT_BEGUN");
    assert_eq!(refusal(&post(&app, &confirm, USER, Some("000000")).await), begun);
    let kept: i64 = app.postgres.fetch("select count(*) from recovery_code").await;
    assert_eq!(kept, 0);
}

#[tokio::test]
async fn administrators_need_one_where_the_settings_say_so() {
    let mut app = App::start().await;
    app.admin().await;
    app.company_user("acme").await;
    let admin = "admin@vigie.example";
    let before = app.login(admin).await;
    let key = json!({"name": "report", "scopes": ["read:lists"]});
    let key = app.post("/api/keys", &key, &[("token", &before)]).await.body["key"].clone();
    let mut settings = crate::app::settings();
    settings.api.second_factor_of_administrators = true;
    app.set(settings);

    // Neither sessions nor keys from before open anything, and users are not asked.
    assert!(!is_signed_in(&app, &before).await);
    let lists = app
        .get("/api/monitoring/domains", &[("token", key.as_str().unwrap())])
        .await;
    assert_eq!(lists.status, StatusCode::UNAUTHORIZED);
    assert!(is_signed_in(&app, &app.login(USER).await).await);
    let refused = post(&app, LOGIN, admin, None).await;
    assert_eq!(refusal(&refused), (StatusCode::UNAUTHORIZED, "SECOND_FACTOR_SET_UP"));

    let (device, _) = switch_on(&app, admin).await;
    let token = sign_in(&app, admin, &device.next_code(&app)).await.body["id"].clone();
    let token = token.as_str().unwrap();
    assert!(is_signed_in(&app, token).await);
    assert_eq!(app.get(FACTOR, &[("token", token)]).await.body["needed"], true);
    let off = post(&app, &format!("{FACTOR}/off"), admin, Some(&device.next_code(&app))).await;
    assert_eq!(refusal(&off), (StatusCode::CONFLICT, "SECOND_FACTOR_NEEDED"));
}

#[tokio::test]
async fn an_administrator_removes_it_for_who_has_lost_all_codes_and_for_nobody_else() {
    let app = App::start().await;
    let administrator = app.admin().await;
    let user = app.company_user("acme").await;
    app.company_user("bolt").await;
    switch_on(&app, USER).await;
    let admin = app.login("admin@vigie.example").await;
    let other = app.login("user@bolt.example").await;
    let path = format!("{FACTOR}/{user}");
    for method in ["GET", "DELETE"] {
        let refused = app.send(method, &path, Body::empty(), &[("token", &other)]).await;
        assert_eq!(refused.status, StatusCode::FORBIDDEN, "{method}");
    }
    let own = format!("{FACTOR}/{administrator}");
    let refused = app.send("DELETE", &own, Body::empty(), &[("token", &admin)]).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    // Nor by working as another administrator.
    let second = app.second_admin().await;
    let tokens = format!("/api/UserAccounts/{second}/accessTokens");
    let made = app.post(&tokens, &json!({}), &[("token", &admin)]).await;
    let worked_as = made.body["id"].as_str().unwrap();
    let refused = app.send("DELETE", &own, Body::empty(), &[("token", worked_as)]).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    assert!(app.get(&path, &[("token", &admin)]).await.body["since"].is_string());
    let token = [("token", admin.as_str())];
    let remove = || app.send("DELETE", &path, Body::empty(), &token);
    assert_eq!(remove().await.status, StatusCode::NO_CONTENT);
    assert_eq!(remove().await.status, StatusCode::NOT_FOUND);
    assert_eq!(app.get(&path, &[("token", &admin)]).await.body["since"], Value::Null);
    assert!(is_signed_in(&app, &app.login(USER).await).await);
    let entries: Vec<String> = app
        .postgres
        .fetch(
            "select array_agg(event || ' by ' || actor_id order by id) from audit_entry where model = 'SecondFactor'",
        )
        .await;
    assert_eq!(
        entries,
        [format!("create by {user}"), format!("remove by {administrator}")]
    );
}

#[tokio::test]
async fn a_form_of_another_site_changes_nothing() {
    let app = App::start().await;
    app.company_user("acme").await;
    let body = json!({"email": USER, "password": PASSWORD});
    for path in ["", "/confirm", "/recovery-codes", "/off"] {
        let path = format!("{FACTOR}{path}");
        let answer = app.post(&path, &body, &[("sec-fetch-site", "cross-site")]).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{path}");
    }
    let begun: i64 = app.postgres.fetch("select count(*) from second_factor").await;
    assert_eq!(begun, 0);
}
