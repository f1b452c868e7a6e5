//! The trail of a term, brand or tag: who did what, as far as the reader may know.

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::app::App;

/// Two companies with a brand each; the brand of the first has a term and a tag.
struct World {
    app: App,
    admin: String,
    acme: String,
    bolt: String,
    brands: [i64; 2],
    term: i64,
    tag: i64,
}

impl World {
    async fn new() -> Self {
        let app = App::start().await;
        app.admin().await;
        app.company_user("acme").await;
        app.company_user("bolt").await;
        let admin = app.login("admin@vigie.example").await;
        let brand = |name: &str| format!("select id::int8 from brand where name = '{name}'").leak();
        let brands = [
            app.postgres.fetch(brand("acme")).await,
            app.postgres.fetch(brand("bolt")).await,
        ];
        let acme = app.login("user@acme.example").await;
        let tag = json!({"label": "Shoes", "scope": "term", "brandOwnerId": brands[0]});
        let tag = made(&app, &acme, "Categories", &tag).await;
        let term = json!({"term": "shoes", "state": "enabled", "brandId": brands[0]});
        let term = made(&app, &admin, "Terms", &term).await;
        Self {
            bolt: app.login("user@bolt.example").await,
            admin,
            acme,
            brands,
            term,
            tag,
            app,
        }
    }

    async fn patch(&self, path: &str, body: &Value, token: &str) {
        let headers = [("token", token), ("content-type", "application/json")];
        let (status, text) = self.app.text("PATCH", path, &body.to_string(), &headers).await;
        assert_eq!(status, StatusCode::OK, "{text}");
    }

    async fn trail(&self, of: &str, token: &str) -> Value {
        let answer = self.app.get(&format!("/api/Trails/{of}"), &[("token", token)]).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
        answer.body
    }
}

async fn made(app: &App, token: &str, path: &str, body: &Value) -> i64 {
    let answer = app.post(&format!("/api/{path}"), body, &[("token", token)]).await;
    assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.body);
    answer.body["id"].as_i64().unwrap()
}

/// Event and author of each entry.
fn summary(trail: &Value) -> Vec<(String, String, Option<String>)> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let entries = trail["data"].as_array().unwrap().iter();
    entries
        .map(|entry| {
            let by = &entry["by"];
            (
                text(&entry["event"]).unwrap(),
                text(&by["kind"]).unwrap(),
                text(&by["name"]),
            )
        })
        .collect()
}

#[tokio::test]
async fn a_trail_has_each_change_by_anybody_newest_first_in_pages() {
    let world = World::new().await;
    let path = format!("/api/Categories/{}", world.tag);
    world.patch(&path, &json!({"label": "Boots"}), &world.acme).await;
    world.patch(&path, &json!({"label": "Sandals"}), &world.admin).await;
    let of = format!("Category/{}", world.tag);
    let trail = world.trail(&of, &world.admin).await;
    let entries = summary(&trail);
    assert_eq!(
        entries.iter().map(|entry| entry.0.as_str()).collect::<Vec<_>>(),
        ["change", "change", "create"]
    );
    assert!(entries.iter().all(|(_, kind, name)| kind == "person" && name.is_some()));
    let label = |entry: &Value| {
        entry["changes"]
            .as_array()
            .unwrap()
            .iter()
            .find(|change| change["field"] == "label")
            .unwrap()
            .clone()
    };
    assert_eq!(
        label(&trail["data"][0]),
        json!({"field": "label", "before": "Boots", "after": "Sandals"})
    );
    assert_eq!(label(&trail["data"][2]), json!({"field": "label", "after": "Shoes"}));
    let first = world.trail(&format!("{of}?limit=2"), &world.admin).await;
    let rest = world
        .trail(&format!("{of}?limit=2&before={}", first["next"]), &world.admin)
        .await;
    assert_eq!(
        (rest["data"].as_array().unwrap().len(), &rest["next"]),
        (1, &Value::Null)
    );
    assert_eq!(rest["data"][0], trail["data"][2]);
    // The company user reads its own name, and nobody's of the staff.
    let entries = summary(&world.trail(&of, &world.acme).await);
    assert_eq!(entries[0], ("change".to_owned(), "staff".to_owned(), None));
    assert_eq!(entries[1].1, "person");
    let hidden = world
        .app
        .get(&format!("/api/Trails/{of}"), &[("token", &world.bolt)])
        .await;
    let missing = world
        .app
        .get("/api/Trails/Category/999999", &[("token", &world.bolt)])
        .await;
    assert_eq!(
        (hidden.status, missing.status),
        (StatusCode::NOT_FOUND, StatusCode::NOT_FOUND)
    );
}

#[tokio::test]
async fn a_company_learns_nothing_of_others_from_a_trail() {
    let world = World::new().await;
    let path = format!("/api/Terms/{}", world.term);
    world.patch(&path, &json!({"every": 3_600_000}), &world.admin).await;
    // The term goes to the other company's brand: its past stays with the first.
    world
        .patch(&path, &json!({"brandId": world.brands[1]}), &world.admin)
        .await;
    world.patch(&path, &json!({"every": 7_200_000}), &world.admin).await;
    let account: i64 = world
        .app
        .postgres
        .fetch("select id::int8 from company_account where name = 'acme'")
        .await;
    let link = format!("{path}/canBeAccessBy/rel/{account}");
    let linked = world.app.text("PUT", &link, "", &[("token", &world.admin)]).await;
    assert_eq!(linked.0, StatusCode::OK);
    let of = format!("Term/{}", world.term);
    let trail = world.trail(&of, &world.bolt).await;
    assert_eq!(trail["data"].as_array().unwrap().len(), 2, "{trail}");
    let moved = &trail["data"][1]["changes"][0];
    assert_eq!(moved, &json!({"field": "brandId", "after": world.brands[1]}));
    assert!(!trail.to_string().contains("acme"), "{trail}");
    // The first company was given the term again by name, and sees what came after.
    let again = world.trail(&of, &world.acme).await;
    assert_eq!(summary(&again)[0].0, "link");
    assert_eq!(again["data"].as_array().unwrap().len(), 1, "{again}");
    assert!(!again.to_string().contains("bolt"), "{again}");
    let all = world.trail(&of, &world.admin).await;
    assert_eq!(all["data"].as_array().unwrap().len(), 5, "{all}");
    assert_eq!(all["names"]["CompanyAccount"][account.to_string()], "acme");
}

#[tokio::test]
async fn who_worked_as_whom_is_for_administrators() {
    let world = World::new().await;
    let of = format!("Category/{}", world.tag);
    let administrator = "(select id from user_account where email = 'admin@vigie.example')";
    let user = "(select id from user_account where email = 'user@acme.example')";
    world
        .app
        .postgres
        .execute(
            format!(
                "insert into audit_entry (actor_id, acting_as_id, event, model, target, details)
                 values ({administrator}, {user}, 'change', 'Category', '{}', '{{\"before\": {{\"label\": \"a\"}}, \"after\": {{\"label\": \"b\"}}}}')",
                world.tag
            )
            .leak(),
        )
        .await;
    let own = world.trail(&of, &world.acme).await;
    assert_eq!(own["data"][0]["by"], json!({"kind": "staff", "name": null, "as": null}));
    let all = world.trail(&of, &world.admin).await;
    assert!(all["data"][0]["by"]["as"].is_string(), "{all}");
    world.app.operator().await;
    let operator = world.app.login("operator@vigie.example").await;
    let seen = summary(&world.trail(&of, &operator).await);
    assert_eq!((seen[0].1.as_str(), seen[1].1.as_str()), ("staff", "company"));
}
