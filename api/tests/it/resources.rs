//! What clients of the resource set rely on, and what it refuses.

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::app::{App, PASSWORD};

/// An administrator who asks.
pub struct Admin {
    pub app: App,
    pub token: String,
}

impl Admin {
    pub async fn new() -> Self {
        let app = App::start().await;
        app.admin().await;
        let token = app.login("admin@vigie.example").await;
        Self { app, token }
    }

    pub async fn get(&self, path: &str) -> (StatusCode, Value) {
        let answer = self.app.get(path, &[("token", &self.token)]).await;
        (answer.status, answer.body)
    }

    pub async fn post(&self, path: &str, body: &Value) -> (StatusCode, Value) {
        let answer = self.app.post(path, body, &[("token", &self.token)]).await;
        (answer.status, answer.body)
    }

    pub async fn id(&self, path: &str, body: &Value) -> i64 {
        let (status, made) = self.post(path, body).await;
        assert_eq!(status, StatusCode::OK, "{made}");
        made["id"].as_i64().unwrap()
    }
}

/// A query argument as JSON.
pub fn argument(name: &str, json: &Value) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.append_pair(name, &json.to_string());
    query.finish()
}

#[tokio::test]
async fn a_value_that_a_row_cannot_have_is_refused_in_the_words_of_its_field() {
    let admin = Admin::new().await;
    let brand = admin.id("/api/Brands", &json!({"label": "Acme", "name": "acme"})).await;
    for (body, code) in [
        (json!({"status": "sold", "brandId": brand}), "inclusion"),
        (json!({"history": [{"status": "sold"}], "brandId": brand}), "inclusion"),
    ] {
        let (status, answer) = admin.post("/api/Actions", &body).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{body}: {answer}");
        assert_eq!(
            answer["error"]["details"]["codes"],
            json!({"status": [code]}),
            "{body}: {answer}"
        );
    }
}

#[tokio::test]
async fn a_list_answers_related_rows_of_both_stores() {
    let admin = Admin::new().await;
    let brand = admin.id("/api/Brands", &json!({"label": "Acme", "name": "acme"})).await;
    let term = admin
        .id("/api/Terms", &json!({"term": "red shoes", "brandId": brand}))
        .await;
    for position in [2, 1] {
        admin
            .id(
                "/api/Sems",
                &json!({"title": "Sale", "termId": term, "position": position}),
            )
            .await;
    }
    let include = json!(["brand", {"relation": "ads", "scope": {"order": "position", "fields": ["position"]}}]);
    let (status, rows) = admin
        .get(&format!(
            "/api/terms/?{}",
            argument("filter", &json!({ "include": include }))
        ))
        .await;
    assert_eq!(status, StatusCode::OK, "{rows}");
    assert_eq!(rows[0]["brand"]["label"], "Acme");
    assert_eq!(
        rows[0]["ads"],
        json!([{"position": 1, "termId": term}, {"position": 2, "termId": term}])
    );
}

#[tokio::test]
async fn a_relation_that_is_asked_for_twice_is_answered_once() {
    let admin = Admin::new().await;
    let brand = admin.id("/api/Brands", &json!({"label": "Acme", "name": "acme"})).await;
    admin
        .id("/api/Terms", &json!({"term": "red shoes", "brandId": brand}))
        .await;
    let include = json!(["brand", {"relation": "brand", "scope": {"fields": ["label"]}}]);
    let path = format!(
        "/api/Terms?{}",
        argument("filter", &json!({ "fields": ["term", "brandId"], "include": include }))
    );
    let answer = admin.app.get(&path, &[("token", &admin.token)]).await;
    assert_eq!(
        answer.body,
        json!([{ "term": "red shoes", "brandId": brand, "brand": { "id": brand, "label": "Acme" } }])
    );
    assert_eq!(String::from_utf8(answer.bytes).unwrap().matches("\"brand\"").count(), 1);
}

#[tokio::test]
async fn a_change_of_many_rows_says_which() {
    let admin = Admin::new().await;
    admin.id("/api/Terms", &json!({"term": "red shoes"})).await;
    let body = json!({"state": "archived"});
    for where_ in [
        json!({}),
        json!({"id": {"gt": 0}}),
        json!({"or": [{"state": "x"}, {"state": {"neq": "x"}}]}),
    ] {
        let (status, answer) = admin
            .post(&format!("/api/Terms/update?{}", argument("where", &where_)), &body)
            .await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{where_}: {answer}");
    }
    let (status, answer) = admin
        .post(
            &format!("/api/Terms/update?{}", argument("where", &json!({"nope": 1}))),
            &body,
        )
        .await;
    assert_eq!(status, StatusCode::BAD_REQUEST, "{answer}");
    assert_eq!(
        admin.app.postgres.fetch::<String>("select state from term").await,
        "disabled"
    );
    let (status, answer) = admin.post("/api/Terms/update?confirm=all", &body).await;
    assert_eq!((status, answer), (StatusCode::OK, json!({"count": 1})));
}

/// A text as a regular expression that means just that text.
fn escaped(text: &str) -> String {
    let letters = text.chars().map(|letter| {
        if letter.is_ascii_punctuation() {
            format!("\\{letter}")
        } else {
            letter.to_string()
        }
    });
    letters.collect()
}

#[tokio::test]
async fn what_a_client_writes_is_never_part_of_a_statement() {
    let admin = Admin::new().await;
    let hostile = [
        "a' or '1'='1",
        "'); drop table brand; --",
        "\\' or 1=1 --",
        "$1",
        "\"label\"",
    ];
    for label in hostile {
        admin.id("/api/Brands", &json!({"label": label, "name": label})).await;
    }
    for label in hostile {
        for test in [
            json!(label),
            json!({"inq": [label]}),
            json!({"between": [label, label]}),
            json!({"like": label.replace('\\', "\\\\")}),
            json!({"regexp": format!("^{}$", escaped(label))}),
        ] {
            let filter = argument("filter", &json!({"where": {"label": test}, "fields": ["label"]}));
            let (_, rows) = admin.get(&format!("/api/Brands?{filter}")).await;
            assert_eq!(rows, json!([{"label": label}]), "{test}");
        }
        // Names of fields come from the models: an unknown one has no effect, wherever it appears.
        let filter = argument(
            "filter",
            &json!({"where": {label: 1}, "order": label, "fields": {label: true}, "include": []}),
        );
        let (status, rows) = admin.get(&format!("/api/Brands?{filter}")).await;
        let unharmed =
            status == StatusCode::BAD_REQUEST || rows.as_array().is_some_and(|rows| rows.len() == hostile.len());
        assert!(unharmed, "{label}: {status} {rows}");
        let inside = argument("filter", &json!({"where": {format!("options.{label}"): 1}}));
        let (status, rows) = admin.get(&format!("/api/Terms?{inside}")).await;
        assert_eq!((status, rows), (StatusCode::OK, json!([])), "{label}");
    }
}

#[tokio::test]
async fn hidden_fields_answer_no_question() {
    let admin = Admin::new().await;
    for query in [
        argument("filter", &json!({"where": {"password": {"like": "$argon2%"}}})),
        argument("filter", &json!({"order": "verificationToken"})),
        "filter[where][password][like]=$argon2%25".to_owned(),
    ] {
        let (status, answer) = admin.get(&format!("/api/UserAccounts?{query}")).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{answer}");
    }
    let (_, rows) = admin.get("/api/UserAccounts").await;
    let text = rows.to_string();
    assert!(!text.contains("argon2") && !text.contains("password"), "{text}");
}

#[tokio::test]
async fn terms_that_are_there_already_are_skipped_and_counted() {
    let admin = Admin::new().await;
    admin.id("/api/Terms", &json!({"term": "red shoes"})).await;
    let both = json!([{"term": "Red  Shoes"}, {"term": "blue shoes"}]);
    let answer = admin.app.post("/api/Terms", &both, &[("token", &admin.token)]).await;
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!(answer.headers["x-skipped"], "1");
    assert_eq!(answer.body[0]["term"], "blue shoes");
    let (status, _) = admin.post("/api/Terms", &both).await;
    assert_eq!(status, StatusCode::CONFLICT);
}

#[tokio::test]
async fn terms_are_found_by_their_tags_and_company_accounts_and_changed_together() {
    let admin = Admin::new().await;
    let company = admin.id("/api/CompanyAccounts", &json!({"name": "acme"})).await;
    let tag = admin
        .id("/api/Categories", &json!({"label": "Core", "scope": "term"}))
        .await;
    let tagged = admin
        .id("/api/Terms", &json!({"term": "red shoes", "categories": [tag]}))
        .await;
    let shared = admin
        .id("/api/Terms", &json!({"term": "blue shoes", "canBeAccessBy": [company]}))
        .await;
    for (condition, found) in [
        (json!({"categories": {"inq": [tag]}}), tagged),
        (json!({"categories": {"nin": [tag]}}), shared),
        (json!({"canBeAccessBy": company}), shared),
        (json!({"canBeAccessBy": {"nin": [company]}}), tagged),
    ] {
        let (_, rows) = admin
            .get(&format!(
                "/api/Terms?{}",
                argument("filter", &json!({"where": condition}))
            ))
            .await;
        assert_eq!(rows.as_array().map(Vec::len), Some(1), "{condition}: {rows}");
        assert_eq!(rows[0]["id"], found, "{condition}");
    }
    let refused = argument("where", &json!({"categories": {"like": "x"}}));
    let (status, _) = admin.get(&format!("/api/Terms/count?{refused}")).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);

    let headers = [("token", admin.token.as_str()), ("content-type", "application/json")];
    let both = argument("where", &json!({"id": {"inq": [tagged, shared]}}));
    let path = format!("/api/Terms?{both}");
    let (status, answer) = admin
        .app
        .text("PATCH", &path, r#"{"state":"archived"}"#, &headers)
        .await;
    assert_eq!((status, answer.as_str()), (StatusCode::OK, r#"{"count":2}"#));
    let (status, _) = admin
        .app
        .text("PATCH", "/api/Terms?where={}", r#"{"state":"enabled"}"#, &headers)
        .await;
    assert_eq!(status, StatusCode::BAD_REQUEST);

    let archived = argument("filter", &json!({"where": {"state": "archived"}, "order": "term ASC"}));
    let (status, file) = admin
        .app
        .text("GET", &format!("/api/Terms/export?{archived}&lng=en"), "", &headers)
        .await;
    assert_eq!(status, StatusCode::OK);
    let lines: Vec<&str> = file.trim_start_matches('\u{feff}').lines().collect();
    assert_eq!(lines.len(), 3, "{file}");
    assert!(lines[0].starts_with("ID,Term"), "{file}");
    assert!(lines[1].contains("blue shoes") && lines[1].contains("acme"), "{file}");
    assert!(lines[2].contains("red shoes") && lines[2].contains("Core"), "{file}");
}

#[tokio::test]
async fn a_status_is_not_changed_by_a_resource_call() {
    let admin = Admin::new().await;
    let action = admin
        .id(
            "/api/Actions",
            &json!({"domain": "shop.example", "status": "requested"}),
        )
        .await;
    let headers = [("token", admin.token.as_str()), ("content-type", "application/json")];
    for (method, path) in [
        ("PATCH", format!("/api/Actions/{action}")),
        ("PUT", format!("/api/Actions/{action}")),
    ] {
        let (status, answer) = admin
            .app
            .text(method, &path, r#"{"status":"accepted","receivedCount":9}"#, &headers)
            .await;
        assert_eq!(status, StatusCode::OK, "{answer}");
    }
    let row: String = admin
        .app
        .postgres
        .fetch("select concat_ws(' ', status, coalesce(received_count, 0)) from action")
        .await;
    assert_eq!(row, "requested 0");
}

#[tokio::test]
async fn the_last_administrator_stays_one() {
    let admin = Admin::new().await;
    let (_, me) = admin.get("/api/UserAccounts/me").await;
    let (_, role) = admin
        .get(&format!(
            "/api/Roles/findOne?{}",
            argument("filter", &json!({"where": {"name": "admin"}}))
        ))
        .await;
    let headers = [("token", admin.token.as_str())];
    for path in [
        format!("/api/UserAccounts/{}", me["id"]),
        format!("/api/UserAccounts/{}/roles/rel/{}", me["id"], role["id"]),
        format!("/api/Roles/{}/principals", role["id"]),
        format!("/api/Roles/{}", role["id"]),
    ] {
        let (status, answer) = admin.app.text("DELETE", &path, "", &headers).await;
        assert_eq!(status, StatusCode::CONFLICT, "{path}: {answer}");
    }
}

#[tokio::test]
async fn who_works_as_another_user_makes_no_tokens_and_changes_no_password() {
    let admin = Admin::new().await;
    let user = admin.app.company_user("acme").await;
    let tokens = format!("/api/UserAccounts/{}/accessTokens", user.0);
    let (status, made) = admin.post(&tokens, &json!({"ttl": 120_000})).await;
    assert_eq!(status, StatusCode::OK, "{made}");
    let acting = made["id"].as_str().unwrap();
    let me = admin.app.get("/api/UserAccounts/me", &[("token", acting)]).await;
    assert_eq!(me.body["id"], user.0);
    let again = admin.app.post(&tokens, &json!({}), &[("token", acting)]).await;
    assert_eq!(again.status, StatusCode::FORBIDDEN);
    let change = json!({"oldPassword": PASSWORD, "newPassword": "An0ther!Secret9"});
    let change = admin
        .app
        .post("/api/UserAccounts/change-password", &change, &[("token", acting)])
        .await;
    assert_eq!(change.status, StatusCode::FORBIDDEN);
    let headers = [("token", acting), ("content-type", "application/json")];
    let (status, _) = admin
        .app
        .text(
            "PATCH",
            "/api/UserAccounts/me",
            r#"{"password":"An0ther!Secret9"}"#,
            &headers,
        )
        .await;
    assert_eq!(status, StatusCode::FORBIDDEN);
    let (status, _) = admin.post("/api/UserAccounts/logout", &json!({})).await;
    assert_eq!(status, StatusCode::NO_CONTENT);
    let me = admin.app.get("/api/UserAccounts/me", &[("token", acting)]).await;
    assert_eq!(me.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn a_company_account_is_not_made_without_a_name_nor_loses_it_by_a_blank() {
    let admin = Admin::new().await;
    let path = "/api/CompanyAccounts";
    for body in [
        json!({}),
        json!({"name": null}),
        json!({"name": ""}),
        json!({"name": "  "}),
    ] {
        let (status, answer) = admin.post(path, &body).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{body}: {answer}");
        assert_eq!(answer["error"]["details"]["codes"], json!({"name": ["presence"]}));
    }
    let id = admin.id(path, &json!({"name": "Acme"})).await;
    let (status, answer) = admin
        .post(
            &format!("{path}/update?where=%7B%22id%22:{id}%7D"),
            &json!({"name": " "}),
        )
        .await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{answer}");
    assert_eq!(admin.get(&format!("{path}/{id}")).await.1["name"], "Acme");
}

#[tokio::test]
async fn rows_that_were_never_counted_come_last_where_that_is_asked_for() {
    let admin = Admin::new().await;
    let path = "/api/CompanyAccounts";
    for name in ["new", "small", "large"] {
        admin.id(path, &json!({ "name": name })).await;
    }
    let counted = "update company_account set total_views = case name when 'small' then 1 when 'large' then 9 end";
    admin.app.postgres.execute(counted).await;
    let names = async |order: &str| -> Vec<String> {
        let filter = argument(
            "filter",
            &json!({"where": {"name": {"inq": ["new", "small", "large"]}}, "order": order}),
        );
        let (status, rows) = admin.get(&format!("{path}?{filter}")).await;
        assert_eq!(status, StatusCode::OK, "{rows}");
        let rows = rows.as_array().unwrap();
        rows.iter()
            .map(|row| row["name"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(names("totalViews DESC NULLS LAST").await, ["large", "small", "new"]);
    assert_eq!(names("totalViews asc nulls last").await, ["small", "large", "new"]);
    assert_eq!(names("totalViews DESC").await, ["new", "large", "small"]);
    let filter = argument("filter", &json!({"order": "name DESC NULLS FIRST"}));
    assert_eq!(admin.get(&format!("{path}?{filter}")).await.0, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn a_user_without_a_picture_has_none_to_be_found() {
    let admin = Admin::new().await;
    let (status, answer) = admin.get("/api/UserAccounts/1/avatar").await;
    assert_eq!(status, StatusCode::NOT_FOUND, "{answer}");
}
