//! Corrections of captured ads through the resource set.

use std::collections::BTreeMap;

use analytics::ingest::{self, AdRow, BatchToken};
use analytics::roll_up::{check, seal_closed_days};
use axum::body::Body;
use axum::http::StatusCode;
use chrono::DateTime;
use corrections::{Correction, CorrectionLock, Stores, recover};
use postgres::captures::{CaptureQuery, count_silent_hours};
use runtime::Settings;
use serde_json::{Value, json};
use vocabulary::{BrandId, SystemScope};

use crate::app::{App, TestResponse};
use crate::captured::ad_of;
use crate::monitoring::{LIST, TERMS, domains};

const SYSTEM: SystemScope = SystemScope::new("test");
/// Rows of the manifest: three of one capture, two of the other.
const ROWS: u16 = 5;

/// A manifest of two captures of a day that is sealed.
struct World {
    app: App,
    token: String,
    manifest: i64,
}

impl World {
    async fn new() -> Self {
        let mut app = App::start().await;
        // Lists of few results would not ask the roll-ups.
        app.state.analytics = app.state.analytics.always_rolled_up();
        app.set(Settings::default());
        app.company_user("acme").await;
        app.company_user("bolt").await;
        app.admin().await;
        app.operator().await;
        let (one, other) = (
            app.captured("red shoes", Some(BrandId(1)), "<p>", &[]).await,
            app.captured("blue shoes", Some(BrandId(1)), "<p>", &[]).await,
        );
        app.postgres
            .execute(
                "update capture set saves_text_ads = true, taken_at = '2026-02-25T06:13:20Z';
                 update capture set text_ads = 3, n_rows = 3 where term = 'red shoes';
                 update capture set text_ads = 2, n_rows = 2 where term = 'blue shoes';
                 insert into manifest (month, n_rows, state, settled_at) values ('2026-02-01', 5, 'verified', now());
                 insert into manifest_capture (capture_id, manifest_id, first_row, n_rows)
                     select c.id, m.id, case c.term when 'red shoes' then 0 else 3 end, c.n_rows from capture c, manifest m",
            )
            .await;
        let manifest: i64 = app.postgres.fetch("select id from manifest").await;
        let batch = manifest.cast_unsigned();
        let rows: Vec<AdRow> = (0..ROWS)
            .map(|row| AdRow {
                capture_id: if row < 3 { one.0 } else { other.0 },
                term_id: if row < 3 { 1 } else { 2 },
                ..ad_of(BrandId(1), batch, row)
            })
            .collect();
        let token = BatchToken { batch, epoch: 1 };
        ingest::insert(&app.state.analytics, token, &rows).await.unwrap();
        seal_closed_days(&app.state.analytics).await.unwrap();
        let token = app.login("admin@vigie.example").await;
        Self { app, token, manifest }
    }

    fn id(&self, row: u16) -> i64 {
        self.manifest * 8_192 + i64::from(row)
    }

    fn domain(&self, row: u16) -> String {
        format!("shop-{}-{row}.example", self.manifest)
    }

    async fn send(&self, method: &str, path: &str, body: &Value) -> TestResponse {
        let headers = [("token", self.token.as_str()), ("content-type", "application/json")];
        self.app
            .send(method, path, Body::from(body.to_string()), &headers)
            .await
    }

    async fn done(&self, method: &str, path: &str, body: &Value) -> Value {
        let answer = self.send(method, path, body).await;
        assert_eq!(answer.status, StatusCode::OK, "{method} {path}: {}", answer.body);
        answer.body
    }

    async fn patch(&self, row: u16, body: &Value) -> TestResponse {
        self.send("PATCH", &format!("/api/Sems/{}", self.id(row)), body).await
    }

    async fn get(&self, row: u16) -> TestResponse {
        self.send("GET", &format!("/api/Sems/{}", self.id(row)), &json!(null))
            .await
    }

    async fn domains(&self) -> Vec<String> {
        let mut found = domains(&self.done("GET", LIST, &json!(null)).await);
        found.sort();
        found
    }

    fn stores(&self) -> Stores {
        Stores {
            postgres: self.app.state.postgres.clone(),
            analytics: self.app.state.analytics.clone(),
        }
    }

    async fn ads(&self) -> Vec<AdRow> {
        let ids: Vec<u64> = (0..ROWS).map(|row| self.id(row).cast_unsigned()).collect();
        ingest::rows(&self.app.state.analytics, &ids).await.unwrap()
    }

    /// Fails unless both stores say the same, before the days that were opened are sealed again and after.
    async fn assert_sound(&self) {
        let (postgres, client) = (&self.app.state.postgres, &self.app.state.analytics);
        assert_eq!(check(client).await.unwrap(), []);
        let listed = self.domains().await;
        seal_closed_days(client).await.unwrap();
        assert_eq!(check(client).await.unwrap(), []);
        assert_eq!(self.domains().await, listed, "lists do not tell roll-ups from results");
        let broken: Vec<_> =
            postgres::invariants::violations(postgres, DateTime::UNIX_EPOCH, std::time::Duration::MAX / 1_000_000_000)
                .await
                .unwrap()
                .into_iter()
                .filter(|violation| violation.invariant == "I1")
                .collect();
        assert_eq!(broken, []);
        let mut stored = BTreeMap::<_, u32>::new();
        for ad in self.ads().await {
            *stored.entry(ad.capture_id).or_default() += 1;
        }
        let ledger = postgres::manifests::verified_rows(postgres).await.unwrap();
        let ledger: BTreeMap<_, _> = ledger.into_iter().map(|(capture, rows)| (capture.0, rows)).collect();
        assert_eq!(stored, ledger, "the store holds what the manifests say");
        let orphans = "SELECT count() FROM ad_results WHERE (domain, ad) NOT IN (SELECT domain, ad FROM creatives)";
        let orphans: u64 = self.app.clickhouse.plain().query(orphans).fetch_one().await.unwrap();
        assert_eq!(orphans, 0, "every ad has its texts");
    }

    /// Makes the ledger refuse what the store of ads holds already, until it is allowed again.
    async fn crash_after_the_store(&self) {
        self.app
            .postgres
            .execute(
                "create table crash ();
                 create function crash() returns trigger language plpgsql as
                     'begin if exists (select from crash) then raise ''crash''; end if; return new; end';
                 create trigger crash before update of applied_at on ad_correction for each row
                     when (new.applied_at is not null) execute function crash();
                 insert into crash default values",
            )
            .await;
    }
}

fn bulk(path: &str, where_: &Value) -> String {
    let mut query = url::form_urlencoded::Serializer::new(format!("{path}?"));
    query.append_pair("where", &where_.to_string());
    query.finish()
}

#[tokio::test]
async fn a_corrected_ad_is_answered_and_listed_as_it_was_corrected() {
    let world = World::new().await;
    let changes = json!({
        "title": "Better shoes", "description": "Cheap", "domain": "www.Corrected.example", "position": 3,
        "date": "2026-02-24T10:00:00.000Z", "type": "shopping",
    });
    let answer = world.patch(1, &changes).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
    assert_eq!(answer.body["id"], world.id(1));
    assert_eq!(answer.body["domain"], "corrected.example");
    assert_eq!(world.get(1).await.body, answer.body);
    for (field, value) in changes.as_object().unwrap() {
        if field != "domain" {
            assert_eq!(answer.body[field], *value, "{field}");
        }
    }
    let mut listed = vec!["corrected.example".to_owned()];
    listed.extend([0, 2, 3, 4].map(|row| world.domain(row)));
    assert_eq!(world.domains().await, listed);
    world.assert_sound().await;

    // Again, from days that are sealed.
    assert_eq!(
        world.patch(1, &json!({"domain": "again.example"})).await.status,
        StatusCode::OK
    );
    listed[0] = "again.example".to_owned();
    assert_eq!(world.domains().await, listed);
    world.assert_sound().await;
}

#[tokio::test]
async fn another_term_brings_its_brand_and_with_it_other_readers() {
    let world = World::new().await;
    world
        .app
        .postgres
        .execute("insert into term (id, term, brand_id) overriding system value values (40, 'green shoes', 2)")
        .await;
    let answer = world.patch(0, &json!({"termId": 40})).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
    assert_eq!(
        (&answer.body["brand"], &answer.body["term"]),
        (&json!("bolt"), &json!("green shoes"))
    );
    let bolt = world.app.login("user@bolt.example").await;
    let seen = world.app.get(LIST, &[("token", &bolt)]).await;
    assert_eq!(domains(&seen.body), [world.domain(0)]);
    let terms = world.done("GET", TERMS, &json!(null)).await;
    assert!(terms.to_string().contains("green shoes"), "{terms}");
    world.assert_sound().await;
    let unknown = world.patch(0, &json!({"termId": 99})).await;
    assert_eq!(unknown.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(
        unknown.body["error"]["details"]["codes"],
        json!({"termId": ["reference"]})
    );
}

#[tokio::test]
async fn a_deleted_ad_is_gone_from_every_list_and_from_the_ledger() {
    let world = World::new().await;
    for row in [3, 4, 0] {
        let path = format!("/api/Sems/{}", world.id(row));
        assert_eq!(world.done("DELETE", &path, &json!(null)).await, json!({"count": 1}));
        assert_eq!(world.get(row).await.status, StatusCode::NOT_FOUND);
        assert_eq!(world.done("DELETE", &path, &json!(null)).await, json!({"count": 0}));
        world.assert_sound().await;
    }
    assert_eq!(world.domains().await, [world.domain(1), world.domain(2)]);
    let counts = "select concat_ws(' ', m.n_rows, m.state, string_agg(mc.n_rows::text, ',' order by mc.first_row))
        from manifest m join manifest_capture mc on mc.manifest_id = m.id group by m.id";
    assert_eq!(world.app.postgres.fetch::<String>(counts).await, "2 verified 2,0");
    // A capture of which no ad is left is still a capture, and one without ads.
    let meant = CaptureQuery {
        zone: "UTC".to_owned(),
        ..CaptureQuery::default()
    };
    let silent = count_silent_hours(&world.app.state.postgres, &SYSTEM, &meant)
        .await
        .unwrap();
    assert_eq!(silent.iter().map(|silent| silent.captures).sum::<u64>(), 1);
}

#[tokio::test]
async fn one_call_changes_captured_ads_and_those_entered_by_hand() {
    let world = World::new().await;
    let by_hand = world
        .done("POST", "/api/Sems", &json!({"title": "Shoes", "termId": 1}))
        .await;
    let of_term = json!({"termId": 1, "title": "Shoes"});
    let path = bulk("/api/Sems/update", &of_term);
    let changed = world.done("POST", &path, &json!({"description": "Cheap"})).await;
    assert_eq!(changed, json!({"count": 4}));
    let path = format!("/api/Sems/{}", by_hand["id"]);
    let read = world.done("GET", &path, &json!(null)).await;
    assert_eq!(read["description"], "Cheap");
    for row in 0..ROWS {
        let is_changed = world.get(row).await.body["description"] == "Cheap";
        assert_eq!(is_changed, row < 3, "{row}");
    }
    world.assert_sound().await;

    // What a captured one cannot have is given to none.
    let refused = world
        .send(
            "POST",
            &bulk("/api/Sems/update", &of_term),
            &json!({"dealerId": 3, "title": "x"}),
        )
        .await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", refused.body);
    assert_eq!(
        refused.body["error"]["details"]["codes"],
        json!({"dealerId": ["absence"]})
    );
    assert_eq!(world.done("GET", &path, &json!(null)).await, read);

    let removed = world.send("DELETE", "/api/Terms/1/ads", &json!(null)).await;
    assert_eq!(removed.status, StatusCode::NO_CONTENT, "{}", removed.body);
    assert_eq!(world.domains().await, [world.domain(3), world.domain(4)]);
    assert_eq!(
        world.send("GET", &path, &json!(null)).await.status,
        StatusCode::NOT_FOUND
    );
    world.assert_sound().await;
}

#[tokio::test]
async fn an_ad_is_replaced_by_what_is_given_whole() {
    let world = World::new().await;
    let path = format!("/api/Sems/{}", world.id(2));
    let missing = world.send("PUT", &path, &json!({"title": "Boots"})).await;
    assert_eq!(missing.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", missing.body);
    let fields = missing.body["error"]["details"]["codes"].as_object().unwrap().clone();
    assert!(
        fields.contains_key("position") && fields.contains_key("date"),
        "{fields:?}"
    );

    let mut whole = world.get(2).await.body;
    whole["title"] = json!("Boots");
    world.done("PUT", &path, &whole).await;
    assert_eq!(world.get(2).await.body, whole);
    let path = bulk("/api/Sems/upsertWithWhere", &json!({"domain": world.domain(2)}));
    let upserted = world.done("POST", &path, &json!({"title": "Sandals"})).await;
    assert_eq!(
        (&upserted["id"], &upserted["title"]),
        (&json!(world.id(2)), &json!("Sandals"))
    );
    world.assert_sound().await;
}

#[tokio::test]
async fn who_corrected_what_stands_in_the_audit_log() {
    let world = World::new().await;
    world
        .patch(
            0,
            &json!({"title": "Boots", "domain": "new.example", "targetUrl": null}),
        )
        .await;
    world
        .send("DELETE", &format!("/api/Sems/{}", world.id(1)), &json!(null))
        .await;
    let told = |row: u16, event: &str| format!("/api/audit?model=Sem&target={}&event={event}", world.id(row));
    let log = world.done("GET", &told(0, "change"), &json!(null)).await;
    assert_eq!(log["data"][0]["actor"]["email"], "admin@vigie.example");
    assert_eq!(
        log["data"][0]["details"],
        json!({
            "before": {"title": "Shoes", "domain": world.domain(0)},
            "after": {"title": "Boots", "domain": "new.example"},
        })
    );
    let log = world.done("GET", &told(1, "remove"), &json!(null)).await;
    assert_eq!(log["data"][0]["details"]["before"]["domain"], world.domain(1));
}

#[tokio::test]
async fn who_may_not_write_corrects_nothing() {
    let world = World::new().await;
    let ads = world.ads().await;
    for email in ["user@acme.example", "operator@vigie.example"] {
        let token = world.app.login(email).await;
        let headers = [("token", token.as_str()), ("content-type", "application/json")];
        let path = format!("/api/Sems/{}", world.id(0));
        for method in ["PATCH", "PUT", "DELETE"] {
            let body = Body::from(json!({"title": "Boots"}).to_string());
            let answer = world.app.send(method, &path, body, &headers).await;
            assert_eq!(answer.status, StatusCode::FORBIDDEN, "{email} {method}");
        }
    }
    assert_eq!(
        world.patch(9, &json!({"title": "x"})).await.status,
        StatusCode::NOT_FOUND
    );
    assert_eq!(world.ads().await, ads);
}

#[tokio::test]
async fn a_correction_that_breaks_off_after_the_store_was_changed_is_brought_to_its_end() {
    let world = World::new().await;
    world.crash_after_the_store().await;
    let path = format!("/api/Sems/{}", world.id(0));
    let broken = world.send("DELETE", &path, &json!(null)).await;
    assert_eq!(broken.status, StatusCode::INTERNAL_SERVER_ERROR);
    assert_eq!(world.ads().await.len(), 4, "the store is ahead of the ledger");
    let manifest = postgres::manifests::ManifestId(world.manifest);
    let compared = postgres::manifests::verified_between(&world.app.state.postgres, manifest, manifest).await;
    assert_eq!(compared.unwrap(), [], "and is not taken to have lost a row");

    world.app.postgres.execute("delete from crash").await;
    assert_eq!(recover(&world.stores()).await.unwrap(), 1);
    assert_eq!(recover(&world.stores()).await.unwrap(), 0);
    assert_eq!(world.ads().await.len(), 4);
    world.assert_sound().await;
}

#[tokio::test]
async fn a_correction_that_breaks_off_before_the_store_was_changed_is_brought_to_its_end_by_the_next() {
    let world = World::new().await;
    let ads = world.ads().await;
    let turn = CorrectionLock::acquire(&world.stores()).await.unwrap().unwrap();
    let mut tx = postgres::begin(&world.app.state.postgres).await.unwrap();
    let corrections = [
        Correction {
            before: ads[0].clone(),
            after: Some(AdRow {
                domain: "journaled.example".to_owned(),
                ..ads[0].clone()
            }),
        },
        Correction {
            before: ads[1].clone(),
            after: None,
        },
    ];
    turn.note(&mut tx, &corrections).await.unwrap();
    tx.commit().await.unwrap();
    drop(turn);
    assert_eq!(world.ads().await, ads);

    let answer = world.patch(4, &json!({"domain": "next.example"})).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
    let listed = [
        "journaled.example".to_owned(),
        "next.example".to_owned(),
        world.domain(2),
        world.domain(3),
    ];
    assert_eq!(world.domains().await, listed);
    world.assert_sound().await;
}

#[tokio::test]
async fn a_store_that_was_restored_from_an_older_copy_is_corrected_once_more() {
    let world = World::new().await;
    let older = world.ads().await;
    world.patch(0, &json!({"domain": "new.example"})).await;
    world
        .send("DELETE", &format!("/api/Sems/{}", world.id(1)), &json!(null))
        .await;
    let right = world.ads().await;
    let client = &world.app.state.analytics;
    ingest::delete(client, world.manifest.cast_unsigned()).await.unwrap();
    let token = BatchToken {
        batch: world.manifest.cast_unsigned(),
        epoch: 2,
    };
    ingest::insert(client, token, &older).await.unwrap();
    world
        .app
        .postgres
        .execute("update ad_correction set applied_at = null")
        .await;
    assert_eq!(recover(&world.stores()).await.unwrap(), 2);
    assert_eq!(world.ads().await, right);
    world.assert_sound().await;
}

#[tokio::test]
async fn corrections_at_the_same_time_lose_none_of_each_other() {
    let world = World::new().await;
    let (title, description, url) = (
        json!({"title": "Boots"}),
        json!({"description": "Cheap"}),
        json!({"displayUrl": "shown.example"}),
    );
    let answers = tokio::join!(
        world.patch(0, &title),
        world.patch(0, &description),
        world.patch(0, &url)
    );
    for answer in [answers.0, answers.1, answers.2] {
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
    }
    let row = world.get(0).await.body;
    assert_eq!(
        (&row["title"], &row["description"], &row["displayUrl"]),
        (&json!("Boots"), &json!("Cheap"), &json!("shown.example"))
    );
    world.assert_sound().await;
}

#[tokio::test]
async fn ads_whose_storing_is_not_settled_are_left_alone() {
    let world = World::new().await;
    let ads = world.ads().await;
    world
        .app
        .postgres
        .execute("update manifest set state = 'storing', settled_at = null")
        .await;
    let answer = world.patch(0, &json!({"title": "Boots"})).await;
    assert_eq!(answer.status, StatusCode::TOO_MANY_REQUESTS, "{}", answer.body);
    assert_eq!(world.ads().await, ads);
}

#[tokio::test]
async fn a_captured_sem_names_its_brand_and_the_dealer_of_its_domain() {
    let world = World::new().await;
    let insert = "insert into dealer (id, domain) select 901, 'shop-' || id || '-0.example' from manifest";
    world.app.postgres.execute(insert).await;
    let path = format!("/api/Sems/{}", world.id(0));
    let mut whole = world.get(0).await.body;
    whole["title"] = json!("Sandals");
    assert_eq!(world.done("PUT", &path, &whole).await, whole);
    let label: String = world.app.postgres.fetch("select label from brand where id = 1").await;
    let sem = world.get(0).await.body;
    assert_eq!((&sem["brand"], &sem["dealerId"]), (&json!(label), &json!(901)));
    assert_eq!(world.get(1).await.body["dealerId"], json!(null));
    for (condition, count) in [
        (json!({"brand": label}), ROWS),
        (json!({"dealerId": 901}), 1),
        (json!({"dealerId": {"inq": [901, 902]}}), 1),
        (json!({"dealerId": 902}), 0),
    ] {
        let counted = bulk("/api/Sems/count", &condition);
        assert_eq!(
            world.done("GET", &counted, &json!(null)).await,
            json!({"count": count}),
            "{condition}"
        );
    }
}

#[tokio::test]
async fn too_many_at_once_are_refused_and_changed_in_no_part() {
    let world = World::new().await;
    let batch = 77;
    let rows: Vec<AdRow> = (0..=1_000).map(|row| ad_of(BrandId(2), batch, row)).collect();
    let token = BatchToken { batch, epoch: 1 };
    ingest::insert(&world.app.state.analytics, token, &rows).await.unwrap();
    let path = bulk("/api/Sems/update", &json!({"brand": "2"}));
    let answer = world.send("POST", &path, &json!({"title": "Boots"})).await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{}", answer.body);
    assert!(
        answer.body["error"]["message"].as_str().unwrap().contains("1000"),
        "{}",
        answer.body
    );
    let counted = bulk("/api/Sems/count", &json!({"title": "Boots"}));
    assert_eq!(world.done("GET", &counted, &json!(null)).await, json!({"count": 0}));

    let allowed = json!({"brand": "2", "domain": {"neq": "shop-77-0.example"}});
    let path = bulk("/api/Sems/update", &allowed);
    let all = json!({"count": 1_000});
    assert_eq!(world.done("POST", &path, &json!({"title": "Boots"})).await, all);
    assert_eq!(world.done("GET", &counted, &json!(null)).await, all);
}

#[tokio::test]
async fn the_document_knows_no_state_of_a_sem_that_forbids_a_change() {
    let app = App::start().await;
    let document = app.get("/api/openapi.json", &[]).await.body;
    let answers = |path: &str, method: &str| document["paths"][path][method]["responses"].clone();
    for (path, method) in [
        ("/api/Sems/{id}", "patch"),
        ("/api/Sems/{id}", "delete"),
        ("/api/Sems/update", "post"),
        ("/api/Terms/{id}/ads/{fk}", "put"),
    ] {
        let answers = answers(path, method);
        assert!(answers["422"].is_object(), "{path}: {answers}");
        assert!(answers["409"].is_null(), "{path}: {answers}");
    }
    assert!(answers("/api/Terms/{id}", "patch")["409"].is_object());
}
