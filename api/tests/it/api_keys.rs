//! API keys of users and of companies: what they open, and who tries more.

use axum::body::Body;
use axum::http::StatusCode;
use chrono::TimeDelta;
use serde_json::{Value, json};

use crate::app::{App, PASSWORD, TestResponse};

const KEYS: &str = "/api/keys";
const LIST: &str = "/api/monitoring/domains";

async fn send(app: &App, method: &str, path: &str, token: &str, body: &Value) -> TestResponse {
    let headers = [("token", token), ("content-type", "application/json")];
    app.send(method, path, Body::from(body.to_string()), &headers).await
}

/// Makes a key; returns its id and itself.
async fn make(app: &App, session: &str, scopes: &[&str], days: Option<u16>) -> (i64, String) {
    make_at(app, KEYS, session, scopes, days).await
}

/// Makes a key of whom the address is about; returns its id and itself.
async fn make_at(app: &App, path: &str, session: &str, scopes: &[&str], days: Option<u16>) -> (i64, String) {
    let body = json!({"name": "nightly report", "scopes": scopes, "days": days});
    let made = send(app, "POST", path, session, &body).await;
    assert_eq!(made.status, StatusCode::CREATED, "{}", made.body);
    let id = made.body["data"]["id"].as_i64().unwrap();
    (id, made.body["key"].as_str().unwrap().to_owned())
}

async fn status(app: &App, path: &str, key: &str) -> StatusCode {
    app.get(path, &[("authorization", &format!("Bearer {key}"))])
        .await
        .status
}

#[tokio::test]
async fn a_key_is_shown_once_opens_what_it_names_and_nothing_else() {
    let app = App::start().await;
    app.company_user("acme").await;
    let session = app.login("user@acme.example").await;
    let (id, key) = make(&app, &session, &["read:lists"], None).await;
    assert!(key.starts_with("vigie_") && key.len() == 49, "{key}");
    let listed = send(&app, "GET", KEYS, &session, &Value::Null).await.body;
    assert_eq!(listed.as_array().unwrap().len(), 1);
    assert_eq!(listed[0]["id"], id);
    assert_eq!(listed[0]["hint"], key[45..]);
    assert_eq!(listed[0]["scopes"], json!(["read:lists"]));
    assert_eq!(listed[0]["expires"], Value::Null);
    assert!(!listed.to_string().contains(&key));
    let stored: String = app
        .postgres
        .fetch("select string_agg(concat_ws(' ', encode(sha256, 'hex'), name, hint, scopes), ' ') from access_token")
        .await;
    assert!(!stored.contains(&key[6..]), "{stored}");

    assert_eq!(status(&app, LIST, &key).await, StatusCode::OK);
    for path in [
        "/api/UserAccounts/me",
        KEYS,
        "/api/sessions",
        "/api/Brands",
        "/api/actions/detail/1",
        "/api/captures/x/evidence",
    ] {
        assert_eq!(status(&app, path, &key).await, StatusCode::FORBIDDEN, "{path}");
    }
    let more = json!({"name": "more", "scopes": ["read:lists"]});
    assert_eq!(
        send(&app, "POST", KEYS, &key, &more).await.status,
        StatusCode::FORBIDDEN
    );
    let ticket = send(
        &app,
        "POST",
        "/api/exportTickets",
        &key,
        &json!({"link": "/api/Sems/groupTerms/export"}),
    )
    .await;
    assert_eq!(ticket.status, StatusCode::FORBIDDEN, "{}", ticket.body);
    // As a cookie it opens nothing, and in an address neither.
    let by_cookie = app.get(LIST, &[("cookie", &format!("access_token={key}"))]).await;
    assert_eq!(by_cookie.status, StatusCode::UNAUTHORIZED);
    let in_address = app
        .get(&format!("/api/Sems/groupTerms/export?access_token={key}"), &[])
        .await;
    assert_eq!(in_address.status, StatusCode::UNAUTHORIZED);

    let audited: String = app
        .postgres
        .fetch("select string_agg(concat_ws(' ', event, details), '|') from audit_entry where model = 'ApiKey'")
        .await;
    assert!(
        audited.starts_with("create") && audited.contains("nightly report"),
        "{audited}"
    );
    assert!(!audited.contains(&key[6..]), "{audited}");
}

#[tokio::test]
async fn a_key_that_was_ended_replayed_later_or_left_without_its_account_opens_nothing() {
    let app = App::start().await;
    let user = app.company_user("acme").await;
    let session = app.login("user@acme.example").await;
    let (stolen, key) = make(&app, &session, &["read:lists"], None).await;
    let ended = send(&app, "DELETE", &format!("{KEYS}/{stolen}"), &session, &Value::Null).await;
    assert_eq!(ended.status, StatusCode::NO_CONTENT);
    assert_eq!(status(&app, LIST, &key).await, StatusCode::UNAUTHORIZED);
    let again = send(&app, "DELETE", &format!("{KEYS}/{stolen}"), &session, &Value::Null).await;
    assert_eq!(again.status, StatusCode::NOT_FOUND);

    let (_, short) = make(&app, &session, &["read:lists"], Some(1)).await;
    let (_, lasting) = make(&app, &session, &["read:lists"], None).await;
    app.state.clock.advance(TimeDelta::hours(25));
    assert_eq!(status(&app, LIST, &short).await, StatusCode::UNAUTHORIZED, "expired");
    assert_eq!(status(&app, LIST, &lasting).await, StatusCode::OK);
    // Longer than a session may be idle.
    app.state.clock.advance(TimeDelta::days(200));
    assert_eq!(status(&app, LIST, &lasting).await, StatusCode::OK);

    // Ending the other sessions leaves it, a new password does not.
    let session = app.login("user@acme.example").await;
    send(&app, "DELETE", "/api/sessions", &session, &Value::Null).await;
    assert_eq!(status(&app, LIST, &lasting).await, StatusCode::OK);
    let change = json!({"oldPassword": PASSWORD, "newPassword": "Tq7$kf2Zp9x"});
    let changed = send(&app, "POST", "/api/UserAccounts/change-password", &session, &change).await;
    assert!(changed.status.is_success(), "{}", changed.body);
    assert_eq!(status(&app, LIST, &lasting).await, StatusCode::UNAUTHORIZED);

    let login = json!({"email": "user@acme.example", "password": "Tq7$kf2Zp9x"});
    let session = app.post("/api/UserAccounts/login", &login, &[]).await;
    let (_, orphan) = make(&app, session.body["id"].as_str().unwrap(), &["read:lists"], None).await;
    app.postgres
        .execute(format!("delete from user_account where id = {user}").leak())
        .await;
    assert_eq!(status(&app, LIST, &orphan).await, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn a_key_gives_no_more_than_its_user_has_and_nobody_ends_anothers() {
    let app = App::start().await;
    app.admin().await;
    let user = app.company_user("acme").await;
    app.company_user("bolt").await;
    let acme = app.login("user@acme.example").await;
    let bolt = app.login("user@bolt.example").await;
    let (id, key) = make(&app, &acme, &["read:lists", "write:tags"], None).await;
    let other = send(&app, "DELETE", &format!("{KEYS}/{id}"), &bolt, &Value::Null).await;
    assert_eq!(other.status, StatusCode::NOT_FOUND);
    assert_eq!(send(&app, "GET", KEYS, &bolt, &Value::Null).await.body, json!([]));
    assert_eq!(status(&app, LIST, &key).await, StatusCode::OK);
    // Another company's brand is as unknown to the key as it is to the user.
    let brand: i32 = app.postgres.fetch("select id from brand where name = 'bolt'").await;
    let address = format!("/api/coverage?brandId={brand}");
    let by_user = app.get(&address, &[("token", acme.as_str())]).await;
    let by_key = app.get(&address, &[("token", key.as_str())]).await;
    assert_eq!((by_key.status, by_key.body), (by_user.status, by_user.body));
    // An administrator who works as the user makes no keys and sees none.
    let admin = app.login("admin@vigie.example").await;
    let path = format!("/api/UserAccounts/{user}/accessTokens");
    let made = send(&app, "POST", &path, &admin, &json!({ "ttl": 600 })).await;
    let as_user = made.body["id"].as_str().unwrap();
    let new = json!({"name": "x", "scopes": ["read:lists"]});
    assert_eq!(
        send(&app, "POST", KEYS, as_user, &new).await.status,
        StatusCode::FORBIDDEN
    );
    assert_eq!(
        send(&app, "GET", KEYS, as_user, &Value::Null).await.status,
        StatusCode::FORBIDDEN
    );
}

#[tokio::test]
async fn tags_are_set_with_a_key_for_them_by_whoever_may_set_them() {
    let app = App::start().await;
    app.admin().await;
    app.company_user("acme").await;
    app.postgres
        .execute(
            "insert into dealer (id, domain) values (601, 'shop.example');
             insert into category (id, name, label, scope, visibility) values (501, 'watched', 'Watched', 'tag', 'all')",
        )
        .await;
    let path = "/api/Dealers/601/categories/rel/501";
    let admin = app.login("admin@vigie.example").await;
    let (_, reads) = make(&app, &admin, &["read:lists"], None).await;
    assert_eq!(
        send(&app, "PUT", path, &reads, &json!({})).await.status,
        StatusCode::FORBIDDEN
    );
    let (_, tags) = make(&app, &admin, &["write:tags"], None).await;
    let set = send(&app, "PUT", path, &tags, &json!({})).await;
    assert_eq!(set.status, StatusCode::OK, "{}", set.body);
    let links = "select count(*) from category_dealer where dealer_id = 601 and category_id = 501";
    assert_eq!(app.postgres.fetch::<i64>(links).await, 1);
    assert_eq!(
        send(&app, "DELETE", path, &tags, &Value::Null).await.status,
        StatusCode::NO_CONTENT
    );
    assert_eq!(app.postgres.fetch::<i64>(links).await, 0);
    // With a key it is no more than in a session.
    let user = app.login("user@acme.example").await;
    let (_, own) = make(&app, &user, &["write:tags"], None).await;
    let by_session = send(&app, "PUT", path, &user, &json!({})).await;
    let by_key = send(&app, "PUT", path, &own, &json!({})).await;
    assert_eq!(by_key.status, by_session.status, "{} {}", by_key.body, by_session.body);
}

#[tokio::test]
async fn what_cannot_be_is_refused_by_field_and_a_user_has_twenty_keys() {
    let app = App::start().await;
    app.company_user("acme").await;
    let session = app.login("user@acme.example").await;
    for (body, field) in [
        (json!({"name": " ", "scopes": ["read:lists"]}), "name"),
        (json!({"name": "x".repeat(81), "scopes": ["read:lists"]}), "name"),
        (json!({"name": "x", "scopes": []}), "scopes"),
        (json!({"name": "x", "scopes": ["key"]}), "scopes"),
        (
            json!({"name": "x", "scopes": ["read:lists", "write:everything"]}),
            "scopes",
        ),
        (json!({"name": "x", "scopes": ["read:lists"], "days": 0}), "days"),
        (json!({"name": "x", "scopes": ["read:lists"], "days": 367}), "days"),
    ] {
        let refused = send(&app, "POST", KEYS, &session, &body).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{body}");
        assert!(refused.body.to_string().contains(field), "{}", refused.body);
    }
    let body = json!({"name": "x", "scopes": ["read:lists"]});
    let all = futures::future::join_all((0..24).map(|_| send(&app, "POST", KEYS, &session, &body))).await;
    let made = all.iter().filter(|made| made.status == StatusCode::CREATED).count();
    let listed = send(&app, "GET", KEYS, &session, &Value::Null).await.body;
    assert!(made <= 20 && listed.as_array().unwrap().len() == made, "{made}");
    while send(&app, "POST", KEYS, &session, &body).await.status == StatusCode::CREATED {}
    let listed = send(&app, "GET", KEYS, &session, &Value::Null).await.body;
    assert_eq!(listed.as_array().unwrap().len(), 20);
}

#[tokio::test]
async fn a_key_makes_so_many_calls_a_minute() {
    let app = App::start().await;
    app.company_user("acme").await;
    let session = app.login("user@acme.example").await;
    let (_, key) = make(&app, &session, &["read:evidence"], None).await;
    for call in 0..120 {
        assert_eq!(
            status(
                &app,
                "/api/captures/00000000-0000-0000-0000-000000000000/evidence",
                &key
            )
            .await,
            StatusCode::NOT_FOUND,
            "{call}"
        );
    }
    let refused = app
        .get(
            "/api/captures/00000000-0000-0000-0000-000000000000/evidence",
            &[("token", key.as_str())],
        )
        .await;
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS, "{}", refused.body);
}

/// Where the keys of a company are, by its name.
async fn keys_of(app: &App, company: &'static str) -> String {
    let id: i32 = app
        .postgres
        .fetch(format!("select id from company_account where name = '{company}'").leak())
        .await;
    format!("{KEYS}/company/{id}")
}

#[tokio::test]
async fn a_key_of_a_company_sees_what_the_company_sees_and_outlives_whoever_made_it() {
    let app = App::start().await;
    app.admin().await;
    let second = app.second_admin().await;
    app.company_user("acme").await;
    app.company_user("bolt").await;
    let maker = app.login("second@vigie.example").await;
    let (acme, bolt) = (keys_of(&app, "acme").await, keys_of(&app, "bolt").await);
    assert_eq!(send(&app, "GET", &acme, &maker, &Value::Null).await.body, json!([]));
    let (id, key) = make_at(&app, &acme, &maker, &["read:lists", "write:tags"], None).await;
    let (_, other) = make_at(&app, &bolt, &maker, &["read:lists"], None).await;

    // It is answered what a user of the company is.
    let user = app.login("user@acme.example").await;
    for brand in ["acme", "bolt"] {
        let query = format!("select id from brand where name = '{brand}'").leak();
        let brand: i32 = app.postgres.fetch(query).await;
        let address = format!("/api/coverage?brandId={brand}");
        let by_user = app.get(&address, &[("token", user.as_str())]).await;
        let by_key = app.get(&address, &[("token", key.as_str())]).await;
        assert_eq!((by_key.status, by_key.body), (by_user.status, by_user.body));
    }
    let brands = app.get("/api/brand", &[("token", key.as_str())]).await.body;
    let of_user = app.get("/api/brand", &[("token", user.as_str())]).await.body;
    assert_eq!(brands, of_user);
    assert!(
        brands.to_string().contains("acme") && !brands.to_string().contains("bolt"),
        "{brands}"
    );

    // A role that somebody writes down for the account of the programs opens nothing more.
    app.postgres
        .execute(
            "insert into role_mapping (principal_type, principal_id, role_id)
            select 'USER', u.id::text, r.id from user_account u, role r where u.program_of is not null and r.name = 'admin'",
        )
        .await;
    let with_role = app.get("/api/brand", &[("token", key.as_str())]).await.body;
    assert_eq!(with_role, of_user);

    // The key is no person's: it stays when its maker leaves, and each administrator may end it.
    app.postgres
        .execute(format!("delete from user_account where id = {second}").leak())
        .await;
    assert_eq!(status(&app, LIST, &key).await, StatusCode::OK);
    let admin = app.login("admin@vigie.example").await;
    let listed = send(&app, "GET", &acme, &admin, &Value::Null).await.body;
    assert_eq!(listed.as_array().unwrap().len(), 1);
    assert_eq!((&listed[0]["id"], &listed[0]["hint"]), (&json!(id), &json!(key[45..])));
    let foreign = send(&app, "DELETE", &format!("{bolt}/{id}"), &admin, &Value::Null).await;
    assert_eq!(foreign.status, StatusCode::NOT_FOUND, "by way of another company");
    let ended = send(&app, "DELETE", &format!("{acme}/{id}"), &admin, &Value::Null).await;
    assert_eq!(ended.status, StatusCode::NO_CONTENT);
    assert_eq!(status(&app, LIST, &key).await, StatusCode::UNAUTHORIZED);
    let audited: String = app
        .postgres
        .fetch("select string_agg(concat_ws(' ', event, details), '|' order by id) from audit_entry where model = 'ApiKey'")
        .await;
    let company = acme.rsplit('/').next().unwrap();
    assert!(audited.contains(&format!("\"company\": {company}")), "{audited}");

    // The account of the company takes its keys along, brands that it loses are seen no more.
    app.postgres.execute("delete from brand_company_account").await;
    let brands = app.get("/api/brand", &[("token", other.as_str())]).await;
    assert!(!brands.body.to_string().contains("bolt"), "{}", brands.body);
    app.postgres
        .execute("delete from user_account where email = 'user@bolt.example'")
        .await;
    app.postgres
        .execute("delete from company_account where name = 'bolt'")
        .await;
    assert_eq!(status(&app, LIST, &other).await, StatusCode::UNAUTHORIZED);
    let gone = send(
        &app,
        "POST",
        &bolt,
        &admin,
        &json!({"name": "x", "scopes": ["read:lists"]}),
    )
    .await;
    assert_eq!(gone.status, StatusCode::NOT_FOUND);
    assert_eq!(
        send(&app, "GET", &bolt, &admin, &Value::Null).await.status,
        StatusCode::NOT_FOUND
    );
}

#[tokio::test]
async fn only_administrators_handle_the_keys_of_companies() {
    let app = App::start().await;
    app.admin().await;
    app.operator().await;
    let user = app.company_user("acme").await;
    let path = keys_of(&app, "acme").await;
    let admin = app.login("admin@vigie.example").await;
    let (id, key) = make_at(
        &app,
        &path,
        &admin,
        &["read:lists", "read:evidence", "write:tags"],
        None,
    )
    .await;
    let (_, own) = make(&app, &admin, &["read:lists"], None).await;
    let mut others = vec![key, own];
    for email in ["user@acme.example", "operator@vigie.example"] {
        others.push(app.login(email).await);
    }
    let as_user = format!("/api/UserAccounts/{user}/accessTokens");
    let impersonating = send(&app, "POST", &as_user, &admin, &json!({ "ttl": 600 })).await;
    others.push(impersonating.body["id"].as_str().unwrap().to_owned());
    let new = json!({"name": "x", "scopes": ["read:lists"]});
    for other in others {
        for (method, path) in [
            ("GET", path.clone()),
            ("POST", path.clone()),
            ("DELETE", format!("{path}/{id}")),
        ] {
            let refused = send(&app, method, &path, &other, &new).await;
            assert_eq!(
                refused.status,
                StatusCode::FORBIDDEN,
                "{method} {path}: {}",
                refused.body
            );
        }
    }
    let kept = send(&app, "GET", &path, &admin, &Value::Null).await.body;
    assert_eq!(kept.as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn nobody_sees_the_account_of_a_companys_programs_or_signs_in_with_it() {
    let app = App::start().await;
    app.admin().await;
    app.company_user("acme").await;
    let path = keys_of(&app, "acme").await;
    let admin = app.login("admin@vigie.example").await;
    make_at(&app, &path, &admin, &["read:lists"], None).await;
    let account: i32 = app
        .postgres
        .fetch("select id from user_account where program_of is not null")
        .await;
    let email: String = app
        .postgres
        .fetch("select email from user_account where program_of is not null")
        .await;
    let headers = [("token", admin.as_str())];
    for list in [
        "/api/UserAccounts".to_owned(),
        "/api/UserAccounts/count".to_owned(),
        format!("/api/search?text={email}"),
        format!("/api/CompanyAccounts/{}/userAccounts", path.rsplit('/').next().unwrap()),
    ] {
        let answer = app.get(&list, &headers).await;
        assert!(!answer.body.to_string().contains(&email), "{list}: {}", answer.body);
    }
    let count = app.get("/api/UserAccounts/count", &headers).await;
    assert_eq!(count.body["count"], 2, "{}", count.body);
    let one = format!("/api/UserAccounts/{account}");
    let tokens = format!("{one}/accessTokens");
    for (method, path, body) in [
        ("GET", &one, Value::Null),
        ("PATCH", &one, json!({"password": "Tq7$kf2Zp9x"})),
        ("PATCH", &one, json!({"email": "mine@vigie.example"})),
        ("POST", &tokens, json!({"ttl": 600})),
    ] {
        let refused = send(&app, method, path, &admin, &body).await;
        assert_eq!(
            refused.status,
            StatusCode::NOT_FOUND,
            "{method} {path}: {}",
            refused.body
        );
    }
    // A deletion answers how many rows it took.
    let deleted = send(&app, "DELETE", &one, &admin, &Value::Null).await;
    assert_eq!(deleted.body["count"], 0, "{}", deleted.body);
    // Nothing is sent to it, so nobody chooses a password for it.
    app.post("/api/UserAccounts/reset", &json!({ "email": email }), &[])
        .await;
    let mails: i64 = app
        .postgres
        .fetch("select count(*) from mail_outbox where user_id = (select id from user_account where program_of is not null)")
        .await;
    assert_eq!(mails, 0);
    let login = app
        .post(
            "/api/UserAccounts/login",
            &json!({"email": email, "password": PASSWORD}),
            &[],
        )
        .await;
    assert_eq!(login.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn a_company_has_twenty_keys_however_many_are_made_at_once() {
    let app = App::start().await;
    app.admin().await;
    app.company_user("acme").await;
    let (path, admin) = (keys_of(&app, "acme").await, app.login("admin@vigie.example").await);
    let body = json!({"name": "x", "scopes": ["read:lists"]});
    // The first ones make the account, and make one.
    futures::future::join_all((0..24).map(|_| send(&app, "POST", &path, &admin, &body))).await;
    while send(&app, "POST", &path, &admin, &body).await.status == StatusCode::CREATED {}
    let refused = send(&app, "POST", &path, &admin, &body).await;
    assert_eq!(
        (refused.status, &refused.body["error"]["code"]),
        (StatusCode::CONFLICT, &json!("TOO_MANY_KEYS"))
    );
    let listed = send(&app, "GET", &path, &admin, &Value::Null).await.body;
    assert_eq!(listed.as_array().unwrap().len(), 20);
    let accounts: i64 = app
        .postgres
        .fetch("select count(*) from user_account where program_of is not null")
        .await;
    assert_eq!(accounts, 1);
}
