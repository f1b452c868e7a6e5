//! Authorised partners and resellers of a brand: who sees and changes them, and what the audit log keeps.

use axum::body::Body;
use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::app::App;

struct World {
    app: App,
    admin: String,
    operator: String,
    acme: String,
    bolt: String,
    brand: i64,
}

impl World {
    async fn new() -> Self {
        let app = App::start().await;
        app.admin().await;
        app.company_user("acme").await;
        app.company_user("bolt").await;
        app.operator().await;
        Self {
            admin: app.login("admin@vigie.example").await,
            operator: app.login("operator@vigie.example").await,
            acme: app.login("user@acme.example").await,
            bolt: app.login("user@bolt.example").await,
            brand: app
                .postgres
                .fetch("select id::int8 from brand where name = 'acme'")
                .await,
            app,
        }
    }

    fn path(&self) -> String {
        format!("/api/Brands/{}/partners", self.brand)
    }

    async fn send(&self, method: &str, path: &str, body: &Value, token: &str) -> (StatusCode, Value) {
        let headers = [("token", token), ("content-type", "application/json")];
        let answer = self
            .app
            .send(method, path, Body::from(body.to_string()), &headers)
            .await;
        (answer.status, answer.body)
    }

    /// The partner of this domain, made by the operator.
    async fn partner(&self, domain: &str) -> Value {
        let body = json!({"domain": domain, "kind": "partner"});
        let (status, made) = self.send("POST", &self.path(), &body, &self.operator).await;
        assert_eq!(status, StatusCode::OK, "{made}");
        made
    }
}

#[tokio::test]
async fn staff_steers_partners_and_the_log_keeps_what_they_were() {
    let world = World::new().await;
    let body = json!({
        "domain": "https://www.Partner.com/shop", "kind": "reseller", "forbiddenWords": [" outlet ", ""], "belowOwn": true,
        "endsOn": "2026-12-31", "note": " until the sale ",
    });
    let (status, made) = world.send("POST", &world.path(), &body, &world.operator).await;
    assert_eq!(status, StatusCode::OK, "{made}");
    let stored = json!({
        "id": made["id"], "domain": "partner.com", "kind": "reseller", "forbiddenWords": ["outlet"], "belowOwn": true,
        "endsOn": "2026-12-31", "note": "until the sale", "version": 1,
    });
    assert_eq!(made, stored);
    assert_eq!(
        world.send("GET", &world.path(), &Value::Null, &world.acme).await.1,
        json!({"data": [stored]})
    );

    let one = format!("{}/{}", world.path(), made["id"]);
    let change = json!({"domain": "partner.com", "kind": "partner", "version": 1});
    let (status, changed) = world.send("PUT", &one, &change, &world.admin).await;
    assert_eq!(
        (status, &changed["version"], &changed["endsOn"]),
        (StatusCode::OK, &json!(2), &Value::Null)
    );
    // Somebody who still sees the first version overwrites nothing.
    assert_eq!(
        world.send("PUT", &one, &change, &world.operator).await.0,
        StatusCode::CONFLICT
    );
    assert_eq!(
        world.send("DELETE", &one, &Value::Null, &world.admin).await.0,
        StatusCode::NO_CONTENT
    );
    assert_eq!(
        world.send("DELETE", &one, &Value::Null, &world.admin).await.0,
        StatusCode::NOT_FOUND
    );

    let log = world
        .app
        .get("/api/audit?model=BrandPartner", &[("token", &world.admin)])
        .await
        .body;
    let kinds = log["data"].as_array().unwrap().iter().map(|entry| {
        let of = |state: &str| entry["details"][state]["kind"].as_str().unwrap_or("-").to_owned();
        (entry["event"].as_str().unwrap().to_owned(), of("before"), of("after"))
    });
    let expected = [
        ("remove", "partner", "-"),
        ("change", "reseller", "partner"),
        ("create", "-", "reseller"),
    ];
    assert_eq!(
        kinds.collect::<Vec<_>>(),
        expected.map(|(event, before, after)| (event.to_owned(), before.to_owned(), after.to_owned()))
    );
}

#[tokio::test]
async fn a_company_reads_the_partners_of_its_brands_and_learns_nothing_of_others() {
    let world = World::new().await;
    let made = world.partner("partner.com").await;
    let one = format!("{}/{}", world.path(), made["id"]);
    let body = json!({"domain": "taken.com", "kind": "partner"});
    let none = "/api/Brands/2147483647/partners".to_owned();
    for (method, path, other) in [
        ("GET", world.path(), none.clone()),
        ("POST", world.path(), none.clone()),
        ("PUT", one.clone(), format!("{none}/1")),
        ("DELETE", one, format!("{none}/1")),
    ] {
        let (status, _) = world.send(method, &path, &body, &world.acme).await;
        assert_eq!(
            status,
            if method == "GET" {
                StatusCode::OK
            } else {
                StatusCode::FORBIDDEN
            },
            "{method}"
        );
        let (status, refusal) = world.send(method, &path, &body, &world.bolt).await;
        let (unknown, missing) = world.send(method, &other, &body, &world.bolt).await;
        assert_eq!(
            (status, unknown),
            (StatusCode::NOT_FOUND, StatusCode::NOT_FOUND),
            "{method}"
        );
        assert_eq!(refusal["error"]["code"], missing["error"]["code"], "{method}");
    }
    assert_eq!(
        world
            .app
            .postgres
            .fetch::<String>("select string_agg(domain, ' ') from brand_partner")
            .await,
        "partner.com"
    );
}

#[tokio::test]
async fn bad_values_are_refused_at_their_field() {
    let world = World::new().await;
    let made = world.partner("partner.com").await;
    let other = world.partner("other.com").await;
    let with = |field: &str, value: Value| {
        let mut body = json!({"domain": "new.com", "kind": "partner"});
        body[field] = value;
        body
    };
    for (field, value) in [
        ("domain", json!("no domain")),
        ("domain", json!("www.partner.com")),
        ("domain", json!(format!("{}.com", "a.".repeat(130)))),
        ("kind", json!("friend")),
        ("forbiddenWords", json!(vec!["word"; 51])),
        ("forbiddenWords", json!(["w".repeat(81)])),
        ("note", json!("n".repeat(5_001))),
    ] {
        let (status, body) = world
            .send("POST", &world.path(), &with(field, value), &world.admin)
            .await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{field}: {body}");
        assert!(body.to_string().contains(field), "{body}");
    }
    let (status, _) = world
        .send("POST", &world.path(), &with("endsOn", json!("soon")), &world.admin)
        .await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    let path = format!("{}/{}", world.path(), other["id"]);
    let taken = with("domain", made["domain"].clone());
    assert_eq!(
        world.send("PUT", &path, &taken, &world.admin).await.0,
        StatusCode::UNPROCESSABLE_ENTITY
    );
    world
        .app
        .postgres
        .execute("insert into brand_partner (brand_id, domain, kind) select id, 's' || n || '.example', 'partner' from brand, generate_series(1, 498) n")
        .await;
    let (status, body) = world
        .send("POST", &world.path(), &with("note", Value::Null), &world.admin)
        .await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{body}");
}
