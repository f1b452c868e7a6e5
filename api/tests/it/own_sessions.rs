//! Where one is signed in, and signing out there.

use axum::body::Body;
use axum::http::StatusCode;
use chrono::TimeDelta;
use serde_json::{Value, json};

use crate::app::{App, PASSWORD, TestResponse};

const SESSIONS: &str = "/api/sessions";
const ME: &str = "/api/UserAccounts/me";
const FIREFOX: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0";
const IPHONE: &str = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 \
    Mobile/15E148 Safari/604.1";

async fn sign_in(app: &App, email: &str, user_agent: &str) -> String {
    let body = json!({ "email": email, "password": PASSWORD });
    let answer = app
        .post("/api/UserAccounts/login", &body, &[("user-agent", user_agent)])
        .await;
    answer.body["id"].as_str().unwrap().to_owned()
}

async fn sessions(app: &App, token: &str) -> Vec<Value> {
    let answer = app.get(SESSIONS, &[("token", token)]).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
    answer.body.as_array().unwrap().clone()
}

async fn delete(app: &App, path: &str, token: &str) -> TestResponse {
    app.send("DELETE", path, Body::empty(), &[("token", token)]).await
}

async fn is_signed_in(app: &App, token: &str) -> bool {
    app.get(ME, &[("token", token)]).await.status == StatusCode::OK
}

#[tokio::test]
async fn the_own_sessions_are_listed_with_their_devices_and_this_one_is_marked() {
    let app = App::without_idle_end().await;
    let user = app.company_user("acme").await;
    app.company_user("bolt").await;
    sign_in(&app, "user@bolt.example", FIREFOX).await;
    app.reset_token(user).await;
    let phone = sign_in(&app, "user@acme.example", IPHONE).await;
    let began = app.state.clock.now();
    app.state.clock.advance(TimeDelta::hours(1));
    let desk = sign_in(&app, "user@acme.example", FIREFOX).await;
    let listed = sessions(&app, &desk).await;
    assert_eq!(listed.len(), 2, "{listed:?}");
    assert_eq!(listed[0]["program"], "Firefox");
    assert_eq!(listed[0]["system"], "Linux");
    assert_eq!(listed[0]["current"], true);
    assert_eq!(listed[1]["program"], "Safari");
    assert_eq!(listed[1]["handheld"], true);
    assert_eq!(listed[1]["current"], false);
    assert_eq!(listed[1]["lastUsed"], Value::Null);
    let created: chrono::DateTime<chrono::Utc> = listed[1]["created"].as_str().unwrap().parse().unwrap();
    assert_eq!(created, began);

    // A use is noted once a minute, and brings the session to the top.
    app.state.clock.advance(TimeDelta::minutes(5));
    assert!(is_signed_in(&app, &phone).await);
    let noted = app.state.clock.now();
    app.state.clock.advance(TimeDelta::seconds(59));
    let listed = sessions(&app, &phone).await;
    assert_eq!(listed[0]["current"], true);
    let last: chrono::DateTime<chrono::Utc> = listed[0]["lastUsed"].as_str().unwrap().parse().unwrap();
    assert_eq!(last, noted);

    // An ended one is not shown.
    app.state.clock.advance(TimeDelta::days(14) - TimeDelta::minutes(30));
    assert_eq!(sessions(&app, &desk).await.len(), 1);
}

#[tokio::test]
async fn one_session_or_all_others_are_ended() {
    let app = App::start().await;
    app.company_user("acme").await;
    let (one, two, three) = (
        app.login("user@acme.example").await,
        app.login("user@acme.example").await,
        app.login("user@acme.example").await,
    );
    let listed = sessions(&app, &two).await;
    let current = listed.iter().find(|session| session["current"] == true).unwrap();
    let ended = format!("{SESSIONS}/{}", current["id"]);
    assert_eq!(delete(&app, &ended, &one).await.status, StatusCode::NO_CONTENT);
    assert!(!is_signed_in(&app, &two).await && is_signed_in(&app, &three).await);
    assert_eq!(delete(&app, &ended, &one).await.status, StatusCode::NOT_FOUND);
    assert_eq!(delete(&app, SESSIONS, &one).await.status, StatusCode::NO_CONTENT);
    assert!(is_signed_in(&app, &one).await && !is_signed_in(&app, &three).await);
}

#[tokio::test]
async fn nobody_ends_the_session_of_another_user() {
    let app = App::start().await;
    app.admin().await;
    app.company_user("acme").await;
    let admin = app.login("admin@vigie.example").await;
    let user = app.login("user@acme.example").await;
    let id = sessions(&app, &admin).await[0]["id"].clone();
    for path in [
        format!("{SESSIONS}/{id}"),
        format!("{SESSIONS}/99999"),
        format!("{SESSIONS}/me"),
    ] {
        assert_eq!(delete(&app, &path, &user).await.status, StatusCode::NOT_FOUND, "{path}");
    }
    delete(&app, SESSIONS, &user).await;
    assert!(is_signed_in(&app, &admin).await);
}

#[tokio::test]
async fn who_works_as_another_user_neither_sees_nor_ends_that_users_sessions() {
    let app = App::start().await;
    app.admin().await;
    let user = app.company_user("acme").await;
    let own = app.login("user@acme.example").await;
    let admin = app.login("admin@vigie.example").await;
    let path = format!("/api/UserAccounts/{}/accessTokens", user.0);
    let acting = app.post(&path, &json!({}), &[("token", &admin)]).await.body["id"].clone();
    let acting = acting.as_str().unwrap();
    assert_eq!(
        app.get(SESSIONS, &[("token", acting)]).await.status,
        StatusCode::FORBIDDEN
    );
    assert_eq!(delete(&app, SESSIONS, acting).await.status, StatusCode::FORBIDDEN);
    let listed = sessions(&app, &own).await;
    assert_eq!(listed.len(), 1, "the administrator's is not the user's: {listed:?}");
    let session = format!("{SESSIONS}/{}", listed[0]["id"]);
    assert_eq!(delete(&app, &session, acting).await.status, StatusCode::FORBIDDEN);
    assert!(is_signed_in(&app, &own).await);
}

#[tokio::test]
async fn a_session_ends_with_its_logout_its_password_and_its_user() {
    let app = App::start().await;
    app.admin().await;
    let admin = app.login("admin@vigie.example").await;
    let user = app.company_user("acme").await;
    let session = app.login("user@acme.example").await;
    app.post("/api/UserAccounts/logout", &json!({}), &[("token", &session)])
        .await;
    assert!(!is_signed_in(&app, &session).await);

    let session = app.login("user@acme.example").await;
    let path = format!("/api/UserAccounts/{}", user.0);
    let headers = [("token", admin.as_str()), ("content-type", "application/json")];
    let body = json!({ "password": "An0ther!Secret9" }).to_string();
    let (status, answer) = app.text("PATCH", &path, &body, &headers).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    assert!(!is_signed_in(&app, &session).await);

    let body = json!({ "email": "user@acme.example", "password": "An0ther!Secret9" });
    let again = app.post("/api/UserAccounts/login", &body, &[]).await;
    let session = again.body["id"].as_str().unwrap();
    assert!(is_signed_in(&app, session).await);
    assert_eq!(delete(&app, &path, &admin).await.status, StatusCode::OK);
    assert!(!is_signed_in(&app, session).await);
}

#[tokio::test]
async fn the_language_last_used_is_kept_and_that_of_an_administrator_is_not_taken_for_it() {
    let app = App::start().await;
    app.admin().await;
    let user = app.company_user("acme").await;
    let language = "select coalesce(language, '-') from user_account where email = 'user@acme.example'";
    let session = app.login("user@acme.example").await;
    assert_eq!(app.postgres.fetch::<String>(language).await, "-");
    app.get(ME, &[("token", &session), ("accept-language", "fr")]).await;
    assert_eq!(app.postgres.fetch::<String>(language).await, "fr");
    let admin = app.login("admin@vigie.example").await;
    let path = format!("/api/UserAccounts/{}/accessTokens", user.0);
    let acting = app.post(&path, &json!({}), &[("token", &admin)]).await.body["id"].clone();
    app.get(ME, &[("token", acting.as_str().unwrap()), ("accept-language", "en")])
        .await;
    assert_eq!(app.postgres.fetch::<String>(language).await, "fr");
}
