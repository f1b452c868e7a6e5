//! Rows that the product itself relies on: its tags and its roles.

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::app::App;

async fn write(app: &App, token: &str, method: &str, path: &str, body: &Value) -> (StatusCode, Value) {
    let headers = [("token", token), ("content-type", "application/json")];
    let (status, answer) = app.text(method, path, &body.to_string(), &headers).await;
    (status, serde_json::from_str(&answer).unwrap_or_default())
}

#[tokio::test]
async fn a_tag_of_the_product_keeps_what_it_is_known_by_however_it_is_written() {
    let app = App::start().await;
    app.admin().await;
    app.company_user("acme").await;
    let (admin, user) = (
        app.login("admin@vigie.example").await,
        app.login("user@acme.example").await,
    );
    let brand: i64 = app.postgres.fetch("select id::int8 from brand").await;
    let tag =
        json!({"label": "Official", "name": "official", "scope": "tag", "visibility": "owner", "brandOwnerId": brand});
    let id = write(&app, &admin, "POST", "/api/Categories", &tag).await.1["id"]
        .as_i64()
        .unwrap();
    let (_, dealer) = write(&app, &admin, "POST", "/api/Dealers", &json!({"domain": "acme.example"})).await;
    let dealer = dealer["id"].as_i64().unwrap();
    write(
        &app,
        &admin,
        "PUT",
        &format!("/api/Dealers/{dealer}/categories/rel/{id}"),
        &json!({}),
    )
    .await;
    let before: String = app
        .postgres
        .fetch("select c::text from category c where name = 'official'")
        .await;
    let one = format!("/api/Categories/{id}");
    let by_name = "where=%7B%22name%22:%22official%22%7D";
    for token in [&user, &admin] {
        for (method, path, body) in [
            ("PATCH", one.clone(), json!({"name": "mine"})),
            ("PATCH", one.clone(), json!({"label": "Mine"})),
            ("PATCH", one.clone(), json!({"scope": "term"})),
            (
                "PUT",
                one.clone(),
                json!({"label": "Mine", "brandOwnerId": brand, "visibility": "owner"}),
            ),
            (
                "POST",
                format!("{one}/replace"),
                json!({"label": "Mine", "brandOwnerId": brand, "visibility": "owner"}),
            ),
            ("PATCH", "/api/Categories".to_owned(), json!({"id": id, "name": "mine"})),
            (
                "POST",
                format!("/api/Categories/update?{by_name}"),
                json!({"name": "mine"}),
            ),
            (
                "POST",
                format!("/api/Categories/upsertWithWhere?{by_name}"),
                json!({"name": "mine"}),
            ),
            (
                "PUT",
                format!("/api/Dealers/{dealer}/categories/{id}"),
                json!({"name": "mine"}),
            ),
            ("DELETE", format!("/api/Dealers/{dealer}/categories/{id}"), json!({})),
            ("DELETE", one.clone(), json!({})),
        ] {
            let (status, answer) = write(&app, token, method, &path, &body).await;
            assert_eq!(status, StatusCode::CONFLICT, "{method} {path} {body}: {answer}");
            assert_eq!(answer["error"]["code"], "SYSTEM_TAG", "{method} {path}");
        }
    }
    // What says the same again changes nothing.
    let same = write(
        &app,
        &user,
        "PATCH",
        &one,
        &json!({"name": "official", "label": "Official"}),
    )
    .await;
    assert_eq!(same.0, StatusCode::OK, "{}", same.1);
    let after: String = app
        .postgres
        .fetch("select c::text from category c where name = 'official'")
        .await;
    assert_eq!(after, before);
}

#[tokio::test]
async fn the_roles_of_the_product_keep_their_names_and_somebody_keeps_administering() {
    let app = App::start().await;
    let only = app.admin().await;
    app.company_user("acme").await;
    let admin = app.login("admin@vigie.example").await;
    let role: i64 = app
        .postgres
        .fetch("select id::int8 from role where name = 'admin'")
        .await;
    let operator: i64 = app
        .postgres
        .fetch("select id::int8 from role where name = 'operator'")
        .await;
    let mapping: i64 = app.postgres.fetch("select id::int8 from role_mapping").await;
    let other = json!({"principalId": "4711"});
    for (method, path, body, code) in [
        (
            "PATCH",
            format!("/api/Roles/{role}"),
            json!({"name": "boss"}),
            "SYSTEM_ROLE",
        ),
        (
            "PUT",
            format!("/api/Roles/{operator}"),
            json!({"name": "boss"}),
            "SYSTEM_ROLE",
        ),
        (
            "POST",
            format!("/api/Roles/update?where=%7B%22id%22:{role}%7D"),
            json!({"name": "boss"}),
            "SYSTEM_ROLE",
        ),
        ("DELETE", format!("/api/Roles/{role}"), json!({}), "SYSTEM_ROLE"),
        (
            "PUT",
            format!("/api/Roles/{role}/principals/{mapping}"),
            other,
            "LAST_ADMINISTRATOR",
        ),
        (
            "DELETE",
            format!("/api/Roles/{role}/principals/{mapping}"),
            json!({}),
            "LAST_ADMINISTRATOR",
        ),
        (
            "DELETE",
            format!("/api/Roles/{role}/principals"),
            json!({}),
            "LAST_ADMINISTRATOR",
        ),
        (
            "DELETE",
            format!("/api/UserAccounts/{only}/roles/rel/{role}"),
            json!({}),
            "LAST_ADMINISTRATOR",
        ),
        (
            "DELETE",
            format!("/api/UserAccounts/{only}/roles"),
            json!({}),
            "LAST_ADMINISTRATOR",
        ),
    ] {
        let (status, answer) = write(&app, &admin, method, &path, &body).await;
        assert_eq!(status, StatusCode::CONFLICT, "{method} {path}: {answer}");
        assert_eq!(answer["error"]["code"], code, "{method} {path}");
    }
    let described = write(
        &app,
        &admin,
        "PATCH",
        &format!("/api/Roles/{role}"),
        &json!({"description": "All"}),
    )
    .await;
    assert_eq!(described.0, StatusCode::OK, "{}", described.1);
    assert_eq!(app.get("/api/audit", &[("token", &admin)]).await.status, StatusCode::OK);
}
