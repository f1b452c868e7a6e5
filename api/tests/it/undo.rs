//! Undoing what one operation changed.

use axum::http::StatusCode;
use chrono::TimeDelta;
use serde_json::{Value, json};

use crate::app::{App, TestResponse};

const OPERATION: &str = "0b8c4cc2-5c1a-4f1c-9d1e-0d6f8f0b7a11";

/// An administrator with three terms, one of each state.
async fn world() -> (App, String, Vec<i64>) {
    let app = App::start().await;
    app.admin().await;
    let token = app.login("admin@vigie.example").await;
    let mut terms = Vec::new();
    for (term, state) in [
        ("red shoes", "enabled"),
        ("blue shoes", "disabled"),
        ("boots", "archived"),
    ] {
        let body = json!({"term": term, "state": state, "every": 3_600_000, "options": {"saveShoppingAds": true}});
        let made = app.post("/api/Terms", &body, &[("token", &token)]).await;
        assert_eq!(made.status, StatusCode::OK, "{}", made.body);
        terms.push(made.body["id"].as_i64().unwrap());
    }
    (app, token, terms)
}

/// Sends a request as a part of the operation.
async fn send(app: &App, token: &str, method: &str, path: &str, body: &Value) -> (StatusCode, Value) {
    let headers = [
        ("token", token),
        ("content-type", "application/json"),
        ("x-operation", OPERATION),
    ];
    let (status, text) = app.text(method, path, &body.to_string(), &headers).await;
    (status, serde_json::from_str(&text).unwrap_or_default())
}

fn of_ids(path: &str, ids: &[i64]) -> String {
    let condition = json!({"id": {"inq": ids}}).to_string();
    let query: String = url::form_urlencoded::byte_serialize(condition.as_bytes()).collect();
    format!("{path}?where={query}")
}

async fn change(app: &App, token: &str, ids: &[i64], body: &Value) {
    let (status, answer) = send(app, token, "PATCH", &of_ids("/api/Terms", ids), body).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
}

async fn undo(app: &App, token: &str) -> TestResponse {
    let path = format!("/api/Undo/{OPERATION}");
    app.post(&path, &json!({}), &[("token", token)]).await
}

fn code(refused: &TestResponse) -> (u16, &str) {
    (
        refused.status.as_u16(),
        refused.body["error"]["code"].as_str().unwrap_or_default(),
    )
}

const TERMS: &str =
    "select string_agg(concat_ws(' ', id, state, every, keyword_type, options), '|' order by id) from term";

#[tokio::test]
async fn all_calls_of_an_operation_are_undone_as_one_and_once() {
    let (app, token, terms) = world().await;
    let before: String = app.postgres.fetch(TERMS).await;
    app.postgres.execute("update term set schedule_stale = false").await;
    change(&app, &token, &terms[..2], &json!({"state": "archived"})).await;
    change(
        &app,
        &token,
        &terms,
        &json!({"state": "enabled", "every": 0, "options": {"saveOrganicResults": true}}),
    )
    .await;
    let undone = undo(&app, &token).await;
    assert_eq!((undone.status, &undone.body), (StatusCode::OK, &json!({"count": 3})));
    assert_eq!(app.postgres.fetch::<String>(TERMS).await, before);
    let stale: i64 = app
        .postgres
        .fetch("select count(*) from term where schedule_stale")
        .await;
    assert_eq!(stale, 3, "they are planned again");
    assert_eq!(code(&undo(&app, &token).await).0, 404, "it is undone already");
    let log = app
        .get(
            &format!("/api/audit?model=Term&event=change&target={}", terms[0]),
            &[("token", &token)],
        )
        .await;
    assert_eq!(log.body["data"][0]["details"]["after"]["every"], 3_600_000);
    assert_eq!(
        log.body["data"].as_array().unwrap().len(),
        3,
        "undoing is a change, too"
    );
}

#[tokio::test]
async fn nothing_is_undone_where_a_person_changed_the_same_field_since() {
    let (app, token, terms) = world().await;
    app.second_admin().await;
    let second = app.login("second@vigie.example").await;
    change(&app, &token, &terms, &json!({"state": "enabled"})).await;
    let path = format!("/api/Terms/{}", terms[1]);
    let headers = [("token", second.as_str()), ("content-type", "application/json")];
    let other_field = app
        .text("PATCH", &path, &json!({"every": 0}).to_string(), &headers)
        .await;
    assert_eq!(other_field.0, StatusCode::OK);
    let same_field = app
        .text("PATCH", &path, &json!({"state": "archived"}).to_string(), &headers)
        .await;
    assert_eq!(same_field.0, StatusCode::OK);
    let now: String = app.postgres.fetch(TERMS).await;
    assert_eq!(code(&undo(&app, &token).await), (409, "CHANGED_MEANWHILE"));
    assert_eq!(app.postgres.fetch::<String>(TERMS).await, now, "all or nothing");
    // Changed back by the second, it is as the first one left it.
    let back = app
        .text("PATCH", &path, &json!({"state": "enabled"}).to_string(), &headers)
        .await;
    assert_eq!(back.0, StatusCode::OK);
    assert_eq!(undo(&app, &token).await.status, StatusCode::OK);
    let every: i64 = app
        .postgres
        .fetch("select every from term where term = 'blue shoes'")
        .await;
    assert_eq!(every, 0, "what the second one changed stays");
}

#[tokio::test]
async fn an_operation_is_its_authors_alone_and_for_a_moment() {
    let (app, token, terms) = world().await;
    app.second_admin().await;
    let second = app.login("second@vigie.example").await;
    change(&app, &token, &terms, &json!({"state": "enabled"})).await;
    assert_eq!(code(&undo(&app, &second).await).0, 404);
    // The same name is another operation when another user gives it.
    change(&app, &second, &terms[..1], &json!({"state": "archived"})).await;
    assert_eq!(undo(&app, &second).await.body, json!({"count": 1}));
    app.state.clock.advance(TimeDelta::seconds(16));
    assert_eq!(code(&undo(&app, &token).await), (409, "UNDO_OVER"));
    let enabled: i64 = app
        .postgres
        .fetch("select count(*) from term where state = 'enabled'")
        .await;
    assert_eq!(enabled, 3);
}

#[tokio::test]
async fn of_two_undos_at_once_one_is_done() {
    let (app, token, terms) = world().await;
    let before: String = app.postgres.fetch(TERMS).await;
    change(&app, &token, &terms, &json!({"state": "enabled"})).await;
    let (one, other) = tokio::join!(undo(&app, &token), undo(&app, &token));
    let mut statuses = [one.status.as_u16(), other.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 404]);
    assert_eq!(app.postgres.fetch::<String>(TERMS).await, before);
}

#[tokio::test]
async fn an_undo_that_breaks_off_changes_nothing_and_can_be_repeated() {
    let (app, token, terms) = world().await;
    change(&app, &token, &terms, &json!({"state": "enabled"})).await;
    let now: String = app.postgres.fetch(TERMS).await;
    app.postgres
        .execute("create trigger full_log before insert on audit_entry for each row execute function refuse_change()")
        .await;
    assert!(!undo(&app, &token).await.status.is_success());
    assert_eq!(app.postgres.fetch::<String>(TERMS).await, now);
    app.postgres.execute("drop trigger full_log on audit_entry").await;
    assert_eq!(undo(&app, &token).await.status, StatusCode::OK);
}

#[tokio::test]
async fn an_unnamed_change_cannot_be_undone_and_a_wrong_name_is_refused() {
    let (app, token, terms) = world().await;
    let path = format!("/api/Terms/{}", terms[0]);
    let headers = [("token", token.as_str()), ("content-type", "application/json")];
    let unnamed = app.text("PATCH", &path, "{\"every\": 0}", &headers).await;
    assert_eq!(unnamed.0, StatusCode::OK);
    assert_eq!(undo(&app, &token).await.status, StatusCode::NOT_FOUND);
    let wrong = [
        ("token", token.as_str()),
        ("content-type", "application/json"),
        ("x-operation", "7"),
    ];
    let refused = app.text("PATCH", &path, "{\"every\": 1}", &wrong).await;
    assert_eq!(refused.0, StatusCode::BAD_REQUEST);
    let every: i64 = app
        .postgres
        .fetch("select every from term where term = 'red shoes'")
        .await;
    assert_eq!(every, 0);
}

/// An administrator and a company user with a term of their brand, three terms of no brand, and a tag of each kind.
struct Linked {
    app: App,
    admin: String,
    terms: Vec<i64>,
    company: i64,
    tag: i64,
}

impl Linked {
    async fn new() -> Self {
        let (app, admin, terms) = world().await;
        app.company_user("acme").await;
        let company = app.postgres.fetch::<i64>("select id::int8 from company_account").await;
        let tag = Self::made(&app, &admin, "Categories", &json!({"label": "Season", "scope": "term"})).await;
        Self {
            app,
            admin,
            terms,
            company,
            tag,
        }
    }

    async fn made(app: &App, token: &str, resource: &str, body: &Value) -> i64 {
        let made = app.post(&format!("/api/{resource}"), body, &[("token", token)]).await;
        assert_eq!(made.status, StatusCode::OK, "{}", made.body);
        made.body["id"].as_i64().unwrap()
    }

    /// The paths of the links between each term and the tag.
    fn tags(&self) -> Vec<String> {
        self.terms
            .iter()
            .map(|term| format!("/api/Terms/{term}/categories/rel/{}", self.tag))
            .collect()
    }

    fn access(&self, term: i64) -> String {
        format!("/api/Terms/{term}/canBeAccessBy/rel/{}", self.company)
    }

    /// Sends a request without a body, as a part of the operation.
    async fn send(&self, method: &str, path: &str) {
        let (status, answer) = send(&self.app, &self.admin, method, path, &json!({})).await;
        assert!(status.is_success(), "{method} {path}: {answer}");
    }

    /// Sends a request of nobody's operation.
    async fn beside(&self, method: &str, path: &str) {
        let headers = [("token", self.admin.as_str()), ("content-type", "application/json")];
        let (status, answer) = self.app.text(method, path, "{}", &headers).await;
        assert!(status.is_success(), "{method} {path}: {answer}");
    }

    /// The links of terms with tags and company accounts.
    async fn links(&self) -> String {
        self.app
            .postgres
            .fetch(
                "select concat_ws('|',
                     (select string_agg(to_jsonb(l)::text, ' ' order by id) from term_category l),
                     (select string_agg(to_jsonb(l)::text, ' ' order by id) from term_company_account l))",
            )
            .await
    }
}

#[tokio::test]
async fn tags_and_access_that_many_terms_got_or_lost_are_undone_as_one() {
    let world = Linked::new().await;
    let (tags, lost) = (world.tags(), world.access(world.terms[0]));
    world.beside("PUT", &tags[0]).await;
    world.beside("PUT", &lost).await;
    let before = world.links().await;
    for tag in &tags[1..] {
        world.send("PUT", tag).await;
    }
    world.send("PUT", &tags[0]).await;
    world.send("DELETE", &lost).await;
    world.send("PUT", &world.access(world.terms[1])).await;
    // A link that the operation itself made and ended is as it was.
    world.send("PUT", &world.access(world.terms[2])).await;
    world.send("DELETE", &world.access(world.terms[2])).await;
    let undone = undo(&world.app, &world.admin).await;
    assert_eq!((undone.status, &undone.body), (StatusCode::OK, &json!({"count": 4})));
    assert_eq!(world.links().await, before, "under their former ids");
    let log: Value = world
        .app
        .postgres
        .fetch("select jsonb_agg(event order by id) from (select * from audit_entry order by id desc limit 4) last")
        .await;
    assert_eq!(
        log,
        json!(["unlink", "unlink", "unlink", "link"]),
        "undoing is a change, too"
    );
    assert_eq!(undo(&world.app, &world.admin).await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn access_to_many_terms_is_changed_all_or_none_and_undone_as_one() {
    let world = Linked::new().await;
    let [first, second, third] = world.terms[..] else {
        panic!("three terms")
    };
    let change = |terms: Value, add: Value, remove: Value| {
        let body = json!({"terms": terms, "add": add, "remove": remove});
        async { send(&world.app, &world.admin, "POST", "/api/Terms/changeAccess", &{ body }).await }
    };
    let other = Linked::made(
        &world.app,
        &world.admin,
        "CompanyAccounts",
        &json!({"name": "Other", "label": "Other"}),
    )
    .await;
    world.beside("PUT", &world.access(first)).await;
    let before = world.links().await;
    // A row that nobody has leaves all others as they are.
    for (terms, add) in [
        (json!([first, 9_999]), json!([other])),
        (json!([first]), json!([other, 9_999])),
    ] {
        let (status, answer) = change(terms, add, json!([world.company])).await;
        assert_eq!(
            (status, world.links().await),
            (StatusCode::NOT_FOUND, before.clone()),
            "{answer}"
        );
    }
    let (status, answer) = change(
        json!([first, second, third, second]),
        json!([other]),
        json!([world.company]),
    )
    .await;
    assert_eq!((status, answer), (StatusCode::OK, json!({"count": 4})));
    let log: Value = world
        .app
        .postgres
        .fetch("select jsonb_agg(event order by id) from (select * from audit_entry order by id desc limit 4) last")
        .await;
    assert_eq!(log, json!(["unlink", "link", "link", "link"]));
    let undone = undo(&world.app, &world.admin).await;
    assert_eq!((undone.status, &undone.body), (StatusCode::OK, &json!({"count": 4})));
    assert_eq!(world.links().await, before);

    world
        .app
        .postgres
        .execute("update company_account set capture_quota = 0; update term set engine = 'GOOGLE', localization_id = (select min(id) from localization where locale is not null)")
        .await;
    let (status, refused) = change(json!([first, second]), json!([other]), json!([])).await;
    assert_eq!(
        (status, refused["error"]["code"].as_str()),
        (StatusCode::CONFLICT, Some("CAPTURE_QUOTA_EXCEEDED"))
    );
    let many: Vec<i64> = (0..50_001).collect();
    let (status, _) = change(json!(many), json!([other]), json!([])).await;
    assert_eq!(
        (status, world.links().await),
        (StatusCode::UNPROCESSABLE_ENTITY, before)
    );
}

#[tokio::test]
async fn links_that_somebody_changed_since_are_not_undone() {
    let world = Linked::new().await;
    let tags = world.tags();
    for tag in &tags {
        world.send("PUT", tag).await;
    }
    world.beside("DELETE", &tags[1]).await;
    let now = world.links().await;
    assert_eq!(code(&undo(&world.app, &world.admin).await), (409, "CHANGED_MEANWHILE"));
    assert_eq!(world.links().await, now, "all or nothing");
    // Made again by somebody else, it is another link.
    world.beside("PUT", &tags[1]).await;
    let now = world.links().await;
    assert_eq!(code(&undo(&world.app, &world.admin).await), (409, "CHANGED_MEANWHILE"));
    assert_eq!(world.links().await, now);
}

#[tokio::test]
async fn an_ended_link_does_not_come_back_twice_or_to_what_is_gone() {
    let world = Linked::new().await;
    let tags = world.tags();
    for tag in &tags {
        world.beside("PUT", tag).await;
    }
    for tag in &tags {
        world.send("DELETE", tag).await;
    }
    world.beside("PUT", &tags[0]).await;
    let now = world.links().await;
    assert_eq!(code(&undo(&world.app, &world.admin).await), (409, "CHANGED_MEANWHILE"));
    assert_eq!(world.links().await, now);
    world.beside("DELETE", &tags[0]).await;
    world.beside("DELETE", &format!("/api/Terms/{}", world.terms[0])).await;
    assert_eq!(code(&undo(&world.app, &world.admin).await), (409, "CHANGED_MEANWHILE"));
}

#[tokio::test]
async fn links_are_undone_by_their_author_alone_and_not_beyond_a_quota() {
    let world = Linked::new().await;
    world.app.second_admin().await;
    let second = world.app.login("second@vigie.example").await;
    let captured = "update term set engine = 'GOOGLE', localization_id = (select min(id) from localization where locale is not null)";
    world.app.postgres.execute(captured).await;
    world.beside("PUT", &world.access(world.terms[0])).await;
    world.send("DELETE", &world.access(world.terms[0])).await;
    let (linked, gone) = (world.links().await, undo(&world.app, &second).await);
    assert_eq!((gone.status, world.links().await), (StatusCode::NOT_FOUND, linked));
    world
        .app
        .postgres
        .execute("update company_account set capture_quota = 0")
        .await;
    assert_eq!(
        code(&undo(&world.app, &world.admin).await),
        (409, "CAPTURE_QUOTA_EXCEEDED")
    );
    world
        .app
        .postgres
        .execute("update company_account set capture_quota = null")
        .await;
    assert_eq!(undo(&world.app, &world.admin).await.body, json!({"count": 1}));
}

#[tokio::test]
async fn an_advertisers_tags_are_undone_with_what_official_ones_did_to_cases() {
    let world = Linked::new().await;
    let (app, admin) = (&world.app, &world.admin);
    let dealer = Linked::made(app, admin, "Dealers", &json!({"domain": "shop.example"})).await;
    let brand = Linked::made(app, admin, "Brands", &json!({"label": "Acme"})).await;
    app.postgres
        .execute("insert into action (brand_id, domain, country, engine, status) select id, 'shop.example', 'FR', 'google', 'new' from brand")
        .await;
    for label in ["Reseller", "Official"] {
        let tag = json!({"label": label, "scope": "tag", "brandOwnerId": brand});
        let tag = Linked::made(app, admin, "Categories", &tag).await;
        world
            .send("PUT", &format!("/api/Dealers/{dealer}/categories/rel/{tag}"))
            .await;
        let ignored = "select count(*) from action where status = 'ignored'";
        assert_eq!(app.postgres.fetch::<i64>(ignored).await, i64::from(label == "Official"));
        let undone = undo(app, admin).await;
        let linked: i64 = app.postgres.fetch("select count(*) from category_dealer").await;
        assert_eq!((undone.status, linked), (StatusCode::OK, 0), "{}", undone.body);
        assert_eq!(app.postgres.fetch::<i64>(ignored).await, 0);
    }
}

#[tokio::test]
async fn a_company_undoes_its_own_links_of_shared_tags() {
    let world = Linked::new().await;
    let brand: i64 = world.app.postgres.fetch("select id::int8 from brand").await;
    let body = json!({"term": "acme shoes", "brandId": brand});
    let term = Linked::made(&world.app, &world.admin, "Terms", &body).await;
    let shared = json!({"label": "Shared", "scope": "term", "visibility": "all"});
    let tag = Linked::made(&world.app, &world.admin, "Categories", &shared).await;
    let token = world.app.login("user@acme.example").await;
    let path = format!("/api/Terms/{term}/categories/rel/{tag}");
    let (status, answer) = send(&world.app, &token, "PUT", &path, &json!({})).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    let owned: i64 = world
        .app
        .postgres
        .fetch("select count(*) from term_category where company_account_id is not null")
        .await;
    assert_eq!(owned, 1);
    assert_eq!(undo(&world.app, &token).await.body, json!({"count": 1}));
    assert_eq!(world.links().await, "");
    let (status, _) = send(&world.app, &token, "PUT", &path, &json!({})).await;
    assert_eq!(status, StatusCode::OK);
    world.app.state.clock.advance(TimeDelta::seconds(16));
    assert_eq!(code(&undo(&world.app, &token).await), (409, "UNDO_OVER"));
}
