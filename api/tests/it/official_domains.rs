//! What a change of official domains does to cases: said before it is saved, and done by saving it.

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::app::App;

/// A brand of acme with cases on its own future domains and beside them.
struct World {
    app: App,
    admin: String,
    brand: i64,
}

impl World {
    async fn new() -> Self {
        let app = App::start().await;
        app.admin().await;
        app.company_user("acme").await;
        app.company_user("bolt").await;
        app.operator().await;
        let admin = app.login("admin@vigie.example").await;
        let brand: i64 = app
            .postgres
            .fetch("select id::int8 from brand where name = 'acme'")
            .await;
        app.postgres
            .execute(
                "insert into action (brand_id, domain, country, engine, status)
                 select b.id, c.domain, c.country, 'google', c.status::action_status
                 from brand b cross join (values
                     ('acme-shop.com', 'FR', 'new'), ('acme-shop.com', 'DE', 'reappearance'), ('m.acme-shop.com', 'FR', 'new'),
                     ('acme-shop.com', 'ES', 'requested'), ('not-acme-shop.com', 'FR', 'new'),
                     ('acme.myshopify.com', 'FR', 'new'), ('other.acme.myshopify.com', 'FR', 'new')
                 ) as c (domain, country, status)",
            )
            .await;
        Self { app, admin, brand }
    }

    async fn preview(&self, token: &str, added: &[&str], removed: &[&str]) -> (StatusCode, Value) {
        let path = format!("/api/Brands/{}/officialDomainsPreview", self.brand);
        let answer = self
            .app
            .post(&path, &json!({"added": added, "removed": removed}), &[("token", token)])
            .await;
        (answer.status, answer.body)
    }

    async fn made(&self, path: &str, body: &Value) -> i64 {
        let answer = self
            .app
            .post(&format!("/api/{path}"), body, &[("token", &self.admin)])
            .await;
        assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.body);
        answer.body["id"].as_i64().unwrap()
    }

    async fn send(&self, method: &str, path: &str, token: &str) -> StatusCode {
        self.app.text(method, path, "", &[("token", token)]).await.0
    }

    /// How many cases of each status the brands have: acme's, then all others'.
    async fn statuses(&self) -> [String; 2] {
        let of = async |condition: &str| -> String {
            let counts = format!(
                "select coalesce(string_agg(status || ' ' || n, ', ' order by status), '')
                 from (select status::text, count(*) n from action where brand_id {condition} {} group by status) s",
                self.brand
            );
            self.app.postgres.fetch(counts.leak()).await
        };
        [of("=").await, of("<>").await]
    }
}

#[tokio::test]
async fn what_is_said_before_an_official_domain_is_saved_is_what_saving_it_does() {
    let world = World::new().await;
    let (admin, app) = (&world.admin, &world.app);
    let asked = ["acme-shop.com", "acme.myshopify.com"];
    let (status, said) = world.preview(admin, &asked, &[]).await;
    assert_eq!(status, StatusCode::OK, "{said}");
    assert_eq!(said["data"], json!({"open": 4, "ignored": 0}));
    let untouched = "new 5, reappearance 1, requested 1".to_owned();
    assert_eq!(world.statuses().await, [untouched.clone(), untouched.clone()]);

    let tag = json!({"label": "Official", "name": "official", "scope": "tag", "visibility": "owner", "brandOwnerId": world.brand});
    let tag = world.made("Categories", &tag).await;
    let mut links = Vec::new();
    for domain in asked {
        let dealer = world.made("Dealers", &json!({"domain": domain})).await;
        links.push(format!("/api/Dealers/{dealer}/categories/rel/{tag}"));
        assert_eq!(world.send("PUT", links.last().unwrap(), admin).await, StatusCode::OK);
    }
    let judged = "ignored 4, new 2, requested 1".to_owned();
    assert_eq!(world.statuses().await, [judged.clone(), untouched.clone()]);
    assert_eq!(world.preview(admin, &asked, &[]).await.1["data"]["open"], 0);

    // One taken away: its cases are listed and stay as they are, but for those that another official domain covers.
    let (_, said) = world.preview(admin, &[], &["acme-shop.com"]).await;
    assert_eq!(said["data"], json!({"open": 0, "ignored": 3}));
    let listed: Vec<_> = said["meta"]["ignored"].as_array().unwrap().iter().collect();
    assert_eq!(listed.len(), 3);
    assert!(
        listed
            .iter()
            .all(|case| case["engine"] == "google" && case["since"].is_string())
    );
    let (_, narrowed) = world.preview(admin, &["m.acme-shop.com"], &["acme-shop.com"]).await;
    assert_eq!(narrowed["data"]["ignored"], 2);
    assert_eq!(world.send("DELETE", &links[0], admin).await, StatusCode::NO_CONTENT);
    assert_eq!(world.statuses().await, [judged, untouched]);
    // What was saved is what was said: nothing but those domains counts any more.
    let official: i64 = app.postgres.fetch("select count(*) from category_dealer").await;
    assert_eq!(official, 1);
}

#[tokio::test]
async fn cases_are_listed_up_to_fifty_and_counted_all() {
    let world = World::new().await;
    world
        .app
        .postgres
        .execute(
            "insert into action (brand_id, domain, country, engine, status, last_status_date)
             select id, 'h' || n || '.shop.example', 'FR', 'google', 'ignored', now() - n * interval '1 hour'
             from brand, generate_series(1, 60) n",
        )
        .await;
    let (_, said) = world.preview(&world.admin, &[], &["shop.example"]).await;
    assert_eq!(said["data"]["ignored"], 60);
    let listed = said["meta"]["ignored"].as_array().unwrap();
    assert_eq!((listed.len(), &listed[0]["domain"]), (50, &json!("h1.shop.example")));
}

#[tokio::test]
async fn only_who_sees_a_brand_learns_of_its_cases() {
    let world = World::new().await;
    for (email, is_answered) in [
        ("user@acme.example", true),
        ("operator@vigie.example", true),
        ("user@bolt.example", false),
    ] {
        let token = world.app.login(email).await;
        let (status, body) = world.preview(&token, &["acme-shop.com"], &[]).await;
        assert_eq!(status == StatusCode::OK, is_answered, "{email}: {body}");
        if !is_answered {
            let none = world
                .app
                .post(
                    "/api/Brands/2147483647/officialDomainsPreview",
                    &json!({}),
                    &[("token", &token)],
                )
                .await;
            assert_eq!(status, none.status);
            assert_eq!(body["error"]["code"], none.body["error"]["code"]);
            // Nor by what it asks.
            assert_eq!(world.preview(&token, &["no domain"], &[]).await.0, status);
        }
    }
    let (status, body) = world.preview(&world.admin, &["no domain"], &[]).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{body}");
    let many: Vec<String> = (0..501).map(|n| format!("s{n}.example")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert_eq!(
        world.preview(&world.admin, &[], &many).await.0,
        StatusCode::UNPROCESSABLE_ENTITY
    );
}
