//! What ends, and what may not be held open.

use axum::http::{StatusCode, header};
use chrono::TimeDelta;
use serde_json::json;

use crate::app::{App, PASSWORD};

const ME: &str = "/api/UserAccounts/me";

#[tokio::test]
async fn a_session_ends_with_the_password_the_address_and_the_account() {
    let app = App::start().await;
    app.admin().await;
    let user = app.company_user("acme").await;
    let admin = app.login("admin@vigie.example").await;
    let path = format!("/api/UserAccounts/{user}");
    let headers = [("token", admin.as_str()), ("content-type", "application/json")];
    for (method, body, email) in [
        ("PATCH", json!({"password": PASSWORD}), "user@acme.example"),
        ("PATCH", json!({"email": "other@acme.example"}), "user@acme.example"),
        ("DELETE", json!({}), "other@acme.example"),
    ] {
        let token = app.login(email).await;
        assert_eq!(app.get(ME, &[("token", &token)]).await.status, StatusCode::OK);
        let (status, answer) = app.text(method, &path, &body.to_string(), &headers).await;
        assert_eq!(status, StatusCode::OK, "{answer}");
        assert_eq!(
            app.get(ME, &[("token", &token)]).await.status,
            StatusCode::UNAUTHORIZED,
            "{body}"
        );
    }
    assert_eq!(app.get(ME, &[("token", &admin)]).await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_user_holds_only_so_many_streams_open() {
    let app = App::start().await;
    app.company_user("acme").await;
    app.company_user("bolt").await;
    let (one, other) = (
        app.login("user@acme.example").await,
        app.login("user@bolt.example").await,
    );
    let path = "/api/Brands/change-stream";
    let mut open = Vec::new();
    let refused = loop {
        let answer = app.open(path, &[("token", &one)]).await;
        if answer.status() != StatusCode::OK {
            break answer;
        }
        open.push(answer);
        assert!(open.len() < 100, "no end");
    };
    assert_eq!(refused.status(), StatusCode::TOO_MANY_REQUESTS);
    assert!(refused.headers().contains_key(header::RETRY_AFTER));
    assert_eq!(app.open(path, &[("token", &other)]).await.status(), StatusCode::OK);
    open.pop();
    assert_eq!(app.open(path, &[("token", &one)]).await.status(), StatusCode::OK);
}

#[tokio::test]
async fn dealers_are_downloaded_with_their_tags_and_no_formula() {
    let app = App::start().await;
    app.admin().await;
    app.company_user("acme").await;
    let admin = app.login("admin@vigie.example").await;
    let tag = json!({"label": "Marketplace", "visibility": "all", "scope": "tag"});
    let tag = app.post("/api/Categories", &tag, &[("token", &admin)]).await.body["id"]
        .as_i64()
        .unwrap();
    for domain in ["shop.example", "outlet.example"] {
        let body = json!({"domain": domain, "note": "=cmd|' /C calc'!A0"});
        let made = app.post("/api/Dealers", &body, &[("token", &admin)]).await.body["id"]
            .as_i64()
            .unwrap();
        let link = format!("/api/Dealers/{made}/categories/rel/{tag}");
        app.text("PUT", &link, "", &[("token", &admin)]).await;
    }
    let user = app.login("user@acme.example").await;
    let filter = "filter=%7B%22order%22:%22domain%22,%22fields%22:%5B%22domain%22,%22note%22,%22id%22%5D%7D";
    // Notes are for staff.
    for (token, note) in [(&admin, "'=cmd|' /C calc'!A0"), (&user, "")] {
        let file = app
            .get(&format!("/api/Dealers/export?lng=fr&{filter}"), &[("token", token)])
            .await;
        assert_eq!(file.headers[header::CONTENT_TYPE], "text/csv; charset=utf-8");
        let text = String::from_utf8(file.bytes).unwrap();
        let lines: Vec<&str> = text.trim_start_matches('\u{feff}').lines().collect();
        assert_eq!(
            lines,
            [
                "Domaine,Tags,Note,Date,Mis à jour,Traité".to_owned(),
                format!("outlet.example,Marketplace,{note},,,"),
                format!("shop.example,Marketplace,{note},,,"),
            ]
        );
    }
    let one = app
        .get("/api/Dealers/export?filter[limit]=1", &[("token", &user)])
        .await;
    assert_eq!(String::from_utf8(one.bytes).unwrap().lines().count(), 2);
}

#[tokio::test]
async fn users_and_company_accounts_are_downloaded_by_an_administrators_ticket() {
    let app = App::start().await;
    app.admin().await;
    app.company_user("acme").await;
    let (admin, user) = (
        app.login("admin@vigie.example").await,
        app.login("user@acme.example").await,
    );
    let filter = "filter=%7B%22order%22:%22email%20DESC%22%7D";
    for (link, lines) in [
        (
            format!("/api/UserAccounts/export?lng=fr&{filter}"),
            ["E-mail,Prénom,Nom,Compte client", "user@acme.example,,,acme"],
        ),
        (
            "/api/CompanyAccounts/export?lng=en".to_owned(),
            ["Name,Brands,Views (30 days)", "acme,acme,0"],
        ),
    ] {
        let own = app.get(&link, &[("token", &user)]).await;
        let own = String::from_utf8(own.bytes).unwrap();
        assert!(own.lines().count() == 2 && !own.contains("admin@"), "{own}");
        let ticket = app
            .post("/api/exportTickets", &json!({ "link": link }), &[("token", &admin)])
            .await;
        let ticket = ticket.body["access_token"].as_str().unwrap();
        let file = app.get(&format!("{link}&access_token={ticket}"), &[]).await;
        let text = String::from_utf8(file.bytes).unwrap();
        let found: Vec<&str> = text.trim_start_matches('\u{feff}').lines().take(2).collect();
        assert_eq!(found, lines);
        let again = app.get(&format!("{link}&access_token={ticket}"), &[]).await;
        assert_eq!(again.status, StatusCode::UNAUTHORIZED, "a ticket opens its link once");
    }
}

#[tokio::test]
async fn requested_actions_come_with_brand_and_dealer() {
    let app = App::start().await;
    app.admin().await;
    app.company_user("acme").await;
    let admin = app.login("admin@vigie.example").await;
    let brand: i64 = app.postgres.fetch("select id::int8 from brand").await;
    for status in ["requested", "new"] {
        let domain = format!("{status}.example");
        let dealer = app
            .post("/api/Dealers", &json!({ "domain": domain }), &[("token", &admin)])
            .await;
        let body = json!({"domain": domain, "status": status, "brandId": brand, "advertiserID": dealer.body["id"]});
        let made = app.post("/api/Actions", &body, &[("token", &admin)]).await;
        assert_eq!(made.status, StatusCode::OK, "{}", made.body);
    }
    let user = app.login("user@acme.example").await;
    let found = app.get("/api/Actions/findRequest", &[("token", &user)]).await.body;
    assert_eq!(found.as_array().unwrap().len(), 1, "{found}");
    assert_eq!(found[0]["domain"], "requested.example");
    assert_eq!(found[0]["brand"]["label"], "acme");
    assert_eq!(found[0]["dealer"]["domain"], "requested.example");
}

#[tokio::test]
async fn a_token_that_a_session_makes_ends_with_it() {
    let app = App::start().await;
    app.company_user("acme").await;
    let session = app.login("user@acme.example").await;
    let made = async |token: &str, ttl: i64| {
        let body = json!({ "ttl": ttl });
        let path = "/api/UserAccounts/me/accessTokens";
        app.post(path, &body, &[("token", token)]).await.body["id"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let status = async |token: &str| app.get(ME, &[("token", token)]).await.status;
    let year = made(&session, 31_556_926).await;
    let grandchild = made(&year, 31_556_926).await;
    assert_eq!(status(&grandchild).await, StatusCode::OK);
    for _ in 0..5 {
        app.state.clock.advance(TimeDelta::days(3));
        // In use until the session's own time is over.
        status(&grandchild).await;
    }
    assert_eq!(status(&grandchild).await, StatusCode::UNAUTHORIZED);
    assert_eq!(status(&year).await, StatusCode::UNAUTHORIZED);

    let session = app.login("user@acme.example").await;
    let token = made(&session, 0).await;
    app.post("/api/UserAccounts/logout", &json!({}), &[("token", &session)])
        .await;
    assert_eq!(status(&token).await, StatusCode::UNAUTHORIZED);
}
