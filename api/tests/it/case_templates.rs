//! Templates of the mails to advertisers, what Vigie will write by itself, and stops.

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::app::TestResponse;
use crate::seen::Market;

/// Somebody to write to, and reminders of the first brand that are overdue in its case in France.
const CONTACT: &str = "insert into contact (email) values ('legal@one.example');
    insert into dealer_contact (dealer_id, contact_id) select id, 1 from dealer where domain = 'one.example';
    update user_account set first_name = 'Ann' where email = 'operator@vigie.example';
    update brand set reminder = '{\"autoReminder\": true}' where id = 1;";
const OVERDUE: &str =
    "update action set status = 'inprogress', waiting = true, inprogress_date = '2026-01-02T08:00:00Z',
        clock_at = '2026-01-02T08:00:00Z'
    where brand_id = 1 and domain = 'www2.one.example' and country = 'FR'";

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
        seen.app.postgres.execute(CONTACT).await;
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

    async fn call(&self, method: &str, token: &str, path: &str, body: &Value) -> TestResponse {
        let headers = [("token", token), ("content-type", "application/json")];
        self.seen
            .app
            .send(method, path, body.to_string().into(), &headers)
            .await
    }

    async fn get(&self, token: &str, path: &str) -> TestResponse {
        self.seen.app.get(path, &[("token", token)]).await
    }

    async fn data(&self, token: &str, path: &str) -> Value {
        let answer = self.get(token, path).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.body);
        answer.body["data"].clone()
    }

    /// Calls with a body, and expects this status.
    async fn expect(&self, status: StatusCode, (method, token, path): (&str, &str, &str), body: &Value) -> Value {
        let answer = self.call(method, token, path, body).await;
        assert_eq!(answer.status, status, "{method} {path}: {}", answer.body);
        answer.body["data"].clone()
    }
}

#[tokio::test]
async fn staff_gets_the_templates_filled_in_on_a_case() {
    let world = World::new().await;
    let path = format!("/api/actions/templates?actionID={}", world.case);
    assert_eq!(world.get(&world.acme, &path).await.status, StatusCode::FORBIDDEN);
    assert_eq!(world.get(&world.bolt, &path).await.status, StatusCode::NOT_FOUND);
    let all = world.data(&world.operator, &path).await;
    let kinds: Vec<&str> = all
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["type"].as_str().unwrap())
        .collect();
    assert_eq!(
        kinds,
        ["notification", "reminder", "reminder", "reminder", "answer", "answer"]
    );
    assert!(
        all.as_array()
            .unwrap()
            .iter()
            .all(|one| one["language"] == "fr" && one["holes"] == json!([])),
        "{all}"
    );
    let first = &all[0];
    assert!(
        first["subject"].as_str().unwrap().starts_with("Utilisation de acme"),
        "{first}"
    );
    let body = first["body"].as_str().unwrap();
    assert!(
        body.contains("www2.one.example") && body.contains("(France)") && body.ends_with("Ann, pour acme"),
        "{body}"
    );
    let english = world
        .data(&world.operator, &format!("{path}&type=reminder&language=en"))
        .await;
    let numbers: Vec<i64> = english
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["reminder"].as_i64().unwrap())
        .collect();
    assert_eq!(numbers, [1, 2, 3]);
    let wrong = world.get(&world.operator, &format!("{path}&language=de")).await;
    assert_eq!(wrong.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", wrong.body);
}

#[tokio::test]
async fn a_version_that_was_used_never_changes() {
    let world = World::new().await;
    let list = "/api/mailTemplates";
    assert_eq!(world.get(&world.acme, list).await.status, StatusCode::FORBIDDEN);
    assert_eq!(world.data(&world.operator, list).await.as_array().unwrap().len(), 12);
    let template = json!({
        "type": "answer", "language": "en", "label": "Short", "subject": "About {{ domain }}", "body": "Hello {{ brand.label }}",
    });
    world
        .expect(StatusCode::FORBIDDEN, ("POST", &world.operator, list), &template)
        .await;
    let added = world
        .expect(StatusCode::OK, ("POST", &world.admin, list), &template)
        .await;
    assert_eq!(
        (&added["version"], &added["made"], &added["active"]),
        (&json!(1), &json!(0), &json!(true))
    );
    let path = format!("{list}/{}", added["id"]);
    let mut other = template.clone();
    other["body"] = json!("Good morning");
    let changed = world
        .expect(StatusCode::OK, ("PATCH", &world.admin, &path), &other)
        .await;
    assert_eq!(
        (&changed["id"], &changed["version"], &changed["body"]),
        (&added["id"], &json!(1), &json!("Good morning"))
    );
    let used = "insert into email (template_id, status, kind, direction) select max(id), 'sent', 'answer', 'out' from email_template";
    world.seen.app.postgres.execute(used).await;
    other["body"] = json!("Good evening");
    world
        .expect(StatusCode::FORBIDDEN, ("PATCH", &world.operator, &path), &other)
        .await;
    let next = world
        .expect(StatusCode::OK, ("PATCH", &world.admin, &path), &other)
        .await;
    assert_eq!(
        (&next["firstId"], &next["version"], &next["body"]),
        (&added["id"], &json!(2), &json!("Good evening"))
    );
    world
        .expect(StatusCode::CONFLICT, ("PATCH", &world.admin, &path), &template)
        .await;
    let versions = world
        .data(&world.operator, &format!("{list}?versionsOf={}", added["id"]))
        .await;
    let bodies: Vec<&str> = versions
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["body"].as_str().unwrap())
        .collect();
    assert_eq!(bodies, ["Good evening", "Good morning"]);
    assert_eq!(
        (&versions[1]["made"], &versions[1]["active"]),
        (&json!(1), &json!(false))
    );
    assert_eq!(world.data(&world.operator, list).await.as_array().unwrap().len(), 13);
    // Put away it is in no list, and what refers to it stays.
    let mut away = other.clone();
    away["active"] = json!(false);
    let newest = format!("{list}/{}", next["id"]);
    world
        .expect(StatusCode::OK, ("PATCH", &world.admin, &newest), &away)
        .await;
    assert_eq!(world.data(&world.operator, list).await.as_array().unwrap().len(), 12);
    for (field, value) in [
        ("subject", json!("")),
        ("body", json!("{{ 'x' * 9 }}")),
        ("label", json!(" ")),
        ("type", json!("alert")),
        ("reminder", json!(1)),
        ("brandId", json!(99)),
    ] {
        let mut wrong = template.clone();
        wrong[field] = value;
        let answer = world.call("POST", &world.admin, list, &wrong).await;
        assert_eq!(
            answer.status,
            StatusCode::UNPROCESSABLE_ENTITY,
            "{field}: {}",
            answer.body
        );
        assert!(
            answer.body["error"]["details"]["messages"][field].is_array(),
            "{}",
            answer.body
        );
    }
}

#[tokio::test]
async fn a_preview_names_the_holes_of_a_real_case() {
    let world = World::new().await;
    let path = "/api/mailTemplates/preview";
    let preview = json!({
        "type": "reminder", "language": "fr", "actionID": world.case, "subject": "{{ reference }}",
        "body": "{{ sender.firstName }} {{ previousMails.last.date }} {{ country }}",
    });
    world
        .expect(StatusCode::FORBIDDEN, ("POST", &world.acme, path), &preview)
        .await;
    let letter = world
        .expect(StatusCode::OK, ("POST", &world.operator, path), &preview)
        .await;
    assert_eq!(letter["holes"], json!(["sender.firstName", "previousMails.last.date"]));
    assert_eq!(
        letter["body"],
        "{{ sender.firstName }} {{ previousMails.last.date }} France"
    );
    assert_eq!(letter["subject"], format!("VG-{}", world.case));
    assert_eq!(letter["to"], json!(["legal@one.example"]));
    let test = "/api/mailTemplates/test";
    world
        .expect(StatusCode::FORBIDDEN, ("POST", &world.acme, test), &preview)
        .await;
    world
        .expect(StatusCode::NO_CONTENT, ("POST", &world.operator, test), &preview)
        .await;
    let queued = "select concat_ws(' ', kind, recipients ->> 0, context ->> 'subject') from mail_outbox";
    let queued: String = world.seen.app.postgres.fetch(queued).await;
    assert_eq!(queued, format!("trial operator@vigie.example VG-{}", world.case));
    for (field, value) in [
        ("body", "{% if ads %}"),
        ("subject", "{{ a b }}"),
        ("body", "{{ domain|unknown }}"),
    ] {
        let mut wrong = preview.clone();
        wrong[field] = json!(value);
        let answer = world.call("POST", &world.operator, path, &wrong).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", answer.body);
        assert!(
            answer.body["error"]["details"]["messages"][field].is_array(),
            "{}",
            answer.body
        );
    }
}

#[tokio::test]
async fn the_next_run_is_shown_line_by_line_and_lines_are_struck_out() {
    let world = World::new().await;
    world.seen.app.postgres.execute(OVERDUE).await;
    let path = "/api/actions/outreach/today";
    assert_eq!(world.get(&world.acme, path).await.status, StatusCode::FORBIDDEN);
    let today = world.data(&world.operator, path).await;
    assert_eq!((&today["total"], &today["notificationsTotal"]), (&json!(1), &json!(0)));
    let line = &today["lines"][0];
    assert_eq!(
        (&line["actionID"], &line["step"], &line["reminder"]),
        (&json!(world.case), &json!("remind"), &json!(1))
    );
    assert_eq!(
        (&line["recipients"], &line["obstacle"]),
        (&json!(["legal@one.example"]), &Value::Null)
    );
    assert_eq!(line["template"]["label"], "Relance 1");
    // The run is at seven, and people begin at nine.
    assert_eq!(line["holds"][0]["reason"], "working_hours");
    let strike = json!({"strike": [world.case]});
    world
        .expect(StatusCode::NO_CONTENT, ("POST", &world.operator, path), &strike)
        .await;
    assert_eq!(
        world.data(&world.operator, path).await["lines"][0]["obstacle"],
        "struck"
    );
    world
        .expect(
            StatusCode::NO_CONTENT,
            ("POST", &world.operator, path),
            &json!({"restore": [world.case]}),
        )
        .await;
    assert_eq!(
        world.data(&world.operator, path).await["lines"][0]["obstacle"],
        Value::Null
    );
    let stop = json!({"scope": "kind", "subject": "reminder", "reason": "Holidays"});
    world
        .expect(StatusCode::OK, ("POST", &world.operator, "/api/mailStops"), &stop)
        .await;
    assert_eq!(
        world.data(&world.operator, path).await["lines"][0]["holds"][0]["reason"],
        "stopped"
    );
}

#[tokio::test]
async fn staff_stops_mails_and_lets_them_leave_again() {
    let world = World::new().await;
    let path = "/api/mailStops";
    assert_eq!(world.get(&world.acme, path).await.status, StatusCode::FORBIDDEN);
    let stops = [
        json!({"scope": "all", "reason": "A wrong letter"}),
        json!({"scope": "brand", "subject": "1", "reason": "Talks", "until": "2027-01-01T00:00:00Z"}),
        json!({"scope": "domain", "subject": "WWW2.one.example", "reason": "They asked"}),
    ];
    for stop in &stops {
        world
            .expect(StatusCode::OK, ("POST", &world.operator, path), stop)
            .await;
    }
    let found = world.data(&world.operator, path).await;
    let subjects: Vec<&str> = found
        .as_array()
        .unwrap()
        .iter()
        .map(|stop| stop["subject"].as_str().unwrap())
        .collect();
    assert_eq!(subjects, ["www2.one.example", "1", ""]);
    assert_eq!(
        (&found[1]["brand"], &found[1]["by"], &found[1]["held"]),
        (&json!("acme"), &json!("Ann"), &json!(0))
    );
    let one = format!("{path}/{}", found[2]["id"]);
    world
        .expect(StatusCode::NO_CONTENT, ("DELETE", &world.operator, &one), &json!({}))
        .await;
    world
        .expect(StatusCode::NOT_FOUND, ("DELETE", &world.operator, &one), &json!({}))
        .await;
    assert_eq!(world.data(&world.operator, path).await.as_array().unwrap().len(), 2);
    for (field, wrong) in [
        ("scope", json!({"scope": "country", "reason": "x"})),
        ("subject", json!({"scope": "all", "subject": "x", "reason": "x"})),
        ("subject", json!({"scope": "brand", "subject": "99", "reason": "x"})),
        ("subject", json!({"scope": "kind", "subject": "alert", "reason": "x"})),
        ("reason", json!({"scope": "all", "reason": " "})),
        (
            "until",
            json!({"scope": "all", "reason": "x", "until": "2020-01-01T00:00:00Z"}),
        ),
    ] {
        let answer = world.call("POST", &world.operator, path, &wrong).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", answer.body);
        assert!(
            answer.body["error"]["details"]["messages"][field].is_array(),
            "{}",
            answer.body
        );
    }
}
