//! What a change of official domains does to cases: said before it is saved, and done by saving it.

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::app::App;

const OPERATION: &str = "8f14e45f-ceea-467f-a0e6-2b1f1d1f0c11";

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

    /// Changes the official domains, as an operation that can be undone.
    async fn change(&self, token: &str, added: &[&str], removed: &[&str]) -> (StatusCode, Value) {
        let path = format!("/api/Brands/{}/officialDomains", self.brand);
        let body = json!({"added": added, "removed": removed});
        let headers = [("token", token), ("x-operation", OPERATION)];
        let answer = self.app.post(&path, &body, &headers).await;
        (answer.status, answer.body)
    }

    async fn undo(&self, token: &str) -> (StatusCode, Value) {
        let path = format!("/api/Undo/{OPERATION}");
        let answer = self.app.post(&path, &json!({}), &[("token", token)]).await;
        (answer.status, answer.body)
    }

    async fn officials(&self) -> String {
        let list = "select coalesce(string_agg(d.domain, ' ' order by d.domain), '') from category_dealer cd join dealer d on d.id = cd.dealer_id";
        self.app.postgres.fetch(list).await
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

    let (status, done) = world.change(admin, &asked, &[]).await;
    assert_eq!(
        (status, done),
        (StatusCode::OK, json!({"added": 2, "removed": 0, "ignored": 4}))
    );
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
    let (_, done) = world.change(admin, &[], &["acme-shop.com"]).await;
    assert_eq!(done, json!({"added": 0, "removed": 1, "ignored": 0}));
    assert_eq!(world.statuses().await, [judged, untouched]);
    // What was saved is what was said: nothing but those domains counts any more.
    let official: i64 = app.postgres.fetch("select count(*) from category_dealer").await;
    assert_eq!(official, 1);
}

#[tokio::test]
async fn a_change_is_undone_with_what_it_did_to_cases_by_its_author_alone() {
    let world = World::new().await;
    let (admin, company) = (&world.admin, world.app.login("user@acme.example").await);
    assert_eq!(world.change(admin, &["old.example"], &[]).await.0, StatusCode::OK);
    assert_eq!(world.undo(admin).await.1, json!({"count": 1}));
    assert_eq!(world.officials().await, "");

    let before = world.statuses().await;
    assert_eq!(world.change(admin, &["old.example"], &[]).await.0, StatusCode::OK);
    let (status, done) = world.change(admin, &["acme-shop.com"], &["old.example"]).await;
    assert_eq!((status, &done["ignored"]), (StatusCode::OK, &json!(3)), "{done}");
    assert_ne!(world.statuses().await, before);
    assert_eq!(world.undo(&company).await.0, StatusCode::NOT_FOUND);
    assert_eq!(world.officials().await, "acme-shop.com");
    assert_eq!(world.undo(admin).await.0, StatusCode::OK);
    assert_eq!(world.statuses().await, before, "each case has the status that it had");
    assert_eq!(world.officials().await, "");

    // What somebody did to a case meanwhile is not overwritten, and then nothing is undone.
    assert_eq!(world.change(admin, &["acme-shop.com"], &[]).await.0, StatusCode::OK);
    world
        .app
        .postgres
        .execute("update action set status = 'new' where domain = 'm.acme-shop.com'")
        .await;
    let (status, said) = world.undo(admin).await;
    assert_eq!(
        (status, &said["error"]["code"]),
        (StatusCode::CONFLICT, &json!("CHANGED_MEANWHILE"))
    );
    assert_eq!(world.officials().await, "acme-shop.com");
}

#[tokio::test]
async fn a_brand_has_one_official_tag_whoever_makes_it_and_no_other_company_changes_it() {
    let world = World::new().await;
    let company = world.app.login("user@acme.example").await;
    let other = world.app.login("user@bolt.example").await;
    let changes = [
        world.change(&world.admin, &["one.example"], &[]),
        world.change(&world.admin, &["two.example"], &[]),
        world.change(&company, &["three.example"], &[]),
        world.change(&company, &["one.example"], &[]),
    ];
    for (status, said) in futures::future::join_all(changes).await {
        assert_eq!(status, StatusCode::OK, "{said}");
    }
    assert_eq!(world.officials().await, "one.example three.example two.example");
    let tags: i64 = world
        .app
        .postgres
        .fetch("select count(*) from category where name = 'official'")
        .await;
    assert_eq!(tags, 1);
    assert_eq!(
        world.change(&other, &["four.example"], &["one.example"]).await.0,
        StatusCode::NOT_FOUND
    );
    assert_eq!(
        world.change(&world.admin, &["no domain"], &["one.example"]).await.0,
        StatusCode::UNPROCESSABLE_ENTITY
    );
    assert_eq!(world.officials().await, "one.example three.example two.example");
    let made: i64 = world
        .app
        .postgres
        .fetch("select count(*) from audit_entry where model = 'Category' and event = 'create'")
        .await;
    assert_eq!(made, 1, "the tag has a trail from its beginning");
}

#[tokio::test]
async fn changes_at_once_stay_within_the_limit() {
    let world = World::new().await;
    let many: Vec<String> = (0..499).map(|n| format!("s{n}.example")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert_eq!(world.change(&world.admin, &many, &[]).await.0, StatusCode::OK);
    let changes =
        ["a.example", "b.example", "c.example"].map(|domain| world.change(&world.admin, vec![domain].leak(), &[]));
    let mut done: Vec<StatusCode> = futures::future::join_all(changes)
        .await
        .into_iter()
        .map(|(status, _)| status)
        .collect();
    done.sort();
    let refused = StatusCode::UNPROCESSABLE_ENTITY;
    assert_eq!(done, [StatusCode::OK, refused, refused]);
    assert_eq!(world.officials().await.split(' ').count(), 500);
    assert_eq!(
        world.change(&world.admin, &["d.example"], &["s1.example"]).await.0,
        StatusCode::OK
    );
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
