//! Deleted terms, brands and tags, which can be brought back for thirty days.

use std::time::{Duration, Instant};

use axum::http::StatusCode;
use chrono::TimeDelta;
use serde_json::{Value, json};

use crate::app::{App, TestResponse};

const OPERATION: &str = "5f3a9c11-0a64-4a52-8c1b-2f6d7f0c9e01";

/// A company with a brand that has a tag and two tagged terms, which its users see and another company is given one of.
struct World {
    app: App,
    admin: String,
    brand: i64,
    tag: i64,
    terms: [i64; 2],
}

impl World {
    async fn new() -> Self {
        let app = App::start().await;
        app.admin().await;
        app.second_admin().await;
        let admin = app.login("admin@vigie.example").await;
        app.company_user("acme").await;
        app.company_user("bolt").await;
        let brand: i64 = app
            .postgres
            .fetch("select id::int8 from brand where name = 'acme'")
            .await;
        let tag = json!({"label": "Shoes", "scope": "term", "brandOwnerId": brand});
        let tag = made(&app, &admin, "Categories", &tag).await;
        let mut terms = [0; 2];
        for (place, term) in ["red shoes", "blue shoes"].into_iter().enumerate() {
            let body =
                json!({"term": term, "state": "enabled", "every": 3_600_000, "brandId": brand, "categories": [tag]});
            terms[place] = made(&app, &admin, "Terms", &body).await;
        }
        app.postgres
            .execute("insert into term_company_account (term_id, company_account_id) select min(term.id), max(company_account.id) from term, company_account")
            .await;
        Self {
            app,
            admin,
            brand,
            tag,
            terms,
        }
    }

    async fn send(&self, method: &str, path: &str) -> (StatusCode, Value) {
        let headers = [
            ("token", self.admin.as_str()),
            ("content-type", "application/json"),
            ("x-operation", OPERATION),
        ];
        let (status, text) = self.app.text(method, path, "", &headers).await;
        (status, serde_json::from_str(&text).unwrap_or_default())
    }

    async fn delete(&self, path: &str) {
        let (status, answer) = self.send("DELETE", path).await;
        assert_eq!(
            (status, answer["count"].as_i64() > Some(0)),
            (StatusCode::OK, true),
            "{answer}"
        );
    }

    async fn delete_terms(&self) {
        let condition = json!({"id": {"inq": self.terms}}).to_string();
        let condition: String = url::form_urlencoded::byte_serialize(condition.as_bytes()).collect();
        self.delete(&format!("/api/Terms?where={condition}")).await;
    }

    async fn bring_back(&self, model: &str, ids: &[i64], token: &str) -> TestResponse {
        let path = format!("/api/Deleted/{model}/bringBack");
        self.app.post(&path, &json!({"ids": ids}), &[("token", token)]).await
    }

    async fn undo(&self, token: &str) -> TestResponse {
        let path = format!("/api/Undo/{OPERATION}");
        self.app.post(&path, &json!({}), &[("token", token)]).await
    }

    async fn deleted(&self, model: &str, token: &str) -> TestResponse {
        self.app
            .get(&format!("/api/Deleted/{model}"), &[("token", token)])
            .await
    }

    /// All that the tests delete, and what hangs on it.
    async fn records(&self) -> String {
        self.app.postgres.fetch(RECORDS).await
    }

    async fn count(&self, sql: &'static str) -> i64 {
        self.app.postgres.fetch(sql).await
    }
}

const RECORDS: &str = "select concat_ws(E'\\n',
    (select jsonb_agg(to_jsonb(t) - 'schedule_stale' order by id) from term t),
    (select jsonb_agg(t order by id) from term_category t), (select jsonb_agg(t order by id) from term_company_account t),
    (select jsonb_agg(t order by id) from category t), (select jsonb_agg(t order by id) from brand t),
    (select jsonb_agg(t order by id) from brand_company_account t), (select jsonb_agg(t order by id) from slot t),
    (select jsonb_agg(c order by id) from capture c))";

async fn made(app: &App, token: &str, path: &str, body: &Value) -> i64 {
    let answer = app.post(&format!("/api/{path}"), body, &[("token", token)]).await;
    assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.body);
    answer.body["id"].as_i64().unwrap()
}

fn code(refused: &TestResponse) -> (u16, &str) {
    (
        refused.status.as_u16(),
        refused.body["error"]["code"].as_str().unwrap_or_default(),
    )
}

#[tokio::test]
async fn deleted_terms_come_back_with_all_they_had_by_undo_or_by_their_ids() {
    let world = World::new().await;
    world
        .app
        .postgres
        .execute(
            "insert into slot (term_id, device, slot_ts, state, settled_at)
             select id, 'desktop', now() - interval '1 hour', 'verified', now() from term",
        )
        .await;
    world
        .app
        .postgres
        .execute(
            "insert into capture (id, slot_id, attempt, term_id, brand_id, term, keyword_type, engine, device, locale, slot_ts, taken_at, final_url,
                 verdict, page_sha256, view_sha256, reader_version, text_ads, shopping_ads, saves_text_ads, saves_shopping_ads, n_rows)
             select capture_id, slot.id, 1, term_id, brand_id, term, 'BRAND', 'google', 'desktop', 'fr_FR', slot_ts, slot_ts, 'https://search.example/',
                 'results', sha256('a'), sha256('a'), '1', 0, 0, true, true, 0
             from slot join term on term.id = slot.term_id",
        )
        .await;
    world
        .app
        .postgres
        .execute("insert into ledger_day_seal (day) select distinct (slot_ts at time zone 'UTC')::date from slot")
        .await;
    let before = world.records().await;
    world.delete_terms().await;
    assert_eq!(world.count("select count(*) from slot").await, 0);
    let undone = world.undo(&world.admin).await;
    assert_eq!((undone.status, &undone.body), (StatusCode::OK, &json!({"count": 2})));
    assert_eq!(world.records().await, before);
    assert_eq!(world.count("select count(*) from term where schedule_stale").await, 2);
    let sealed = world.count("select count(*) from ledger_day_seal").await;
    assert_eq!(sealed, 0, "their days are added up again");

    world.delete_terms().await;
    let shown = world.deleted("Term", &world.admin).await;
    let rows: Vec<&Value> = shown.body["data"].as_array().unwrap().iter().collect();
    assert_eq!(rows.len(), 2);
    assert_eq!(
        (&rows[0]["row"]["term"], &rows[0]["by"]["kind"]),
        (&json!("blue shoes"), &json!("person"))
    );
    world.app.state.clock.advance(TimeDelta::days(29));
    let back = world
        .bring_back("Term", &world.terms, &world.app.login("second@vigie.example").await)
        .await;
    assert_eq!((back.status, &back.body), (StatusCode::OK, &json!({"count": 2})));
    assert_eq!(world.records().await, before);
    let log = world
        .app
        .get(
            &format!("/api/audit?model=Term&target={}", world.terms[0]),
            &[("token", &world.app.login("second@vigie.example").await)],
        )
        .await;
    let events: Vec<&Value> = log.body["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| &entry["event"])
        .collect();
    assert_eq!(events[..4], ["return", "remove", "return", "remove"]);
}

#[tokio::test]
async fn a_deleted_brand_comes_back_with_its_tags_terms_and_companies() {
    let world = World::new().await;
    world.app.postgres.execute("update term set state = 'disabled'").await;
    let before = world.records().await;
    world.delete(&format!("/api/Brands/{}", world.brand)).await;
    assert_eq!(
        world.count("select count(*) from category where label = 'Shoes'").await,
        0
    );
    assert_eq!(
        world.bring_back("Brand", &[world.brand], &world.admin).await.status,
        StatusCode::OK
    );
    assert_eq!(world.records().await, before);
    let company = world.app.login("user@acme.example").await;
    let seen = world.app.get("/api/Terms", &[("token", &company)]).await;
    assert_eq!(seen.body.as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn what_is_in_the_way_of_a_row_is_said_and_none_comes_back() {
    let world = World::new().await;
    world.delete_terms().await;
    let same = json!({"term": "Blue  shoes", "state": "disabled"});
    let same = made(&world.app, &world.admin, "Terms", &same).await;
    let refused = world.bring_back("Term", &world.terms, &world.admin).await;
    assert_eq!(code(&refused), (409, "EXISTS_AGAIN"));
    assert_eq!(
        refused.body["error"]["message"],
        "There is another 'blue shoes' by now."
    );
    assert_eq!(code(&world.undo(&world.admin).await), (409, "EXISTS_AGAIN"));
    assert_eq!(world.count("select count(*) from term").await, 1, "all or none");
    world
        .app
        .postgres
        .execute(format!("delete from term where id = {same}").leak())
        .await;

    let (status, _) = world.send("DELETE", &format!("/api/Brands/{}", world.brand)).await;
    assert_eq!(status, StatusCode::OK);
    let refused = world.bring_back("Term", &world.terms, &world.admin).await;
    assert_eq!(code(&refused), (409, "BRAND_GONE"));
    let message = refused.body["error"]["message"].as_str().unwrap();
    assert!(message.contains("acme"), "{message}");
    // One operation deleted both, so undoing it brings both back.
    let undone = world.undo(&world.admin).await;
    assert_eq!((undone.status, &undone.body), (StatusCode::OK, &json!({"count": 3})));
    assert_eq!(
        world
            .count("select count(*) from term where brand_id is not null")
            .await,
        2
    );

    let nothing = world.bring_back("Term", &[], &world.admin).await;
    assert_eq!((nothing.status, &nothing.body), (StatusCode::OK, &json!({"count": 0})));
    let unknown = world.bring_back("Term", &[world.terms[0], 999_999], &world.admin).await;
    assert_eq!(unknown.status, StatusCode::NOT_FOUND);
    assert_eq!(
        world.deleted("Dealer", &world.admin).await.status,
        StatusCode::NOT_FOUND
    );
}

#[tokio::test]
async fn deleted_rows_are_for_those_who_may_delete_them() {
    let world = World::new().await;
    let (acme, bolt) = (
        world.app.login("user@acme.example").await,
        world.app.login("user@bolt.example").await,
    );
    world.delete_terms().await;
    world.delete(&format!("/api/Categories/{}", world.tag)).await;
    for token in [&acme, &bolt] {
        assert_eq!(world.deleted("Term", token).await.status, StatusCode::FORBIDDEN);
        let refused = world.bring_back("Term", &world.terms, token).await;
        assert_eq!(refused.status, StatusCode::FORBIDDEN);
        assert_eq!(world.undo(token).await.status, StatusCode::NOT_FOUND);
    }
    // Company users may delete tags of their own brands: of those of others they learn nothing.
    assert_eq!(world.deleted("Category", &bolt).await.body["data"], json!([]));
    let refused = world.bring_back("Category", &[world.tag], &bolt).await;
    let missing = world.bring_back("Category", &[999_999], &bolt).await;
    assert_eq!((refused.status, &refused.body), (StatusCode::NOT_FOUND, &missing.body));
    let shown = world.deleted("Category", &acme).await;
    assert_eq!(shown.body["data"][0]["row"]["label"], "Shoes");
    assert_eq!(
        shown.body["data"][0]["by"],
        json!({"kind": "staff", "name": null, "as": null})
    );
    let back = world.bring_back("Category", &[world.tag], &acme).await;
    assert_eq!(back.status, StatusCode::OK);
}

#[tokio::test]
async fn of_two_that_bring_back_at_once_one_does_and_after_thirty_days_none() {
    let world = World::new().await;
    let before = world.records().await;
    world.delete_terms().await;
    let (one, other, undone) = tokio::join!(
        world.bring_back("Term", &world.terms, &world.admin),
        world.bring_back("Term", &world.terms, &world.admin),
        world.undo(&world.admin)
    );
    let mut statuses = [one.status, other.status, undone.status].map(|status| status.as_u16());
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 404, 404]);
    assert_eq!(world.records().await, before);

    world.delete_terms().await;
    world.app.state.clock.advance(TimeDelta::seconds(16));
    assert_eq!(code(&world.undo(&world.admin).await), (409, "UNDO_OVER"));
    world.app.state.clock.advance(TimeDelta::days(30));
    let admin = world.app.login("admin@vigie.example").await;
    assert_eq!(world.deleted("Term", &admin).await.body["data"], json!([]));
    let late = world.bring_back("Term", &world.terms, &admin).await;
    assert_eq!(late.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn ten_thousand_terms_are_deleted_and_brought_back_by_one_call_each_within_seconds() {
    const MOST: Duration = Duration::from_secs(20);
    let world = World::new().await;
    let many = "with made as (
             insert into term (term, state, every) select 'many ' || n, 'enabled', 3600000 from generate_series(1, 10000) n returning id
         )
         insert into term_category (term_id, category_id) select made.id, category.id from made, category where category.scope = 'term'";
    world.app.postgres.execute(many).await;
    let count = "select count(*) from term where term like 'many %'";
    let links = "select count(*) from term_category join term on term.id = term_id where term like 'many %'";
    let linked: i64 = world.app.postgres.fetch(links).await;
    let ids: Vec<i64> = world
        .app
        .postgres
        .fetch("select array_agg(id::int8) from term where term like 'many %'")
        .await;
    let matching = json!({"term": {"like": "many %"}}).to_string();
    let matching: String = url::form_urlencoded::byte_serialize(matching.as_bytes()).collect();
    let started = Instant::now();
    let deleted = world.send("DELETE", &format!("/api/Terms?where={matching}")).await;
    assert_eq!(deleted, (StatusCode::OK, json!({"count": 10_000})));
    assert!(started.elapsed() < MOST, "{:?}", started.elapsed());
    assert_eq!(world.app.postgres.fetch::<i64>(count).await, 0);

    let started = Instant::now();
    let back = world.bring_back("Term", &ids, &world.admin).await;
    assert_eq!(back.status, StatusCode::OK, "{}", back.body);
    assert!(started.elapsed() < MOST, "{:?}", started.elapsed());
    assert_eq!(world.app.postgres.fetch::<i64>(count).await, 10_000);
    assert_eq!(world.app.postgres.fetch::<i64>(links).await, linked);
}
