//! Next and last runs of terms, and runs started by hand.

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::app;
use crate::resources::Admin;

const DAY: i64 = 86_400_000;
/// Every queued slot is captured: its page shows two text ads and a shopping ad.
const CAPTURE_ALL: &str = "insert into capture (id, slot_id, attempt, term_id, term, keyword_type, engine, device, locale, slot_ts, taken_at, final_url,
        verdict, doubt, page_sha256, view_sha256, reader_version, text_ads, shopping_ads, saves_text_ads, saves_shopping_ads, n_rows)
    select capture_id, id, 1, term_id, 'shoes', 'GENERIC', 'google', device, 'fr_FR', slot_ts, slot_ts + interval '3 seconds',
        'http://serp.example', 'doubtful', 'a doubt', sha256('page'), sha256('view'), '1', 2, 1, false, false, 0
    from slot where state = 'queued';
    update slot set state = 'verified', settled_at = now() where state = 'queued'";

impl Admin {
    /// An enabled term in Paris, captured daily.
    async fn daily(&self, words: &str, brand: Option<i32>, devices: &[&str]) -> i64 {
        let place: i32 = self
            .app
            .postgres
            .fetch("select min(id) from localization where locale = 'fr_FR'")
            .await;
        let body = json!({"term": words, "every": DAY, "state": "enabled", "localizationId": place, "devices": devices, "brandId": brand});
        self.id("/api/Terms", &body).await
    }

    async fn plan(&self) {
        schedules::pass(&self.app.postgres.pool).await.unwrap();
    }

    async fn run_now(&self, body: &Value) -> (StatusCode, Value) {
        self.post("/api/Terms/runNow", body).await
    }

    async fn queued(&self) -> i64 {
        self.app
            .postgres
            .fetch("select count(*) from slot where state = 'queued'")
            .await
    }
}

#[tokio::test]
async fn the_rows_of_a_list_have_their_next_and_last_runs() {
    let admin = Admin::new().await;
    let shoes = admin.daily("shoes", None, &["DESKTOP", "MOBILE"]).await;
    let boots = admin.daily("boots", None, &["DESKTOP"]).await;
    admin.plan().await;
    admin.app.postgres.execute("update slot set state = 'missed', reason = 'downtime', settled_at = now() where term_id = (select max(id) from term)").await;
    admin.app.postgres.execute(CAPTURE_ALL).await;
    let paused = format!("/api/Terms/update?where=%7B%22id%22:{boots}%7D");
    admin.post(&paused, &json!({"state": "disabled"})).await;
    admin.plan().await;
    let (status, answer) = admin
        .get(&format!("/api/termRuns?rows[]={shoes}&rows[]={boots}&rows[]=999999"))
        .await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    let rows = answer["data"].as_array().unwrap();
    let of = |term: i64, device: &str| {
        rows.iter()
            .find(|row| row["termID"] == term && row["device"] == device)
            .unwrap_or_else(|| panic!("{answer}"))
    };
    assert_eq!(rows.len(), 3, "{answer}");
    let seen = of(shoes, "mobile");
    assert!(seen["nextRun"].is_string() && seen["isUnderWay"] == false, "{seen}");
    let last = &seen["lastRun"];
    assert_eq!(
        (&last["state"], &last["verdict"], &last["ads"], &last["reason"]),
        (&json!("verified"), &json!("doubtful"), &json!(3), &Value::Null)
    );
    assert!(last["requestID"].is_string() && last["date"].is_string(), "{last}");
    let missed = of(boots, "desktop");
    assert_eq!(
        (
            &missed["nextRun"],
            &missed["lastRun"]["state"],
            &missed["lastRun"]["reason"]
        ),
        (&Value::Null, &json!("missed"), &json!("downtime"))
    );
    for wrong in ["", "?rows[]=shoes", &format!("?{}", "rows[]=1&".repeat(101))] {
        let (status, _) = admin.get(&format!("/api/termRuns{wrong}")).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{wrong}");
    }
}

#[tokio::test]
async fn a_user_sees_the_runs_of_the_own_terms_alone() {
    let admin = Admin::new().await;
    admin.app.company_user("acme").await;
    admin.app.company_user("bolt").await;
    let brand: i32 = admin
        .app
        .postgres
        .fetch("select id from brand where name = 'acme'")
        .await;
    let term = admin.daily("acme shoes", Some(brand), &["DESKTOP"]).await;
    admin.plan().await;
    for (email, rows) in [("user@acme.example", 1), ("user@bolt.example", 0)] {
        let token = admin.app.login(email).await;
        let answer = admin
            .app
            .get(&format!("/api/termRuns?rows[]={term}"), &[("token", &token)])
            .await;
        assert_eq!(answer.body["data"].as_array().unwrap().len(), rows, "{}", answer.body);
    }
}

#[tokio::test]
async fn a_run_by_hand_is_queued_once_on_each_device_and_leaves_the_schedule_alone() {
    let admin = Admin::new().await;
    let shoes = admin.daily("shoes", None, &["DESKTOP", "MOBILE"]).await;
    let nowhere = admin
        .id("/api/Terms", &json!({"term": "nowhere", "state": "enabled"}))
        .await;
    admin.plan().await;
    admin.app.postgres.execute(CAPTURE_ALL).await;
    let next: String = admin
        .app
        .postgres
        .fetch("select string_agg(next_slot::text, ' ' order by device) from term_due")
        .await;
    let body = json!({"ids": [shoes, nowhere]});
    let (status, answer) = admin.run_now(&body).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    assert_eq!(answer["data"], json!({"started": 2, "underWay": 0, "notCaptured": 1}));
    let (_, again) = admin.run_now(&json!({"where": {"id": shoes}})).await;
    assert_eq!(again["data"], json!({"started": 0, "underWay": 2, "notCaptured": 0}));
    assert_eq!(admin.queued().await, 2);
    let jobs = "select bool_and(exists (select from apalis.jobs where idempotency_key = slot.id || '#0')) from slot where state = 'queued'";
    assert!(admin.app.postgres.fetch::<bool>(jobs).await, "each has its job");
    admin.plan().await;
    let after: String = admin
        .app
        .postgres
        .fetch("select string_agg(next_slot::text, ' ' order by device) from term_due")
        .await;
    assert_eq!(after, next);
}

#[tokio::test]
async fn no_user_starts_more_runs_in_an_hour_than_the_quota_and_flips_start_none() {
    let mut admin = Admin::new().await;
    let mut settings = app::settings();
    settings.api.runs_by_hand_per_hour = 3;
    admin.app.set(settings);
    let one = admin.daily("shoes", None, &["DESKTOP", "MOBILE"]).await;
    let two = admin.daily("boots", None, &["DESKTOP", "MOBILE"]).await;
    admin.plan().await;
    admin.app.postgres.execute(CAPTURE_ALL).await;
    let (status, answer) = admin.run_now(&json!({"ids": [one, two]})).await;
    assert_eq!(status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(answer["error"]["code"], "RUN_QUOTA_REACHED", "{answer}");
    assert_eq!(admin.queued().await, 0, "all or none");
    assert_eq!(admin.run_now(&json!({"ids": [one]})).await.0, StatusCode::OK);
    admin.app.postgres.execute(CAPTURE_ALL).await;
    assert_eq!(
        admin.run_now(&json!({"ids": [one]})).await.0,
        StatusCode::TOO_MANY_REQUESTS
    );
    for state in ["disabled", "enabled", "archived", "enabled"] {
        let path = format!("/api/Terms/update?where=%7B%22id%22:{one}%7D");
        admin.post(&path, &json!({"state": state})).await;
        admin.plan().await;
    }
    assert_eq!(
        admin.queued().await,
        0,
        "a term enabled again in a captured slot is not captured again"
    );

    admin.app.second_admin().await;
    let second = admin.app.login("second@vigie.example").await;
    let others = admin
        .app
        .post("/api/Terms/runNow", &json!({"ids": [two]}), &[("token", &second)])
        .await;
    assert_eq!(others.body["data"]["started"], 2, "{}", others.body);
    admin.app.postgres.execute(CAPTURE_ALL).await;
    admin
        .app
        .postgres
        .execute("update run_by_hand set asked_at = asked_at - interval '61 minutes'")
        .await;
    assert_eq!(
        admin.run_now(&json!({"ids": [one]})).await.0,
        StatusCode::OK,
        "an hour later"
    );
}

#[tokio::test]
async fn requests_at_the_same_time_share_the_quota() {
    let mut admin = Admin::new().await;
    let mut settings = app::settings();
    settings.api.runs_by_hand_per_hour = 3;
    admin.app.set(settings);
    let mut terms = Vec::new();
    for n in 0..8 {
        terms.push(admin.daily(&format!("shoes {n}"), None, &["DESKTOP"]).await);
    }
    admin.plan().await;
    admin.app.postgres.execute(CAPTURE_ALL).await;
    let bodies: Vec<Value> = terms.iter().map(|term| json!({"ids": [term]})).collect();
    let answers = futures::future::join_all(bodies.iter().map(|body| admin.run_now(body))).await;
    let started = answers.iter().filter(|(status, _)| *status == StatusCode::OK).count();
    assert_eq!((started, admin.queued().await), (3, 3));
}
