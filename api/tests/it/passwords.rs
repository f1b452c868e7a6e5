//! Forgotten and changed passwords, and the mails about them.

use axum::body::Body;
use axum::http::{StatusCode, header};
use chrono::TimeDelta;
use postgres::tokens;
use serde_json::json;

use crate::app::{App, PASSWORD, TestResponse};

const RESET: &str = "/api/UserAccounts/reset";
const RESET_PASSWORD: &str = "/api/UserAccounts/reset-password";
const CHANGE_PASSWORD: &str = "/api/UserAccounts/change-password";
const ME: &str = "/api/UserAccounts/me";
const ANOTHER: &str = "An0ther!Secret9";

async fn choose(app: &App, token: &str, password: &str) -> TestResponse {
    let body = json!({ "newPassword": password });
    app.post(RESET_PASSWORD, &body, &[("authorization", token)]).await
}

#[tokio::test]
async fn a_known_and_an_unknown_address_get_the_same_answer_for_the_same_work() {
    let app = App::start().await;
    app.company_user("acme").await;
    let mut answers = Vec::new();
    for email in ["user@acme.example", "nobody@acme.example"] {
        // What is done with the database between these two is all that is done for the request.
        app.postgres.execute("delete from mail_outbox").await;
        let answer = app
            .post(RESET, &json!({ "email": email }), &[("accept-language", "fr")])
            .await;
        let left: String = app
            .postgres
            .fetch(
                "select (to_jsonb(m) - '{id,recipients,message_id,leave_key,not_before,created_at}'::text[]
                     || jsonb_build_object('business_key', split_part(business_key, ' ', 1)))::text from mail_outbox m",
            )
            .await;
        let tokens: i64 = app.postgres.fetch("select count(*) from access_token").await;
        answers.push((answer.status, answer.bytes, left, tokens));
    }
    assert_eq!(answers[0].0, StatusCode::NO_CONTENT);
    assert!(answers[0].2.contains("\"kind\": \"reset\""), "{}", answers[0].2);
    assert_eq!(answers[0], answers[1]);
}

#[tokio::test]
async fn the_sixth_request_for_one_address_is_refused_whoever_has_it() {
    let app = App::start().await;
    app.company_user("acme").await;
    for email in ["user@acme.example", "nobody@acme.example"] {
        let body = json!({ "email": email });
        for _ in 0..5 {
            assert_eq!(app.post(RESET, &body, &[]).await.status, StatusCode::NO_CONTENT);
        }
        let refused = app.post(RESET, &json!({ "email": email.to_uppercase() }), &[]).await;
        assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS, "{email}");
        assert!(refused.headers.contains_key(header::RETRY_AFTER));
    }
    assert_eq!(app.postgres.fetch::<i64>("select count(*) from mail_outbox").await, 10);
}

#[tokio::test]
async fn one_machine_cannot_have_mails_sent_to_everybody() {
    let app = App::start().await;
    let mut sent = 0;
    for number in 0..105 {
        let body = json!({ "email": format!("user{number}@acme.example") });
        if app.post(RESET, &body, &[]).await.status == StatusCode::NO_CONTENT {
            sent += 1;
        }
    }
    assert_eq!(sent, 100);
}

#[tokio::test]
async fn a_request_that_names_another_host_leaves_no_trace_of_it() {
    let app = App::start().await;
    app.company_user("acme").await;
    let headers = [
        ("content-type", "application/json"),
        ("host", "evil.example"),
        ("x-forwarded-host", "evil.example"),
        ("forwarded", "host=evil.example"),
        ("origin", "https://evil.example"),
    ];
    let body = Body::from(json!({ "email": "user@acme.example" }).to_string());
    assert_eq!(
        app.send("POST", RESET, body, &headers).await.status,
        StatusCode::NO_CONTENT
    );
    let rows: String = app
        .postgres
        .fetch("select string_agg(m::text, '|') from mail_outbox m")
        .await;
    assert!(rows.contains("user@acme.example") && !rows.contains("evil"), "{rows}");
}

#[tokio::test]
async fn a_reset_token_opens_one_door_once() {
    let app = App::start().await;
    let user = app.company_user("acme").await;
    let session = app.login("user@acme.example").await;
    let token = app.reset_token(user).await;
    assert_eq!(app.get(ME, &[("token", &token)]).await.status, StatusCode::UNAUTHORIZED);
    assert_eq!(choose(&app, &session, ANOTHER).await.status, StatusCode::UNAUTHORIZED);
    assert_eq!(
        choose(&app, &token, "short").await.status,
        StatusCode::UNPROCESSABLE_ENTITY
    );
    let other_link = app.reset_token(user).await;
    let (one, two) = tokio::join!(choose(&app, &token, ANOTHER), choose(&app, &token, ANOTHER));
    let mut answers = [one.status, two.status];
    answers.sort();
    assert_eq!(answers, [StatusCode::NO_CONTENT, StatusCode::UNAUTHORIZED]);
    for ended in [&session, &other_link] {
        assert_eq!(app.get(ME, &[("token", ended)]).await.status, StatusCode::UNAUTHORIZED);
        assert_eq!(choose(&app, ended, ANOTHER).await.status, StatusCode::UNAUTHORIZED);
    }
    let login = json!({"email": "user@acme.example", "password": ANOTHER});
    assert_eq!(
        app.post("/api/UserAccounts/login", &login, &[]).await.status,
        StatusCode::OK
    );
}

#[tokio::test]
async fn a_reset_token_ends_after_an_hour_and_is_stored_as_its_digest_alone() {
    let app = App::start().await;
    let user = app.company_user("acme").await;
    let token = app.reset_token(user).await;
    let rows: String = app
        .postgres
        .fetch("select string_agg(t::text, '|') from access_token t")
        .await;
    assert!(
        !rows.contains(&token) && rows.contains(&hex::encode(tokens::digest(&token))),
        "{rows}"
    );
    app.state.clock.advance(TimeDelta::seconds(3_600));
    assert_eq!(choose(&app, &token, ANOTHER).await.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn who_changes_the_password_keeps_this_session_and_is_told_by_mail() {
    let app = App::start().await;
    app.company_user("acme").await;
    let here = app.login("user@acme.example").await;
    let elsewhere = app.login("user@acme.example").await;
    let headers = [("token", here.as_str()), ("accept-language", "fr-FR,fr;q=0.9,en;q=0.8")];
    let change = |old: &str, new: &str| json!({ "oldPassword": old, "newPassword": new });
    let wrong = app.post(CHANGE_PASSWORD, &change("nope", ANOTHER), &headers).await;
    assert_eq!(wrong.status, StatusCode::BAD_REQUEST);
    let weak = app.post(CHANGE_PASSWORD, &change(PASSWORD, "Str0ng#a"), &headers).await;
    assert_eq!(weak.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(app.postgres.fetch::<i64>("select count(*) from mail_outbox").await, 0);
    let changed = app.post(CHANGE_PASSWORD, &change(PASSWORD, "kV7!wm2q"), &headers).await;
    assert_eq!(changed.status, StatusCode::NO_CONTENT);
    assert_eq!(app.get(ME, &[("token", &here)]).await.status, StatusCode::OK);
    assert_eq!(
        app.get(ME, &[("token", &elsewhere)]).await.status,
        StatusCode::UNAUTHORIZED
    );
    let mail = "select concat_ws(' ', kind, recipients ->> 0, language) from mail_outbox";
    assert_eq!(
        app.postgres.fetch::<String>(mail).await,
        "password user@acme.example fr"
    );
}

#[tokio::test]
async fn a_new_account_and_a_password_set_by_somebody_else_are_told_by_mail() {
    let app = App::start().await;
    app.admin().await;
    let token = app.login("admin@vigie.example").await;
    let new = json!({"email": "ann@acme.example", "password": PASSWORD});
    let made = app
        .post(
            "/api/UserAccounts",
            &new,
            &[("token", &token), ("accept-language", "fr")],
        )
        .await;
    assert_eq!(made.status, StatusCode::OK, "{}", made.body);
    let mails = "select coalesce(string_agg(concat_ws(' ', kind, recipients ->> 0, language), ', ' order by id), '') from mail_outbox";
    assert_eq!(app.postgres.fetch::<String>(mails).await, "account ann@acme.example");
    let path = format!("/api/UserAccounts/{}", made.body["id"]);
    let headers = [("token", token.as_str()), ("content-type", "application/json")];
    for body in [json!({"firstName": "Ann"}), json!({"password": ANOTHER})] {
        let (status, answer) = app.text("PATCH", &path, &body.to_string(), &headers).await;
        assert_eq!(status, StatusCode::OK, "{answer}");
    }
    assert_eq!(
        app.postgres.fetch::<String>(mails).await,
        "account ann@acme.example, password ann@acme.example"
    );
    // The outbox holds nothing of the password.
    let rows: String = app
        .postgres
        .fetch("select string_agg(m::text, '|') from mail_outbox m")
        .await;
    assert!(!rows.contains(PASSWORD) && !rows.contains(ANOTHER), "{rows}");
}

#[tokio::test]
async fn an_address_is_proved_once_with_the_link_of_a_mail() {
    let app = App::start().await;
    let user = app.company_user("acme").await;
    let token = app.login("user@acme.example").await;
    let asked = app
        .post("/api/UserAccounts/me/verify", &json!({}), &[("token", &token)])
        .await;
    assert_eq!(asked.status, StatusCode::NO_CONTENT, "{}", asked.body);
    let mail = "select concat_ws(' ', kind, user_id, recipients ->> 0) from mail_outbox";
    let expected = format!("verify {} user@acme.example", user.0);
    assert_eq!(app.postgres.fetch::<String>(mail).await, expected);
    let proof = app.proof_of_address(user).await;
    let stored: String = app.postgres.fetch("select verification_token from user_account").await;
    assert_ne!(stored, proof);
    let confirm = format!("/api/UserAccounts/confirm?uid={}&token={proof}", user.0);
    let stranger = format!("/api/UserAccounts/confirm?uid=4711&token={proof}");
    let (wrong, nobody) = (
        app.get(&confirm.replace(&proof, "x"), &[]).await,
        app.get(&stranger.replace(&proof, "x"), &[]).await,
    );
    assert_eq!((wrong.status, &wrong.body), (nobody.status, &nobody.body));
    assert_eq!(app.get(&confirm, &[]).await.status, StatusCode::NO_CONTENT);
    assert!(
        app.postgres
            .fetch::<bool>("select email_verified from user_account")
            .await
    );
    assert_eq!(app.get(&confirm, &[]).await.status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn a_person_whose_link_proves_nothing_is_led_to_a_page_that_says_so() {
    let app = App::start().await;
    let user = app.company_user("acme").await;
    let proof = app.proof_of_address(user).await;
    let browser = [("accept", "text/html,application/xhtml+xml,*/*;q=0.8")];
    let right = format!("/api/UserAccounts/confirm?uid={}&token={proof}&redirect=/login", user.0);
    for (link, leads_to) in [
        (right.replace(&proof, "wrong").as_str(), "/confirm/failed"),
        (
            right.replace(&format!("uid={}", user.0), "uid=4711").as_str(),
            "/confirm/failed",
        ),
        ("/api/UserAccounts/confirm", "/confirm/failed"),
        (&right, "/login"),
        (&right, "/confirm/failed"),
    ] {
        let answer = app.get(link, &browser).await;
        assert_eq!(answer.status, StatusCode::FOUND, "{link}");
        assert_eq!(answer.headers["location"], leads_to, "{link}");
    }
}

#[tokio::test]
async fn a_confirmation_leads_to_this_site_only() {
    let app = App::start().await;
    let user = app.company_user("acme").await;
    let proof = app.proof_of_address(user).await;
    let confirm = |redirect: &str| {
        format!(
            "/api/UserAccounts/confirm?uid={}&token={proof}&redirect={redirect}",
            user.0
        )
    };
    for evil in ["//evil.example", "https://evil.example", "/%5Cevil.example"] {
        assert_eq!(
            app.get(&confirm(evil), &[]).await.status,
            StatusCode::BAD_REQUEST,
            "{evil}"
        );
    }
    let answer = app.get(&confirm("/welcome"), &[]).await;
    assert_eq!(answer.status, StatusCode::FOUND);
    assert_eq!(answer.headers["location"], "/welcome");
    assert_eq!(app.get(&confirm("/welcome"), &[]).await.status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn a_proof_of_an_address_has_an_end() {
    let app = App::start().await;
    let user = app.company_user("acme").await;
    let proof = app.proof_of_address(user).await;
    app.state.clock.advance(TimeDelta::days(8));
    let confirm = format!("/api/UserAccounts/confirm?uid={}&token={proof}", user.0);
    assert_eq!(app.get(&confirm, &[]).await.status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn only_so_many_mails_of_confirmation_are_asked_for() {
    let app = App::start().await;
    app.company_user("acme").await;
    let token = app.login("user@acme.example").await;
    let ask = async || {
        app.post("/api/UserAccounts/me/verify", &json!({}), &[("token", &token)])
            .await
            .status
    };
    for _ in 0..5 {
        assert_eq!(ask().await, StatusCode::NO_CONTENT);
    }
    assert_eq!(ask().await, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(app.postgres.fetch::<i64>("select count(*) from mail_outbox").await, 5);
}

#[tokio::test]
async fn the_own_password_changes_only_with_the_old_one_however_it_is_written() {
    let app = App::start().await;
    app.admin().await;
    let user = app.company_user("acme").await;
    let (token, admin) = (
        app.login("user@acme.example").await,
        app.login("admin@vigie.example").await,
    );
    let hash = "select string_agg(password_hash, '|' order by id) from user_account";
    let before: String = app.postgres.fetch(hash).await;
    let own = app.get("/api/UserAccounts/me", &[("token", &admin)]).await.body["id"].clone();
    let company = app.get("/api/UserAccounts/me", &[("token", &token)]).await.body["companyAccountId"].clone();
    for (who, method, path, more) in [
        (&token, "PATCH", "/api/UserAccounts/me".to_owned(), json!({})),
        (
            &token,
            "PATCH",
            format!("/api/UserAccounts/{user}"),
            json!({"oldPassword": "wrong"}),
        ),
        (
            &admin,
            "PATCH",
            "/api/UserAccounts/me".to_owned(),
            json!({"oldPassword": ""}),
        ),
        (
            &admin,
            "PUT",
            "/api/UserAccounts/me".to_owned(),
            json!({"email": "admin@vigie.example"}),
        ),
        (
            &admin,
            "POST",
            "/api/UserAccounts/me/replace".to_owned(),
            json!({"email": "admin@vigie.example"}),
        ),
        (&admin, "PATCH", "/api/UserAccounts".to_owned(), json!({ "id": own })),
        (
            &admin,
            "PUT",
            "/api/UserAccounts".to_owned(),
            json!({"id": own, "email": "admin@vigie.example"}),
        ),
        (
            &admin,
            "POST",
            format!("/api/UserAccounts/upsertWithWhere?where=%7B%22id%22:{own}%7D"),
            json!({}),
        ),
    ] {
        let mut body = json!({ "password": ANOTHER });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let headers = [("token", who.as_str()), ("content-type", "application/json")];
        let (status, answer) = app.text(method, &path, &body.to_string(), &headers).await;
        assert!(status.is_client_error(), "{method} {path}: {status} {answer}");
        assert_eq!(app.postgres.fetch::<String>(hash).await, before, "{method} {path}");
    }
    // Its own account through the company's users, too: out of the rights of the one, with the old password for the other.
    let path = format!("/api/CompanyAccounts/{company}/userAccounts/{user}");
    let headers = [("token", token.as_str()), ("content-type", "application/json")];
    let body = json!({ "password": ANOTHER }).to_string();
    let (status, _) = app.text("PUT", &path, &body, &headers).await;
    assert!(status.is_client_error());
    assert_eq!(app.postgres.fetch::<String>(hash).await, before);

    let body = json!({ "password": ANOTHER, "oldPassword": PASSWORD }).to_string();
    let (status, answer) = app.text("PATCH", "/api/UserAccounts/me", &body, &headers).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    assert_ne!(app.postgres.fetch::<String>(hash).await, before);
}

#[tokio::test]
async fn a_common_password_is_refused_wherever_one_is_chosen() {
    let app = App::start().await;
    app.admin().await;
    let user = app.company_user("acme").await;
    let (token, admin) = (
        app.login("user@acme.example").await,
        app.login("admin@vigie.example").await,
    );
    let change = json!({"oldPassword": PASSWORD, "newPassword": "Password1!"});
    let changed = app
        .post("/api/UserAccounts/change-password", &change, &[("token", &token)])
        .await;
    let link = app.reset_token(user).await;
    let chosen = json!({"newPassword": "Password1!"});
    let reset = app.post(RESET_PASSWORD, &chosen, &[("authorization", &link)]).await;
    let new = json!({"email": "ann@acme.example", "password": "Password1!"});
    let made = app.post("/api/UserAccounts", &new, &[("token", &admin)]).await;
    for refused in [changed, reset, made] {
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", refused.body);
        assert_eq!(refused.body["error"]["code"], "PASSWORD_TOO_COMMON");
    }
}

#[tokio::test]
async fn a_session_makes_itself_no_link_ticket_or_key() {
    let app = App::start().await;
    app.admin().await;
    app.company_user("acme").await;
    for email in ["user@acme.example", "admin@vigie.example"] {
        let token = app.login(email).await;
        for scopes in [
            json!(["reset-password"]),
            json!(["other", "reset-password"]),
            json!(["export:x"]),
            json!(["key", "read:lists"]),
        ] {
            let body = json!({ "scopes": scopes });
            let made = app
                .post("/api/UserAccounts/me/accessTokens", &body, &[("token", &token)])
                .await;
            assert_eq!(made.status, StatusCode::UNPROCESSABLE_ENTITY, "{email}: {}", made.body);
        }
    }
}

#[tokio::test]
async fn the_password_is_not_guessed_through_its_change() {
    let app = App::start().await;
    app.company_user("acme").await;
    let token = app.login("user@acme.example").await;
    let body = json!({"oldPassword": "wrong", "newPassword": ANOTHER});
    let guess = async || {
        app.post("/api/UserAccounts/change-password", &body, &[("token", &token)])
            .await
            .status
    };
    for _ in 0..5 {
        assert_eq!(guess().await, StatusCode::BAD_REQUEST);
    }
    assert_eq!(guess().await, StatusCode::TOO_MANY_REQUESTS);
}
