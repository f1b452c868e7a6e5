//! The mails of a case over HTTP: the conversation, drafts, sending and taking back, contacts and tickets of frames.

use std::time::Duration;

use axum::http::StatusCode;
use chrono::TimeDelta;
use postgres::case_mails::brakes::SendingLimits;
use postgres::case_mails::{self, Claim, ClaimedDelivery, DeliveryEnd, Settled};
use serde_json::{Value, json};
use vocabulary::SystemScope;

use crate::app::{App, TestResponse, settings};

const SYSTEM: SystemScope = SystemScope::new("test");
const LEASE: Duration = Duration::from_mins(40);
const LIMITS: SendingLimits = SendingLimits { daily_most: 1_000 };
/// Requested cases of two brands, each with a contact of the host and, of the first, one of the registrable domain.
const CASES: &str = "insert into dealer (id, domain) values (1, 'shop.example'), (2, 'www2.shop.example'), (3, 'other.example');
    insert into contact (email, name) values ('ann@shop.example', 'Ann'), ('bea@shop.example', null), ('eve@other.example', 'Eve');
    insert into dealer_contact (dealer_id, contact_id) values (1, 1), (2, 2), (3, 3);
    insert into action (id, domain, country, engine, status, brand_id, advertiser_id, last_status_date, requested_date, updated_date)
    select n, case n when 1 then 'www2.shop.example' else 'other.example' end, case n when 1 then 'FR' else 'GB' end, 'google', 'requested', n,
        case n when 1 then 1 else 3 end, '2026-03-01', '2026-03-01', '2026-03-01' from generate_series(1, 2) n;
    insert into action_history (action_id, status, at, is_automatic) select id, 'requested', '2026-03-01', true from action";

struct World {
    app: App,
    acme: String,
    bolt: String,
    operator: String,
}

impl World {
    async fn new() -> Self {
        let app = App::start().await;
        app.company_user("acme").await;
        app.company_user("bolt").await;
        app.operator().await;
        app.postgres.execute(CASES).await;
        Self {
            acme: app.login("user@acme.example").await,
            bolt: app.login("user@bolt.example").await,
            operator: app.login("operator@vigie.example").await,
            app,
        }
    }

    async fn call(&self, token: &str, method: &str, path: &str, body: &Value) -> TestResponse {
        let headers = [("token", token), ("content-type", "application/json")];
        let path = format!("/api/actions/{path}");
        self.app.send(method, &path, body.to_string().into(), &headers).await
    }

    async fn get(&self, token: &str, path: &str) -> TestResponse {
        self.app.get(&format!("/api/actions/{path}"), &[("token", token)]).await
    }

    /// What the operator finds in the first case.
    async fn conversation(&self) -> Value {
        let found = self.get(&self.operator, "emails?actionID=1").await;
        assert_eq!(found.status, StatusCode::OK, "{}", found.body);
        found.body["data"].clone()
    }

    async fn save(&self, version: i32, body: &str) -> TestResponse {
        let draft = json!({"version": version, "to": [1, 2], "subject": "Your ads", "body": body, "templateId": null, "language": "fr", "attachments": []});
        self.call(&self.operator, "PUT", "emails/draft?actionID=1", &draft)
            .await
    }

    async fn send(&self, body: &Value) -> TestResponse {
        self.call(&self.operator, "POST", "emails/send?actionID=1", body).await
    }

    /// A saved and sent mail.
    async fn sent(&self) -> Value {
        assert_eq!(self.save(0, "Please stop.").await.status, StatusCode::OK);
        let sent = self
            .send(&json!({"version": 1, "seen": null, "then": null, "sendAt": null}))
            .await;
        assert_eq!(sent.status, StatusCode::OK, "{}", sent.body);
        sent.body["data"].clone()
    }

    /// The deliveries that a worker claims now.
    async fn claimed(&self) -> Vec<ClaimedDelivery> {
        let (pool, now) = (&self.app.postgres.pool, self.app.state.clock.now());
        let mut claimed = Vec::new();
        for id in case_mails::due(pool, 10, now).await.unwrap() {
            let claim = async {
                loop {
                    let mut tx = postgres::begin(pool).await.unwrap();
                    let claim = case_mails::claim(&mut tx, &SYSTEM, id, (LEASE, LIMITS), now)
                        .await
                        .unwrap();
                    tx.commit().await.unwrap();
                    // A refused call keeps its locks until it is rolled back, which is after its answer.
                    match claim {
                        Claim::Gone => tokio::time::sleep(Duration::from_millis(10)).await,
                        claim => break claim,
                    }
                }
            };
            let claim = tokio::time::timeout(Duration::from_secs(10), claim).await;
            if let Claim::Mine(mail) = claim.expect("a delivery that is due is free soon") {
                claimed.push(*mail);
            }
        }
        claimed
    }

    /// Settles what is due, without anybody knowing what became of it.
    async fn lose(&self) {
        let (pool, now) = (&self.app.postgres.pool, self.app.state.clock.now());
        for mail in self.claimed().await {
            assert!(
                case_mails::begin_body(pool, &mail, "id@vigie.example", now)
                    .await
                    .unwrap()
            );
            let end = DeliveryEnd {
                settled: Settled::Unknown,
                code: None,
                text: "closed".to_owned(),
            };
            let mut tx = postgres::begin(pool).await.unwrap();
            assert!(case_mails::settle(&mut tx, &SYSTEM, &mail, &end, now).await.unwrap());
            tx.commit().await.unwrap();
        }
    }

    async fn count(&self, query: &'static str) -> i64 {
        self.app.postgres.fetch(query).await
    }
}

fn code(answer: &TestResponse) -> (StatusCode, &str) {
    (answer.status, answer.body["error"]["code"].as_str().unwrap_or_default())
}

#[tokio::test]
async fn a_draft_leaves_after_its_pause_and_the_conversation_shows_it() {
    let world = World::new().await;
    let empty = world.conversation().await;
    assert_eq!(
        (&empty["mails"], &empty["draft"], &empty["language"]),
        (&json!([]), &Value::Null, &json!("fr"))
    );
    let dealers: Vec<(&str, &str)> = empty["contacts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|contact| (contact["email"].as_str().unwrap(), contact["dealer"].as_str().unwrap()))
        .collect();
    assert_eq!(dealers, [("ann@shop.example", "master"), ("bea@shop.example", "host")]);
    let mail = world.sent().await;
    assert_eq!(
        (&mail["status"], &mail["kind"]),
        (&json!("queued"), &json!("notification"))
    );
    assert_eq!(mail["undoUntil"], json!("2026-03-02T08:00:15.000Z"));
    assert_eq!(mail["deliveries"].as_array().unwrap().len(), 2);
    assert!(world.claimed().await.is_empty(), "it can still be taken back");
    world.app.state.clock.advance(TimeDelta::seconds(15));
    world.lose().await;
    let after = world.conversation().await;
    assert_eq!(after["mails"][0]["status"], "unknown");
    assert_eq!(after["mails"][0]["undoUntil"], Value::Null);
    assert_eq!(after["mails"][0]["author"]["name"], "operator@vigie.example");
    assert_eq!(after["draft"], Value::Null);
    let status: String = world
        .app
        .postgres
        .fetch("select concat_ws(' ', status, sended_count) from action where id = 1")
        .await;
    assert_eq!(status, "inprogress 1");
    let actor: String = world
        .app
        .postgres
        .fetch("select u.email from action_history h join user_account u on u.id = h.actor_id where h.status = 'inprogress'")
        .await;
    assert_eq!(actor, "operator@vigie.example", "the author has notified");
}

#[tokio::test]
async fn a_mail_is_taken_back_until_a_worker_has_it() {
    let world = World::new().await;
    let mail = world.sent().await;
    let undo = format!("emails/{}/undo", mail["id"]);
    let back = world.call(&world.operator, "POST", &undo, &json!({})).await;
    assert_eq!(back.status, StatusCode::OK, "{}", back.body);
    assert_eq!(
        (&back.body["data"]["body"], &back.body["data"]["to"]),
        (&json!("Please stop."), &json!([1, 2]))
    );
    assert_eq!(world.conversation().await["mails"], json!([]));
    world.app.state.clock.advance(TimeDelta::minutes(1));
    assert!(world.claimed().await.is_empty());
    // The same draft again, and this time the worker is first.
    let version = back.body["data"]["version"].clone();
    let sending = json!({"version": version, "seen": null, "then": "accept", "sendAt": null});
    assert_eq!(world.send(&sending).await.status, StatusCode::OK);
    world.app.state.clock.advance(TimeDelta::seconds(15));
    assert_eq!(world.claimed().await.len(), 2);
    let late = world.call(&world.operator, "POST", &undo, &json!({})).await;
    assert_eq!(code(&late), (StatusCode::CONFLICT, "ALREADY_LEAVING"));
    let states = world
        .count("select count(*) from mail_delivery where state = 'sending'")
        .await;
    assert_eq!(states, 2, "a refusal changes nothing");
}

#[tokio::test]
async fn what_was_begun_while_a_mail_waited_is_not_lost_when_it_comes_back() {
    let world = World::new().await;
    let mail = world.sent().await;
    assert_eq!(world.save(0, "And another thing.").await.status, StatusCode::OK);
    let undo = format!("emails/{}/undo", mail["id"]);
    let back = world.call(&world.operator, "POST", &undo, &json!({})).await;
    assert_eq!(
        back.body["data"]["body"], "Please stop.\n\nAnd another thing.",
        "{}",
        back.body
    );
}

#[tokio::test]
async fn two_tabs_send_a_mail_once_and_the_older_draft_is_refused() {
    let world = World::new().await;
    assert_eq!(world.save(0, "One").await.status, StatusCode::OK);
    assert_eq!(
        code(&world.save(0, "Two").await),
        (StatusCode::CONFLICT, "DRAFT_CHANGED")
    );
    let second = world.save(1, "Three").await;
    assert_eq!(
        (&second.body["data"]["version"], second.status),
        (&json!(2), StatusCode::OK)
    );
    let stale = world.save(1, "Four").await;
    assert_eq!(code(&stale), (StatusCode::CONFLICT, "DRAFT_CHANGED"));
    assert_eq!(stale.body["error"]["details"]["draft"]["body"], "Three");
    let sending = json!({"version": 2, "seen": null, "then": null, "sendAt": null});
    let (one, other) = tokio::join!(world.send(&sending), world.send(&sending));
    let mut codes = [code(&one), code(&other)];
    codes.sort();
    assert_eq!(codes, [(StatusCode::OK, ""), (StatusCode::CONFLICT, "DRAFT_CHANGED")]);
    assert_eq!(world.count("select count(*) from mail_delivery").await, 2);
}

#[tokio::test]
async fn nothing_is_sent_that_nobody_should_get() {
    let world = World::new().await;
    let draft = json!({"version": 0, "to": [3], "subject": "{{ brand.label }}", "body": " ", "templateId": null, "language": "fr", "attachments": []});
    let saved = world
        .call(&world.operator, "PUT", "emails/draft?actionID=1", &draft)
        .await;
    assert_eq!(
        saved.body["data"]["to"],
        json!([]),
        "a contact of another advertiser: {}",
        saved.body
    );
    let sending = json!({"version": 1, "seen": null, "then": null, "sendAt": null});
    let refused = world.send(&sending).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    let fields: Vec<&String> = refused.body["error"]["details"]["messages"]
        .as_object()
        .unwrap()
        .keys()
        .collect();
    assert_eq!(fields, ["body", "subject", "to"]);
    assert_eq!(world.save(1, "Please stop.").await.status, StatusCode::OK);
    world
        .app
        .postgres
        .execute("insert into email (id, action_id, direction, status, created_date) values (900, 1, 'in', 'received', '2026-03-02T07:00:00Z')")
        .await;
    let sending = |seen: Value, then: Value| json!({"version": 2, "seen": seen, "then": then, "sendAt": null});
    let arrived = world.send(&sending(Value::Null, Value::Null)).await;
    assert_eq!(code(&arrived), (StatusCode::CONFLICT, "MAIL_ARRIVED"));
    world
        .app
        .postgres
        .execute("update action set status = 'ignored' where id = 1")
        .await;
    let ignored = world.send(&sending(json!(900), Value::Null)).await;
    assert_eq!(code(&ignored), (StatusCode::CONFLICT, "TRANSITION_NOT_ALLOWED"));
    world
        .app
        .postgres
        .execute("update action set status = 'accepted' where id = 1")
        .await;
    let accepted = world.send(&sending(json!(900), json!("accept"))).await;
    assert_eq!(code(&accepted), (StatusCode::CONFLICT, "TRANSITION_NOT_ALLOWED"));
    assert_eq!(
        world.send(&sending(json!(900), Value::Null)).await.status,
        StatusCode::OK
    );
}

#[tokio::test]
async fn a_person_says_what_became_of_an_unknown_mail() {
    for (arrived, status, counted) in [(true, "sent", 1), (false, "failed", 0)] {
        let world = World::new().await;
        let mail = world.sent().await;
        let ruling = format!("emails/{}/ruling", mail["id"]);
        let early = world
            .call(&world.operator, "POST", &ruling, &json!({"arrived": arrived}))
            .await;
        assert_eq!(early.status, StatusCode::CONFLICT);
        world.app.state.clock.advance(TimeDelta::seconds(15));
        world.lose().await;
        let ruled = world
            .call(&world.operator, "POST", &ruling, &json!({"arrived": arrived}))
            .await;
        assert_eq!(ruled.body["data"]["status"], status, "{}", ruled.body);
        assert_eq!(
            world.count("select sended_count::int8 from action where id = 1").await,
            counted
        );
        let broken = postgres::invariants::violations(
            &world.app.postgres.pool,
            chrono::DateTime::UNIX_EPOCH,
            Duration::from_hours(24),
        );
        assert_eq!(broken.await.unwrap(), [], "{status}");
    }
}

#[tokio::test]
async fn a_company_reads_its_conversations_without_contacts_and_nobody_elses() {
    let world = World::new().await;
    world.sent().await;
    world.app.state.clock.advance(TimeDelta::seconds(15));
    world.lose().await;
    world
        .app
        .postgres
        .execute(
            "insert into email (action_id, direction, status, created_date, body, email)
             values (1, 'in', 'received', '2026-03-03', 'We stop.', '{\"from\": {\"address\": \"ann@shop.example\", \"name\": \"Ann\"}}')",
        )
        .await;
    let read = world.get(&world.acme, "emails?actionID=1").await;
    assert_eq!(read.status, StatusCode::OK, "{}", read.body);
    let text = read.body.to_string();
    assert!(text.contains("We stop.") && text.contains("Please stop."), "{text}");
    for secret in ["@shop.example", "operator@", "closed", "contacts", "siblings"] {
        assert!(!text.contains(secret), "{secret}: {text}");
    }
    assert_eq!(
        world.get(&world.bolt, "emails?actionID=1").await.status,
        StatusCode::NOT_FOUND
    );
    let mail = world.count("select min(id)::int8 from email").await;
    for (method, path, body) in [
        (
            "PUT",
            "emails/draft?actionID=1".to_owned(),
            json!({"version": 0, "to": [], "subject": "", "body": "", "language": "fr"}),
        ),
        ("DELETE", "emails/draft?actionID=1".to_owned(), json!({})),
        ("POST", "emails/send?actionID=1".to_owned(), json!({"version": 1})),
        ("POST", format!("emails/{mail}/undo"), json!({})),
        ("POST", format!("emails/{mail}/ruling"), json!({"arrived": true})),
        ("GET", "contacts?actionID=1".to_owned(), json!({})),
        (
            "POST",
            "contacts?actionID=1".to_owned(),
            json!({"email": "new@shop.example"}),
        ),
        (
            "PATCH",
            "contacts/1?actionID=1".to_owned(),
            json!({"state": "inactive"}),
        ),
        ("POST", "emails/ticket?actionID=1".to_owned(), json!({})),
    ] {
        let own = world.call(&world.acme, method, &path, &body).await;
        assert_eq!(own.status, StatusCode::FORBIDDEN, "{method} {path}: {}", own.body);
        let other = world.call(&world.bolt, method, &path, &body).await;
        assert_eq!(other.status, StatusCode::NOT_FOUND, "{method} {path}: {}", other.body);
    }
}

#[tokio::test]
async fn contacts_are_added_and_switched_off_in_their_case_alone() {
    let world = World::new().await;
    let wrong = world
        .call(
            &world.operator,
            "POST",
            "contacts?actionID=1",
            &json!({"email": "nobody"}),
        )
        .await;
    assert_eq!(wrong.status, StatusCode::UNPROCESSABLE_ENTITY);
    let new = json!({"email": "legal@shop.example", "name": "Lea"});
    let added = world.call(&world.operator, "POST", "contacts?actionID=1", &new).await;
    let added = added.body["data"].as_array().unwrap();
    let lea = added.iter().find(|contact| contact["name"] == "Lea").unwrap();
    assert_eq!((&lea["state"], &lea["dealer"]), (&json!("active"), &json!("master")));
    let path = format!("contacts/{}?actionID=1", lea["id"]);
    let off = world
        .call(&world.operator, "PATCH", &path, &json!({"state": "inactive"}))
        .await;
    let off = off.body["data"].as_array().unwrap().clone();
    assert_eq!(off.last().unwrap()["state"], "inactive", "after the active ones");
    let strange = world
        .call(
            &world.operator,
            "PATCH",
            "contacts/3?actionID=1",
            &json!({"state": "inactive"}),
        )
        .await;
    assert_eq!(strange.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_ticket_of_a_frame_opens_the_mails_of_its_case_for_five_minutes() {
    let world = World::new().await;
    let made = world
        .call(&world.operator, "POST", "emails/ticket?actionID=1", &json!({}))
        .await;
    let ticket = made.body["data"]["token"].as_str().unwrap().to_owned();
    assert_eq!(world.get(&ticket, "emails?actionID=1").await.status, StatusCode::OK);
    assert_eq!(
        world.get(&ticket, "emails?actionID=2").await.status,
        StatusCode::NOT_FOUND
    );
    assert_eq!(world.get(&ticket, "detail/1").await.status, StatusCode::UNAUTHORIZED);
    let more = world
        .call(&ticket, "POST", "emails/ticket?actionID=1", &json!({}))
        .await;
    assert_eq!(more.status, StatusCode::UNAUTHORIZED, "it makes no other");
    let mail = world.sent().await;
    let stored: i64 = world
        .count("select count(*) from access_token where sha256 is not null and ttl = 300")
        .await;
    assert_eq!(stored, 1);
    world
        .app
        .postgres
        .execute("insert into email (id, action_id, direction, status, author_id, created_date) select 800, 2, 'out', 'queued', id, now() from user_account limit 1")
        .await;
    let other = world.call(&ticket, "POST", "emails/800/undo", &json!({})).await;
    assert_eq!(other.status, StatusCode::NOT_FOUND);
    let own = world
        .call(&ticket, "POST", &format!("emails/{}/undo", mail["id"]), &json!({}))
        .await;
    assert_eq!(own.status, StatusCode::OK, "{}", own.body);
    world.app.state.clock.advance(TimeDelta::minutes(5));
    assert_eq!(
        world.get(&ticket, "emails?actionID=1").await.status,
        StatusCode::UNAUTHORIZED
    );
}

#[tokio::test]
async fn the_files_of_a_draft_are_its_authors_until_it_leaves() {
    let world = World::new().await;
    let sha256 = world.app.state.blobs.put(b"proof".to_vec()).await.unwrap();
    let owner: i32 = world
        .app
        .postgres
        .fetch("select id from user_account where email like 'operator%'")
        .await;
    let file = vocabulary::FileId(uuid::Uuid::new_v4());
    let new = postgres::files::NewFile {
        id: file,
        name: "proof.txt",
        mime_type: "text/plain",
        sha256: &sha256,
        bytes: 5,
        used_as: postgres::files::Use::Attachment,
    };
    postgres::files::create(&world.app.postgres.pool, vocabulary::UserId(owner), &new)
        .await
        .unwrap();
    let draft = |version: i32, files: Value| json!({"version": version, "to": [1], "subject": "Your ads", "body": "See.", "templateId": null, "language": "fr", "attachments": files});
    let path = "emails/draft?actionID=1";
    let strange = draft(0, json!([uuid::Uuid::new_v4()]));
    let strange = world.call(&world.operator, "PUT", path, &strange).await;
    assert_eq!(strange.status, StatusCode::UNPROCESSABLE_ENTITY);
    let saved = world
        .call(&world.operator, "PUT", path, &draft(0, json!([file.0])))
        .await;
    let kept = saved.body["data"]["attachments"][0].clone();
    assert_eq!(
        (&kept["name"], &kept["bytes"]),
        (&json!("proof.txt"), &json!(5)),
        "{}",
        saved.body
    );
    let again = world
        .call(&world.operator, "PUT", path, &draft(1, json!([kept["id"]])))
        .await;
    assert_eq!(again.body["data"]["attachments"][0], kept);
    let href = kept["href"].as_str().unwrap();
    let read = world.app.get(href, &[("token", &world.operator)]).await;
    assert_eq!(read.bytes, b"proof");
    assert_eq!(
        world.app.get(href, &[("token", &world.acme)]).await.status,
        StatusCode::NOT_FOUND,
        "a draft"
    );
    let sending = json!({"version": 2, "seen": null, "then": null, "sendAt": null});
    assert_eq!(world.send(&sending).await.status, StatusCode::OK);
    assert_eq!(world.app.get(href, &[("token", &world.acme)]).await.bytes, b"proof");
    assert_eq!(
        world.app.get(href, &[("token", &world.bolt)]).await.status,
        StatusCode::NOT_FOUND
    );
}

#[tokio::test]
async fn a_mail_that_is_followed_says_when_it_was_perhaps_opened_and_nothing_of_its_reader() {
    let mut world = World::new().await;
    world.sent().await;
    world.app.state.clock.advance(TimeDelta::minutes(1));
    let [first, _] = &world.claimed().await[..] else {
        panic!("two deliveries")
    };
    let (pool, now) = (world.app.postgres.pool.clone(), world.app.state.clock.now());
    let token = case_mails::open_token(&pool, first).await.unwrap().unwrap();
    assert_eq!(
        case_mails::open_token(&pool, first).await.unwrap().as_ref(),
        Some(&token)
    );
    assert!(
        case_mails::begin_body(&pool, first, "id@vigie.example", now)
            .await
            .unwrap()
    );
    let picture = format!("/api/Emails/opened/{token}");
    // Switched off, which it is unless somebody wants it.
    assert_eq!(world.app.get(&picture, &[]).await.status, StatusCode::NOT_FOUND);
    assert_eq!(world.count("select count(opened_at) from mail_delivery").await, 0);
    let mut settings = settings();
    settings.actions.open_pixel = true;
    world.app.set(settings);
    for path in ["/api/Emails/opened/none", &picture, &picture] {
        let loaded = world
            .app
            .open(path, &[("user-agent", "Mail"), ("x-forwarded-for", "192.0.2.7")])
            .await;
        assert_eq!(loaded.status(), StatusCode::OK, "{path}");
        assert_eq!(loaded.headers()["content-type"], "image/gif");
        assert_eq!(loaded.headers().get("set-cookie"), None);
    }
    assert_eq!(world.count("select count(opened_at) from mail_delivery").await, 1);
    let events: Value = world
        .app
        .postgres
        .fetch("select events from email where kind is not null")
        .await;
    let opened: Vec<&Value> = events
        .as_array()
        .unwrap()
        .iter()
        .filter(|event| event["event"] == "opened")
        .collect();
    assert_eq!(opened.len(), 1, "{events}");
    let keys: Vec<&String> = opened[0].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["date", "event"], "nothing of the reader");
    let deliveries = &world.conversation().await["mails"][0]["deliveries"];
    assert!(deliveries[0]["openedAt"].is_string(), "{deliveries}");
    assert_eq!(deliveries[1]["openedAt"], Value::Null);
}

#[tokio::test]
async fn another_dashboard_may_have_the_mails_of_staff() {
    let mut world = World::new().await;
    let page = async |world: &World, token: &str| {
        let found = world.get(token, "detail/1").await;
        assert_eq!(found.status, StatusCode::OK, "{}", found.body);
        found.body["data"]["mailsPage"].clone()
    };
    assert_eq!(page(&world, &world.operator).await, Value::Null);
    let mut settings = settings();
    settings.frames.legacy_dashboard_url = Some("https://legacy.example/app/".parse().unwrap());
    world.app.set(settings);
    assert_eq!(
        page(&world, &world.operator).await,
        "https://legacy.example/app/action/operator/list/1/embedded/true"
    );
    assert_eq!(page(&world, &world.acme).await, Value::Null, "its ticket is for staff");
}
