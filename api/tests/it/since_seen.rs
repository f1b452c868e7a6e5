//! Changes of rows that somebody else has changed since they were seen.

use std::time::Duration;

use axum::body::Body;
use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::app::{App, TestResponse};
use crate::resources::argument;

/// A request that waits for no lock by then fails the test.
const PATIENCE: Duration = Duration::from_secs(20);
const REFUSED: (StatusCode, &str) = (StatusCode::CONFLICT, "CHANGED_SINCE_SEEN");
const DONE: (StatusCode, &str) = (StatusCode::OK, "");

/// Two administrators, and what the first one made: a brand and three disabled terms of it.
struct World {
    app: App,
    first: String,
    second: String,
    brand: i64,
    terms: Vec<i64>,
}

impl World {
    async fn new() -> Self {
        let app = App::start().await;
        app.admin().await;
        app.second_admin().await;
        let first = app.login("admin@vigie.example").await;
        let second = app.login("second@vigie.example").await;
        let mut world = Self {
            app,
            first,
            second,
            brand: 0,
            terms: Vec::new(),
        };
        world.brand = world.made("/api/Brands", &json!({"label": "Acme"})).await;
        for term in ["red shoes", "blue shoes", "boots"] {
            let body = json!({"term": term, "state": "disabled", "every": 0, "brandId": world.brand});
            world.terms.push(world.made("/api/Terms", &body).await);
        }
        world
    }

    async fn made(&self, path: &str, body: &Value) -> i64 {
        let made = self.app.post(path, body, &[("token", &self.first)]).await;
        assert_eq!(made.status, StatusCode::OK, "{}", made.body);
        made.body["id"].as_i64().unwrap()
    }

    fn term(&self, place: usize) -> String {
        format!("/api/Terms/{}", self.terms[place])
    }

    fn brand(&self) -> String {
        format!("/api/Brands/{}", self.brand)
    }

    /// The terms as a list shows them: its `X-As-Of`.
    async fn seen(&self) -> String {
        as_of(&self.app.get("/api/Terms", &[("token", &self.first)]).await)
    }

    /// A change by somebody who saw the rows at that state.
    async fn change(
        &self,
        token: &str,
        seen: Option<&str>,
        (method, path): (&str, &str),
        body: &Value,
    ) -> TestResponse {
        let mut headers = vec![("token", token), ("content-type", "application/json")];
        headers.extend(seen.map(|seen| ("x-seen-at", seen)));
        self.app
            .send(method, path, Body::from(body.to_string()), &headers)
            .await
    }

    /// The second one changes what the first one sees.
    async fn meanwhile(&self, method: &str, path: &str, body: &Value) {
        let done = self.change(&self.second, None, (method, path), body).await;
        assert!(done.status.is_success(), "{}", done.body);
    }

    /// What the first one gets to hear for a change of what was seen.
    async fn first_changes(&self, seen: &str, request: (&str, &str), body: &Value) -> TestResponse {
        self.change(&self.first, Some(seen), request, body).await
    }
}

fn as_of(answer: &TestResponse) -> String {
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
    answer.headers["x-as-of"].to_str().unwrap().to_owned()
}

fn outcome(answer: &TestResponse) -> (StatusCode, &str) {
    (answer.status, answer.body["error"]["code"].as_str().unwrap_or_default())
}

/// The terms and the number of entries in the audit log.
const STORED: &str = "select (select string_agg(concat_ws(' ', id, state, every, region), '|' order by id) from term) || '|' || (select count(*) from audit_entry)";

#[tokio::test]
async fn a_field_that_another_person_changed_since_is_not_overwritten() {
    let world = World::new().await;
    let seen = world.seen().await;
    world
        .meanwhile("PATCH", &world.term(0), &json!({"state": "enabled"}))
        .await;
    let stored: String = world.app.postgres.fetch(STORED).await;
    let archive = json!({"state": "archived", "region": "north"});
    let refused = world.first_changes(&seen, ("PATCH", &world.term(0)), &archive).await;
    assert_eq!(outcome(&refused), REFUSED);
    assert_eq!(
        world.app.postgres.fetch::<String>(STORED).await,
        stored,
        "nothing is written"
    );
    let details = &refused.body["error"]["details"];
    assert_eq!(details["context"], "Term");
    let changed = &details["changed"];
    assert_eq!(
        (&changed["count"], &changed["rows"]),
        (&json!(1), &json!([{"id": world.terms[0], "name": "red shoes"}]))
    );
    // Whoever has seen the change may overwrite it. A later change is refused again.
    let told = changed["asOf"].as_str().unwrap();
    let done = world.first_changes(told, ("PATCH", &world.term(0)), &archive).await;
    assert_eq!(outcome(&done), DONE);
    // Overwritten, it is nobody's loss any more.
    let done = world
        .first_changes(&seen, ("PATCH", &world.term(0)), &json!({"state": "enabled"}))
        .await;
    assert_eq!(outcome(&done), DONE);
    world
        .meanwhile("PATCH", &world.term(0), &json!({"region": "south"}))
        .await;
    let again = world
        .first_changes(told, ("PATCH", &world.term(0)), &json!({"region": "east"}))
        .await;
    assert_eq!(outcome(&again), REFUSED);
    let deleted = world.first_changes(told, ("DELETE", &world.term(0)), &json!({})).await;
    assert_eq!(outcome(&deleted), REFUSED);
}

#[tokio::test]
async fn other_fields_own_changes_and_the_same_value_are_nobodys_loss() {
    let world = World::new().await;
    let seen = world.seen().await;
    world
        .meanwhile("PATCH", &world.term(0), &json!({"every": 3_600_000}))
        .await;
    world
        .meanwhile("PATCH", &world.brand(), &json!({"validated": true}))
        .await;
    for (path, body) in [
        // Another field.
        (world.term(0), json!({"state": "enabled"})),
        // The own change before it.
        (world.term(0), json!({"state": "archived"})),
        // What it is by now anyway.
        (world.term(0), json!({"every": 3_600_000, "region": "north"})),
        (world.brand(), json!({"validated": true, "label": "Acme SA"})),
        (world.term(1), json!({"every": 0})),
    ] {
        let done = world.first_changes(&seen, ("PATCH", &path), &body).await;
        assert_eq!(outcome(&done), DONE, "{path} {body}");
    }
    let row: String = world
        .app
        .postgres
        .fetch("select concat_ws(' ', state, every, region) from term where term = 'red shoes'")
        .await;
    assert_eq!(row, "archived 3600000 north");
    // A replacement gives all fields, and loses the flag.
    let replaced = world
        .first_changes(&seen, ("PUT", &world.brand()), &json!({"label": "Acme SA"}))
        .await;
    assert_eq!(outcome(&replaced), REFUSED);
}

#[tokio::test]
async fn a_bulk_change_is_refused_as_a_whole() {
    let world = World::new().await;
    let seen = world.seen().await;
    world
        .meanwhile("PATCH", &world.term(1), &json!({"state": "archived"}))
        .await;
    let stored: String = world.app.postgres.fetch(STORED).await;
    let by_ids = format!("/api/Terms?{}", argument("where", &json!({"id": {"inq": world.terms}})));
    let whole = format!("/api/Terms?{}&confirm=all", argument("where", &json!({})));
    let update = format!(
        "/api/Terms/update?{}",
        argument("where", &json!({"brandId": world.brand}))
    );
    let enable = json!({"state": "enabled"});
    for (method, path) in [
        ("PATCH", &by_ids),
        ("PATCH", &whole),
        ("POST", &update),
        ("DELETE", &by_ids),
    ] {
        let refused = world.first_changes(&seen, (method, path), &enable).await;
        assert_eq!(outcome(&refused), REFUSED, "{method} {path}");
        let rows = &refused.body["error"]["details"]["changed"]["rows"];
        assert_eq!(
            rows,
            &json!([{"id": world.terms[1], "name": "blue shoes"}]),
            "{method} {path}"
        );
        assert_eq!(
            world.app.postgres.fetch::<String>(STORED).await,
            stored,
            "{method} {path}"
        );
    }
    let others = format!(
        "/api/Terms?{}",
        argument("where", &json!({"id": {"inq": [world.terms[0], world.terms[2]]}}))
    );
    assert_eq!(
        outcome(&world.first_changes(&seen, ("PATCH", &others), &enable).await),
        DONE
    );
    assert_eq!(
        outcome(
            &world
                .first_changes(&world.seen().await, ("PATCH", &whole), &enable)
                .await
        ),
        DONE
    );
    // A row of the list that was not there.
    let body = json!({"term": "sandals", "state": "disabled"});
    let seen = world.seen().await;
    world.meanwhile("POST", "/api/Terms", &body).await;
    assert_eq!(
        outcome(&world.first_changes(&seen, ("DELETE", &whole), &body).await),
        REFUSED
    );
    assert_eq!(world.app.postgres.fetch::<i64>("select count(*) from term").await, 4);
}

#[tokio::test]
async fn of_two_changes_at_once_one_is_made() {
    let world = World::new().await;
    let seen = world.seen().await;
    let path = format!("/api/Terms?{}", argument("where", &json!({"id": {"inq": world.terms}})));
    // Both are on their way before either has written.
    let mut held = postgres::begin(&world.app.postgres.pool).await.unwrap();
    sqlx::query("select from term for update")
        .execute(&mut *held)
        .await
        .unwrap();
    let (enabled, archived) = (json!({"state": "enabled"}), json!({"state": "archived"}));
    let (one, other, ()) = tokio::join!(
        world.change(&world.first, Some(&seen), ("PATCH", &path), &enabled),
        world.change(&world.second, Some(&seen), ("PATCH", &path), &archived),
        async {
            let waiting =
                "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
            tokio::time::timeout(PATIENCE, async {
                while world.app.postgres.fetch::<i64>(waiting).await < 2 {
                    tokio::task::yield_now().await;
                }
            })
            .await
            .unwrap();
            held.commit().await.unwrap();
        }
    );
    let mut outcomes = [outcome(&one), outcome(&other)];
    outcomes.sort_unstable();
    assert_eq!(outcomes, [DONE, REFUSED]);
    let kept = if one.status == StatusCode::OK {
        "enabled"
    } else {
        "archived"
    };
    let states: String = world
        .app
        .postgres
        .fetch("select string_agg(distinct state, ' ') from term")
        .await;
    assert_eq!(states, kept);
}

#[tokio::test]
async fn a_change_that_was_committed_after_the_read_was_not_seen_whenever_it_began() {
    let world = World::new().await;
    let mut late = postgres::begin(&world.app.postgres.pool).await.unwrap();
    for statement in [
        "update term set state = 'enabled' where term = 'red shoes'",
        "insert into audit_entry (actor_id, event, model, target, details)
         select (select id from user_account where email = 'second@vigie.example'), 'change', 'Term', id::text,
             '{\"before\": {\"state\": \"disabled\"}, \"after\": {\"state\": \"enabled\"}}'
         from term where term = 'red shoes'",
    ] {
        sqlx::query(statement).execute(&mut *late).await.unwrap();
    }
    let seen = world.seen().await;
    late.commit().await.unwrap();
    let archive = json!({"state": "archived"});
    let refused = world.first_changes(&seen, ("PATCH", &world.term(0)), &archive).await;
    assert_eq!(outcome(&refused), REFUSED);
    let seen = world.seen().await;
    assert_eq!(
        outcome(&world.first_changes(&seen, ("PATCH", &world.term(0)), &archive).await),
        DONE
    );
}

#[tokio::test]
async fn what_somebody_worked_on_since_is_not_deleted() {
    let world = World::new().await;
    let tag = world
        .made(
            "/api/Categories",
            &json!({"label": "Shoes", "scope": "term", "brandOwnerId": world.brand}),
        )
        .await;
    let path = format!("/api/Categories/{tag}");
    let nothing = json!({});
    let seen = world.seen().await;
    world.meanwhile("PATCH", &path, &json!({"label": "Boots"})).await;
    assert_eq!(
        outcome(&world.first_changes(&seen, ("DELETE", &path), &nothing).await),
        REFUSED
    );
    // A link counts, too.
    world
        .meanwhile("PUT", &format!("{}/categories/rel/{tag}", world.term(0)), &nothing)
        .await;
    assert_eq!(
        outcome(&world.first_changes(&seen, ("DELETE", &world.term(0)), &nothing).await),
        REFUSED
    );
    let done = world
        .first_changes(&seen, ("PATCH", &world.term(0)), &json!({"state": "enabled"}))
        .await;
    assert_eq!(outcome(&done), DONE, "a link changes no field");
    let seen = world.seen().await;
    for path in [path, world.term(0)] {
        assert_eq!(
            outcome(&world.first_changes(&seen, ("DELETE", &path), &nothing).await),
            DONE
        );
    }
}

#[tokio::test]
async fn what_the_product_does_itself_and_requests_without_the_header_are_not_compared() {
    let world = World::new().await;
    let seen = world.seen().await;
    world
        .app
        .postgres
        .execute(
            "insert into audit_entry (event, model, target, details)
             select 'change', 'Term', id::text, '{\"before\": {}, \"after\": {\"state\": \"enabled\"}}' from term",
        )
        .await;
    let archive = json!({"state": "archived"});
    assert_eq!(
        outcome(&world.first_changes(&seen, ("PATCH", &world.term(0)), &archive).await),
        DONE
    );
    world
        .meanwhile("PATCH", &world.term(0), &json!({"state": "enabled"}))
        .await;
    let unnamed = world
        .change(&world.first, None, ("PATCH", &world.term(0)), &archive)
        .await;
    assert_eq!(outcome(&unnamed), DONE);
    for wrong in [
        "yesterday",
        "1-2:1:",
        "1-4294967296:4294967296:",
        "",
        "9223372036854775807-1:1:",
    ] {
        let refused = world
            .first_changes(wrong, ("PATCH", &world.term(0)), &json!({"state": "enabled"}))
            .await;
        assert_eq!(refused.status, StatusCode::BAD_REQUEST, "{wrong}");
    }
}

#[tokio::test]
async fn every_answer_with_such_rows_says_which_state_it_shows() {
    let world = World::new().await;
    let reads = [
        "/api/Terms",
        "/api/Brands?filter[limit]=1",
        "/api/Categories",
        "/api/Terms/findOne",
        &world.term(0),
        &world.brand(),
        &format!("{}/brand", world.term(0)),
        &format!("{}/terms", world.brand()),
        &format!("{}/terms/{}", world.brand(), world.terms[0]),
    ];
    for path in reads {
        let answer = world.app.get(path, &[("token", &world.first)]).await;
        let state = as_of(&answer);
        let seen = world
            .first_changes(&state, ("PATCH", &world.term(0)), &json!({"region": path}))
            .await;
        assert_eq!(outcome(&seen), DONE, "{path} {state}");
    }
    let of_others = world.app.get("/api/Dealers", &[("token", &world.first)]).await;
    assert!(!of_others.headers.contains_key("x-as-of"));
}

#[tokio::test]
async fn a_trail_since_then_has_the_difference_and_no_more() {
    let world = World::new().await;
    world
        .meanwhile("PATCH", &world.term(0), &json!({"state": "enabled"}))
        .await;
    let seen = world.seen().await;
    world
        .meanwhile("PATCH", &world.term(0), &json!({"state": "archived"}))
        .await;
    let trail = |since: &str| format!("/api/Trails/Term/{}?since={since}", world.terms[0]);
    let token = [("token", world.first.as_str())];
    let entries = world.app.get(&trail(&seen), &token).await.body;
    assert_eq!(entries["data"].as_array().unwrap().len(), 1, "{entries}");
    assert_eq!(
        entries["data"][0]["changes"],
        json!([{"field": "state", "before": "enabled", "after": "archived"}])
    );
    let none = world.app.get(&trail(&world.seen().await), &token).await.body;
    assert_eq!(none["data"], json!([]));
    assert_eq!(
        world.app.get(&trail("yesterday"), &token).await.status,
        StatusCode::BAD_REQUEST
    );
}

#[tokio::test]
async fn a_company_user_is_told_what_changed_and_no_name_of_the_staff() {
    let world = World::new().await;
    let app = &world.app;
    app.company_user("bolt").await;
    let user = app.login("user@bolt.example").await;
    let brand: i64 = app
        .postgres
        .fetch("select id::int8 from brand where name = 'bolt'")
        .await;
    let tag = json!({"label": "Shoes", "scope": "term", "brandOwnerId": brand});
    let tag = app.post("/api/Categories", &tag, &[("token", &user)]).await.body["id"]
        .as_i64()
        .unwrap();
    let path = format!("/api/Categories/{tag}");
    let seen = as_of(&app.get(&path, &[("token", &user)]).await);
    world.meanwhile("PATCH", &path, &json!({"label": "Boots"})).await;
    let refused = world
        .change(&user, Some(&seen), ("PATCH", &path), &json!({"label": "Sandals"}))
        .await;
    assert_eq!(outcome(&refused), REFUSED);
    let trail = app
        .get(&format!("/api/Trails/Category/{tag}?since={seen}"), &[("token", &user)])
        .await
        .body;
    assert_eq!(
        trail["data"][0]["by"],
        json!({"kind": "staff", "name": null, "as": null})
    );
    for told in [&refused.body, &trail] {
        assert!(!told.to_string().contains("second"), "{told}");
    }
    // What it does not reach is not there, whatever it claims to have seen.
    let others = world
        .change(
            &user,
            Some(&seen),
            ("PATCH", &world.term(0)),
            &json!({"state": "enabled"}),
        )
        .await;
    assert_ne!(outcome(&others), REFUSED);
}
