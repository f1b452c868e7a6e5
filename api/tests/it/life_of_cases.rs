//! The life of a case over HTTP: who may do what, what a refusal has, what comes next, notes, owners and pauses.

use axum::http::StatusCode;
use chrono::TimeDelta;
use serde_json::{Value, json};

use crate::app::TestResponse;
use crate::seen::Market;

const LIST: &str = "/api/actions";
/// Reminders of the first brand every ten days, and somebody to write to about every other advertiser.
const REMINDERS: &str =
    "update brand set reminder = '{\"autoReminder\": true, \"frequency\": 10, \"quota\": 2}' where id = 1;
    insert into contact (email, notes) values ('legal@one.example', 'likes calls');
    insert into dealer_contact (dealer_id, contact_id) select id, 1 from dealer where domain = 'one.example'";

struct World {
    seen: Market,
    acme: String,
    bolt: String,
    admin: String,
    operator: String,
    /// Of acme's, against www2.one.example in France.
    case: i64,
}

impl World {
    async fn new() -> Self {
        let seen = Market::new().await;
        seen.app.postgres.execute(REMINDERS).await;
        let case = "select id::int8 from action where brand_id = 1 and domain = 'www2.one.example' and country = 'FR'";
        Self {
            acme: seen.app.login("user@acme.example").await,
            bolt: seen.app.login("user@bolt.example").await,
            admin: seen.app.login("admin@vigie.example").await,
            operator: seen.app.login("operator@vigie.example").await,
            case: seen.app.postgres.fetch(case).await,
            seen,
        }
    }

    async fn get(&self, token: &str, path: &str) -> TestResponse {
        self.seen.app.get(path, &[("token", token)]).await
    }

    async fn found(&self, token: &str, path: &str) -> Value {
        let answer = self.get(token, path).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.body);
        answer.body
    }

    async fn detail(&self, token: &str) -> Value {
        self.found(token, &format!("{LIST}/detail/{}", self.case)).await["data"].clone()
    }

    async fn post(&self, token: &str, path: &str, body: &Value) -> TestResponse {
        self.seen.app.post(path, body, &[("token", token)]).await
    }

    /// Sends a link of the case.
    async fn act(&self, token: &str, path: &str) -> TestResponse {
        self.post(token, &format!("{LIST}/{path}"), &json!({"actionID": self.case}))
            .await
    }

    /// The same, which must succeed.
    async fn acted(&self, token: &str, path: &str) -> Value {
        let answer = self.act(token, path).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.body);
        answer.body["data"].clone()
    }
}

fn names(case: &Value) -> Vec<&str> {
    case["links"].as_object().unwrap().keys().map(String::as_str).collect()
}

#[tokio::test]
async fn staff_moves_a_case_along_the_links_that_it_is_offered() {
    let world = World::new().await;
    let moves = [
        ("inprogress", "inprogress", "inprogressDate"),
        ("refuse", "refused", "refusedDate"),
        ("accept", "accepted", "acceptedDate"),
        ("refuse", "refused", "refusedDate"),
        ("block", "blocked", "blockedDate"),
        ("forceReminder", "inprogress", "inprogressDate"),
        ("ignore", "ignored", "ignoredDate"),
        ("cancelIgnore", "new", "createdDate"),
    ];
    for (link, status, date) in moves {
        world.seen.app.state.clock.advance(TimeDelta::minutes(1));
        let offered = world.detail(&world.operator).await["links"][link].clone();
        let href = offered["href"]
            .as_str()
            .unwrap_or_else(|| panic!("{link} is not offered"));
        assert_eq!(offered["method"], "POST");
        let reply = world.post(&world.operator, href, &json!({})).await;
        assert_eq!(reply.status, StatusCode::OK, "{link}: {}", reply.body);
        let after = &reply.body["data"];
        assert_eq!(after["status"], status, "{link}");
        let last = after["history"].as_array().unwrap().last().unwrap().clone();
        assert_eq!(
            (&last["status"], &last["date"]),
            (&json!(status), &after["lastStatusDate"])
        );
        if status != "new" {
            assert_eq!(after[date], after["lastStatusDate"], "{link}");
        }
    }
    let case = world.detail(&world.admin).await;
    let blocked = &case["metas"]["blockedReason"];
    assert_eq!(blocked[0]["reason"], "manually_blocked");
    assert_eq!(blocked[0]["date"], case["blockedDate"]);
    assert_eq!(case["history"].as_array().unwrap().len(), 1 + moves.len());
    assert_eq!(case["history"][0]["actor"], Value::Null, "Vigie has found it");
    assert_eq!(case["history"][1]["actor"]["name"], "operator@vigie.example");
    let for_company = world.detail(&world.acme).await;
    assert_eq!(
        for_company["history"][1]["actor"],
        json!({"kind": "staff", "name": null, "as": null})
    );
}

#[tokio::test]
async fn a_company_user_is_refused_what_staff_does_and_nothing_is_said_of_others_cases() {
    let world = World::new().await;
    for link in ["accept", "refuse", "inprogress", "block", "forceReminder"] {
        assert_eq!(
            world.act(&world.acme, link).await.status,
            StatusCode::FORBIDDEN,
            "{link}"
        );
        assert_eq!(
            world.act(&world.bolt, link).await.status,
            StatusCode::NOT_FOUND,
            "{link}"
        );
    }
    for path in ["assign", "pause"] {
        let body = json!({"actionID": world.case, "ownerId": null, "until": null});
        let path = format!("{LIST}/{path}");
        assert_eq!(
            world.post(&world.acme, &path, &body).await.status,
            StatusCode::FORBIDDEN
        );
        assert_eq!(
            world.post(&world.bolt, &path, &body).await.status,
            StatusCode::NOT_FOUND
        );
    }
    let path = format!("{LIST}/detail/{}", world.case);
    assert_eq!(world.get(&world.bolt, &path).await.status, StatusCode::NOT_FOUND);
    assert_eq!(
        world.get(&world.admin, &format!("{LIST}/detail/999999")).await.status,
        StatusCode::NOT_FOUND
    );
    let offered = world.detail(&world.acme).await;
    assert!(
        !names(&offered)
            .iter()
            .any(|name| ["accept", "refuse", "block", "assign"].contains(name))
    );
    assert!(names(&offered).contains(&"addNote"));
}

#[tokio::test]
async fn a_refused_change_answers_the_case_as_it_is() {
    let world = World::new().await;
    world.acted(&world.operator, "accept").await;
    let refused = world.act(&world.acme, "requested").await;
    assert_eq!(refused.status, StatusCode::CONFLICT, "{}", refused.body);
    assert_eq!(refused.body["error"]["code"], "TRANSITION_NOT_ALLOWED");
    assert_eq!(refused.body["data"]["status"], "accepted");
    assert_eq!(refused.body["data"]["history"][1]["status"], "accepted");
    assert!(names(&refused.body["data"]).contains(&"getNotes"));

    let others = world.found(&world.acme, &format!("{LIST}?status[]=new")).await;
    let group = [world.case, others["data"][0]["id"].as_i64().unwrap()];
    let path = format!("{LIST}/requested");
    let refused = world.post(&world.acme, &path, &json!({"actionID": group})).await;
    assert_eq!(refused.status, StatusCode::CONFLICT);
    let unfit = refused.body["data"].as_array().unwrap();
    assert_eq!(unfit.len(), 1, "only what does not fit");
    assert_eq!(unfit[0]["id"], world.case);

    // Nobody could be written to: the guard refuses like the table.
    let mut nobody = others["data"].as_array().unwrap().iter();
    let nobody = nobody.find(|row| row["master"] == "two.example").unwrap()["id"].clone();
    let body = json!({"actionID": nobody});
    let marked = world.post(&world.operator, &format!("{LIST}/inprogress"), &body).await;
    assert_eq!(marked.status, StatusCode::OK);
    assert!(!names(&marked.body["data"]).contains(&"forceReminder"));
    let forced = world
        .post(&world.operator, &format!("{LIST}/forceReminder"), &body)
        .await;
    assert_eq!(forced.status, StatusCode::CONFLICT);
}

#[tokio::test]
async fn of_eight_that_change_a_case_at_once_one_wins_and_the_others_see_what_it_did() {
    let world = World::new().await;
    let all = futures::future::join_all((0..8).map(|n| {
        let path = if n % 2 == 0 { "requested" } else { "ignored" };
        world.act(&world.acme, path)
    }));
    let answers = all.await;
    let (won, lost): (Vec<_>, Vec<_>) = answers.iter().partition(|answer| answer.status == StatusCode::OK);
    assert_eq!((won.len(), lost.len()), (1, 7));
    for answer in lost {
        assert_eq!(answer.status, StatusCode::CONFLICT);
        assert_eq!(answer.body["data"]["status"], won[0].body["data"]["status"]);
    }
    assert_eq!(world.detail(&world.acme).await["history"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn what_comes_next_is_what_the_reminder_run_will_do() {
    let world = World::new().await;
    let next = async || world.detail(&world.acme).await["next"].clone();
    assert_eq!(next().await["code"], "nothing");
    let marked = world.acted(&world.operator, "inprogress").await;
    // Notified on the second of March; ten days later, at seven in Paris.
    assert_eq!(marked["waiting"], true);
    assert_eq!(marked["next"]["code"], "block");
    assert_eq!(marked["next"]["date"], "2026-03-12T06:00:00.000Z");
    assert_eq!(marked["next"]["params"]["reason"], "manually_notified_delay_passed");
    let forced = world.acted(&world.operator, "forceReminder").await;
    assert_eq!(forced["next"]["code"], "notification");
    assert!(!names(&forced).contains(&"forceReminder"), "a cycle runs");
    world
        .seen
        .app
        .postgres
        .execute("update action set notified_manually = false, cycle_reminders = 1")
        .await;
    let reminder = json!({
        "code": "reminder", "date": "2026-03-12T06:00:00.000Z",
        "params": {"number": 2, "quota": 2, "reason": null, "paused": false},
    });
    assert_eq!(next().await, reminder);

    let pause = format!("{LIST}/pause");
    let body = json!({"actionID": world.case, "until": "2026-04-01"});
    let paused = world.post(&world.operator, &pause, &body).await;
    assert_eq!(paused.status, StatusCode::OK, "{}", paused.body);
    assert_eq!(paused.body["data"]["pausedUntil"], "2026-04-01");
    assert_eq!(
        paused.body["data"]["next"]["date"], "2026-04-01T05:00:00.000Z",
        "after the clocks went forward"
    );
    assert_eq!(paused.body["data"]["next"]["params"]["paused"], true);
    for until in ["2026-03-02", "2027-12-01"] {
        let body = json!({"actionID": world.case, "until": until});
        let refused = world.post(&world.operator, &pause, &body).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{until}");
    }
    let body = json!({"actionID": world.case});
    assert_eq!(
        world.post(&world.operator, &pause, &body).await.status,
        StatusCode::BAD_REQUEST
    );
    let resumed = world
        .post(&world.operator, &pause, &json!({"actionID": world.case, "until": null}))
        .await;
    assert_eq!(resumed.body["data"]["next"], reminder);
    world.acted(&world.operator, "accept").await;
    let body = json!({"actionID": world.case, "until": "2026-04-01"});
    let refused = world.post(&world.operator, &pause, &body).await;
    assert_eq!(refused.status, StatusCode::CONFLICT);
    assert_eq!(refused.body["data"]["status"], "accepted");
}

#[tokio::test]
async fn a_case_is_shown_whole() {
    let world = World::new().await;
    let case = world.detail(&world.operator).await;
    let keys = "ID id domain country engine status waiting priority lastView createdDate updatedDate requestedDate inprogressDate acceptedDate \
         refusedDate ignoredDate remindedDate blockedDate advertiserID brand brandId receivedCount sendedCount remindedCount unreadCount \
         history metas links presence note emails dealer next owner pausedUntil";
    for key in keys.split(' ') {
        assert!(case.get(key).is_some(), "{key}");
    }
    assert_eq!(case["brand"]["label"], "acme");
    assert_eq!(case["brand"]["createShoppingNotification"], true);
    assert_eq!(case["dealer"]["domain"], "one.example");
    let ads = case["links"]["getAdvertisements"]["href"].as_str().unwrap();
    for (kind, count) in [("ads", "countAdvertisement"), ("shopping", "countShopping")] {
        let shown = world.found(&world.acme, &format!("{ads}&type={kind}")).await;
        let shown = shown.as_array().unwrap();
        assert!(
            shown.len() <= 5 && shown.iter().all(|ad| ad["domain"] == "www2.one.example"),
            "{shown:?}"
        );
        let href = case["links"]["countAdvertisements"]["href"].as_str().unwrap();
        let counted = world.found(&world.acme, href).await[count].as_u64().unwrap();
        assert_eq!(counted.min(5), shown.len() as u64, "{kind}");
    }
    assert_eq!(
        world
            .found(&world.acme, case["links"]["getTags"]["href"].as_str().unwrap())
            .await,
        json!([])
    );

    world
        .seen
        .app
        .postgres
        .execute("insert into email (action_id, subject, status) select id, 'Your ads', 'draft' from action")
        .await;
    assert_eq!(world.detail(&world.operator).await["emails"][0]["subject"], "Your ads");
    assert_eq!(world.detail(&world.acme).await["emails"], json!([]));
}

#[tokio::test]
async fn notes_reach_as_far_as_their_subject_and_never_another_company() {
    let world = World::new().await;
    let app = &world.seen.app;
    // Bolt watches the brand, too, and has cases of its own against the same advertiser.
    let case = world.detail(&world.acme).await;
    let abroad = "select id::int8 from action where brand_id = 1 and domain = 'one.example' and country = 'BE'";
    let abroad: i64 = app.postgres.fetch(abroad).await;
    let of_bolt = "select id::int8 from action where brand_id = 2 and domain = 'www2.one.example' limit 1";
    let of_bolt: i64 = app.postgres.fetch(of_bolt).await;
    for (add, text) in [
        ("addNote", "on the case"),
        ("advertiserAddNote", "on the advertiser"),
        ("brandAdvertiserAddNote", "on all countries"),
    ] {
        let href = case["links"][add]["href"].as_str().unwrap();
        let written = world
            .post(&world.acme, href, &json!({"message": format!(" {text} ")}))
            .await;
        assert_eq!(written.status, StatusCode::OK, "{}", written.body);
        assert_eq!(written.body["data"][0]["message"], text);
        for message in ["  ", &"n".repeat(5_001)] {
            let refused = world.post(&world.acme, href, &json!({"message": message})).await;
            assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
        }
        assert_eq!(
            world
                .post(&world.bolt, href, &json!({"message": "theirs"}))
                .await
                .status,
            StatusCode::NOT_FOUND
        );
    }
    let read = async |token: &str, path: &str, id: i64| {
        let found = world.found(token, &format!("{LIST}/{path}?actionID={id}")).await;
        let found = found["data"].as_array().unwrap().iter();
        found
            .map(|note| note["message"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    for (path, here, elsewhere) in [
        ("notes", vec!["on the case"], vec![]),
        ("advertiserNotes", vec!["on the advertiser"], vec![]),
        (
            "brandAdvertiserNotes",
            vec!["on all countries"],
            vec!["on all countries"],
        ),
    ] {
        assert_eq!(read(&world.acme, path, world.case).await, here, "{path}");
        assert_eq!(read(&world.operator, path, abroad).await, elsewhere, "{path}");
        assert_eq!(read(&world.bolt, path, of_bolt).await, Vec::<String>::new(), "{path}");
        let foreign = world
            .get(&world.bolt, &format!("{LIST}/{path}?actionID={}", world.case))
            .await;
        assert_eq!(foreign.status, StatusCode::NOT_FOUND, "{path}");
    }

    app.postgres
        .execute("insert into brand_company_account (brand_id, company_account_id) values (1, 2)")
        .await;
    let href = case["links"]["addNote"]["href"].as_str().unwrap();
    world
        .post(&world.operator, href, &json!({"message": "of the staff"}))
        .await;
    assert_eq!(
        read(&world.bolt, "notes", world.case).await,
        ["of the staff"],
        "not those of acme"
    );
    assert_eq!(
        read(&world.acme, "notes", world.case).await,
        ["on the case", "of the staff"]
    );

    let notes = world
        .found(&world.acme, &format!("{LIST}/notes?actionID={}", world.case))
        .await;
    assert_eq!(notes["data"][0]["user"], json!({"firstname": null, "lastname": null}));
    assert_eq!(notes["data"][0]["createdDate"], notes["data"][0]["updatedDate"]);
    app.postgres
        .execute("delete from user_account where email = 'user@acme.example'")
        .await;
    let notes = world
        .found(&world.admin, &format!("{LIST}/notes?actionID={}", world.case))
        .await;
    assert_eq!(notes["data"][0]["user"], Value::Null);
}

#[tokio::test]
async fn notes_on_all_countries_are_offered_where_there_are_several() {
    let world = World::new().await;
    world
        .seen
        .app
        .postgres
        .execute("delete from action where country <> 'FR'")
        .await;
    let case = world.detail(&world.acme).await;
    assert!(names(&case).contains(&"advertiserGetNotes"));
    assert!(!names(&case).contains(&"brandAdvertiserGetNotes"));
    let path = format!("{LIST}/brandAdvertiserNotes?actionID={}", world.case);
    assert_eq!(world.get(&world.acme, &path).await.status, StatusCode::NOT_FOUND);
    world
        .seen
        .app
        .postgres
        .execute("update action set advertiser_id = null")
        .await;
    let case = world.detail(&world.acme).await;
    assert!(!names(&case).contains(&"advertiserGetNotes"));
    assert!(names(&case).contains(&"getNotes"));
}

#[tokio::test]
async fn the_comment_of_a_notification_becomes_a_note() {
    let world = World::new().await;
    let path = format!("{LIST}/inprogress");
    let by_mail = json!({"actionID": world.case, "manual": false});
    let refused = world.post(&world.operator, &path, &by_mail).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    let body = json!({"actionID": [world.case], "comments": "by telephone", "manual": true});
    let marked = world.post(&world.operator, &path, &body).await;
    assert_eq!(marked.status, StatusCode::OK, "{}", marked.body);
    assert_eq!(marked.body["data"][0]["status"], "inprogress");
    let notes = world
        .found(&world.acme, &format!("{LIST}/notes?actionID={}", world.case))
        .await;
    assert_eq!(notes["data"][0]["message"], "by telephone");
    let again = world.post(&world.operator, &path, &body).await;
    assert_eq!(again.status, StatusCode::CONFLICT);
    let notes = world
        .found(&world.acme, &format!("{LIST}/notes?actionID={}", world.case))
        .await;
    assert_eq!(
        notes["data"].as_array().unwrap().len(),
        1,
        "a refused change notes nothing"
    );
}

#[tokio::test]
async fn staff_gives_cases_an_owner_and_sees_who_has_how_many() {
    let world = World::new().await;
    let app = &world.seen.app;
    let operator: i64 = app
        .postgres
        .fetch("select id::int8 from user_account where email like 'operator@%'")
        .await;
    let acme: i64 = app
        .postgres
        .fetch("select id::int8 from user_account where email like 'user@acme%'")
        .await;
    let assign = async |owner: Value| {
        let body = json!({"actionID": world.case, "ownerId": owner});
        world.post(&world.admin, &format!("{LIST}/assign"), &body).await
    };
    assert_eq!(assign(json!(acme)).await.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(assign(json!("x")).await.status, StatusCode::BAD_REQUEST);
    let assigned = assign(json!(operator)).await;
    assert_eq!(assigned.status, StatusCode::OK, "{}", assigned.body);
    let owner = json!({"id": operator, "name": "operator@vigie.example"});
    assert_eq!(assigned.body["data"]["owner"], owner);
    world.acted(&world.acme, "requested").await;
    assert_eq!(
        world.detail(&world.acme).await["owner"],
        Value::Null,
        "companies do not see staff"
    );

    let ids = async |token: &str, owner: &str| {
        let page = world
            .found(token, &format!("{LIST}?owner[]={owner}&noPaging=true"))
            .await;
        let rows = page["data"].as_array().unwrap().iter();
        rows.map(|row| row["id"].as_i64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(ids(&world.operator, "me").await, [world.case]);
    assert_eq!(ids(&world.admin, &operator.to_string()).await, [world.case]);
    assert_eq!(ids(&world.admin, "me").await, Vec::<i64>::new());
    assert!(!ids(&world.admin, "none").await.contains(&world.case));
    let refused = world.get(&world.acme, &format!("{LIST}?owner[]=me")).await;
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);

    let loads = world.found(&world.operator, &format!("{LIST}/workload")).await;
    let loads = loads["data"].as_array().unwrap();
    let owners: Vec<&Value> = loads.iter().map(|load| &load["owner"]["name"]).collect();
    assert_eq!(
        owners,
        [
            &json!("admin@vigie.example"),
            &json!("operator@vigie.example"),
            &Value::Null
        ]
    );
    assert_eq!((&loads[0]["requested"], &loads[1]["requested"]), (&json!(0), &json!(1)));
    assert_eq!(assign(Value::Null).await.body["data"]["owner"], Value::Null);

    let log = world.found(&world.admin, "/api/audit?model=Action").await;
    let changes = log["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["details"].clone());
    let expected = [
        json!({"before": {"ownerId": operator}, "after": {"ownerId": null}}),
        json!({"before": {"ownerId": null}, "after": {"ownerId": operator}}),
    ];
    assert_eq!(changes.collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn the_audit_log_has_each_owner_that_parallel_requests_replaced() {
    const REQUESTS: usize = 20;
    let world = World::new().await;
    let database = &world.seen.app.postgres;
    let admin: i64 = database
        .fetch("select id::int8 from user_account where email like 'admin@%'")
        .await;
    let operator: i64 = database
        .fetch("select id::int8 from user_account where email like 'operator@%'")
        .await;
    let owners = [Some(admin), Some(operator), None];
    let assigned = futures::future::join_all((0..REQUESTS).map(|request| {
        let body = json!({"actionID": world.case, "ownerId": owners[request % owners.len()]});
        let world = &world;
        async move { world.post(&world.admin, &format!("{LIST}/assign"), &body).await.status }
    }))
    .await;
    assert_eq!(assigned, [StatusCode::OK; REQUESTS]);

    let log = world.found(&world.admin, "/api/audit?model=Action&limit=100").await;
    let newest_first = log["data"].as_array().unwrap();
    assert_eq!(newest_first.len(), REQUESTS);
    let mut owner = Value::Null;
    for entry in newest_first.iter().rev() {
        assert_eq!(entry["details"]["before"]["ownerId"], owner);
        owner = entry["details"]["after"]["ownerId"].clone();
    }
}

#[tokio::test]
async fn the_list_tells_whose_turn_it_is_and_what_is_unread() {
    let world = World::new().await;
    world.acted(&world.operator, "inprogress").await;
    let ids = async |query: &str| {
        let page = world.found(&world.operator, &format!("{LIST}{query}")).await;
        let rows = page["data"].as_array().unwrap().iter();
        rows.map(|row| row["id"].as_i64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(ids("?waiting[]=true").await, [world.case]);
    assert_eq!(ids("?waiting[]=false").await, Vec::<i64>::new());
    world
        .seen
        .app
        .postgres
        .execute(
            "update action set waiting = false where status = 'inprogress';
             update action set priority = 50;
             update action set received_count = 1, unread_count = 1 where id in (1, 2, 3);
             update action set priority = 90 where id = 3;
             insert into email (action_id, status, received_date)
             values (1, 'received', '2026-03-01T10:00:00Z'), (2, 'received', '2026-03-01T09:00:00Z'), (3, 'received', '2026-03-01T11:00:00Z')",
        )
        .await;
    assert_eq!(ids("?waiting[]=false").await, [world.case]);
    assert_eq!(ids("/todo").await, [3, 2, 1], "by priority, then what waits longest");
    world
        .seen
        .app
        .postgres
        .execute("update action set status = 'ignored' where id = 2")
        .await;
    let todo = world.found(&world.operator, &format!("{LIST}/todo?page[size]=1")).await;
    assert_eq!(
        (&todo["meta"]["page"]["total"], &todo["data"][0]["unreadCount"]),
        (&json!(2), &json!(1))
    );
    assert!(
        todo["links"]["next"]
            .as_str()
            .unwrap()
            .starts_with("/api/actions/todo?")
    );
    let advertiser = world.detail(&world.operator).await["advertiserID"].clone();
    let of_advertiser = format!("?advertiserID[]={advertiser}&noPaging=true&sortBy=-lastStatusDate");
    let page = world.found(&world.operator, &format!("{LIST}{of_advertiser}")).await;
    let rows = page["data"].as_array().unwrap();
    assert!(rows.len() > 2 && rows.iter().all(|row| row["advertiserID"] == advertiser));
    assert_eq!(rows[0]["id"], world.case, "its status changed last");
}

#[tokio::test]
async fn notes_on_advertisers_and_their_contacts_are_for_staff() {
    const NOTE: &str = "likes calls";
    let world = World::new().await;
    let app = &world.seen.app;
    app.postgres
        .execute("update dealer set note = 'likes calls' where domain = 'one.example'")
        .await;
    let dealer: i64 = app
        .postgres
        .fetch("select id::int8 from dealer where domain = 'one.example'")
        .await;
    let noted = "filter={%22where%22:{%22note%22:%22likes%20calls%22}}";
    let with_contacts = "filter={%22include%22:%22contacts%22}";
    let by_note = "filter={%22order%22:%22note%20DESC%22,%22limit%22:1}";
    let paths = [
        format!("/api/Dealers/{dealer}"),
        "/api/Dealers".to_owned(),
        format!("/api/Dealers?{with_contacts}"),
        format!("/api/Dealers/{dealer}/contacts"),
        "/api/Dealers/export".to_owned(),
        format!("/api/Actions/{}/dealer", world.case),
        format!("/api/Dealers?{noted}"),
    ];
    for path in &paths {
        let (status, body) = app.text("GET", path, "", &[("token", &world.acme)]).await;
        assert_eq!(status, StatusCode::OK, "{path}: {body}");
        assert!(!body.contains(NOTE), "{path}: {body}");
        let (_, body) = app.text("GET", path, "", &[("token", &world.operator)]).await;
        assert!(body.contains(NOTE), "{path}: {body}");
    }
    // Nor can they be found out by asking.
    let count = async |token: &str| {
        let path = "/api/Dealers/count?where={%22note%22:{%22like%22:%22likes%25%22}}";
        world.found(token, path).await["count"].clone()
    };
    assert_eq!(
        (count(&world.acme).await, count(&world.operator).await),
        (json!(0), json!(1))
    );
    let first = async |token: &str| {
        let path = format!("/api/Dealers?{}", by_note.replace("DESC", "ASC"));
        world.found(token, &path).await[0]["id"].clone()
    };
    let oldest: i64 = app.postgres.fetch("select min(id)::int8 from dealer").await;
    assert_eq!(
        (first(&world.acme).await, first(&world.operator).await),
        (json!(oldest), json!(dealer))
    );
}
