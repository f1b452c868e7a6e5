//! What administrators watch and steer.

use axum::body::Body;
use axum::http::StatusCode;
use postgres::operations::pauses;
use serde_json::{Value, json};
use vocabulary::{AdKind, CaptureFailure, CaptureId, Engine, Verdict};

use crate::app::{App, TestResponse};

const PAGE: &str = "<html><body>page</body></html>";

/// An API with an administrator, and the token.
async fn steered() -> (App, String) {
    let app = App::start().await;
    app.admin().await;
    let token = app.login("admin@vigie.example").await;
    (app, token)
}

async fn read(app: &App, token: &str, path: &str) -> Value {
    let answer = app.get(&format!("/api/operations/{path}"), &[("token", token)]).await;
    assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.body);
    answer.body
}

async fn act(app: &App, token: &str, path: &str, body: &Value) -> TestResponse {
    app.post(&format!("/api/operations/{path}"), body, &[("token", token)])
        .await
}

async fn outcome_of(app: &App, token: &str, path: &str, capture: CaptureId) -> Value {
    let answer = act(app, token, path, &json!({"requestIDs": [capture.to_string()]})).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
    answer.body["data"][0]["outcome"].clone()
}

/// The captures under review.
async fn open(app: &App, token: &str, kind: &str) -> Vec<String> {
    let page = read(app, token, &format!("reviews?kind={kind}")).await;
    let rows = page["data"].as_array().unwrap();
    rows.iter()
        .map(|row| row["requestID"].as_str().unwrap().to_owned())
        .collect()
}

async fn doubtful(app: &App, words: &str) -> CaptureId {
    let ads = [(AdKind::Text, "shop.example", 1)];
    app.captured_with(words, None, PAGE, &ads, |capture| {
        capture.reading.verdict = Verdict::Doubtful;
        capture.reading.doubt = Some("2 labels, 1 ad read".to_owned());
        // Lately: older ones are not shown.
        capture.taken_at = capture.slot_time;
    })
    .await
}

#[tokio::test]
async fn every_operation_is_for_administrators_alone() {
    let app = App::start().await;
    app.company_user("acme").await;
    app.operator().await;
    let contract = app.get("/api/openapi.json", &[]).await.body;
    let mut asked = 0;
    for email in ["user@acme.example", "operator@vigie.example"] {
        let token = app.login(email).await;
        for (path, operations) in contract["paths"].as_object().unwrap() {
            if !path.starts_with("/api/operations/") {
                continue;
            }
            for method in operations.as_object().unwrap().keys() {
                let answer = app
                    .send(&method.to_uppercase(), path, Body::empty(), &[("token", &token)])
                    .await;
                assert_eq!(answer.status, StatusCode::FORBIDDEN, "{method} {path} for {email}");
                assert_eq!(answer.body["error"]["code"], "AUTHORIZATION_REQUIRED");
                asked += 1;
            }
        }
    }
    assert!(asked >= 26, "{asked} operations");
}

#[tokio::test]
async fn a_schedule_shows_its_next_and_last_run_and_its_failures() {
    let (app, token) = steered().await;
    let brand = app.postgres.brand("acme").await;
    app.postgres.term("red shoes", Some(brand), 3_600_000).await;
    schedules::pass(&app.state.postgres).await.unwrap();
    let before = read(&app, &token, "schedules").await;
    assert_eq!(before["meta"], json!({"total": 1, "number": 1, "size": 50}));
    assert_eq!(before["data"][0]["lastRun"]["state"], "queued");
    assert_eq!(read(&app, &token, "schedules?failing=true").await["meta"]["total"], 0);

    app.postgres
        .execute("update slot set state = 'failed', reason = 'captcha', settled_at = now()")
        .await;
    let after = read(&app, &token, "schedules?failing=true&query=SHOES&engine=google").await;
    let row = &after["data"][0];
    assert_eq!(row["lastRun"]["reason"], "captcha");
    assert_eq!(
        (&row["runs"], &row["failures"], &row["missed"]),
        (&json!(1), &json!(1), &json!(0))
    );
    assert_eq!(
        (&row["term"], &row["brand"], &row["every"]),
        (&json!("red shoes"), &json!("acme"), &json!(3_600_000))
    );
    assert!(row["nextRun"].as_str().unwrap() > row["lastRun"]["date"].as_str().unwrap());
    assert_eq!(read(&app, &token, "schedules?engine=bing").await["meta"]["total"], 0);
    let wrong = app
        .get("/api/operations/schedules?engine=yahoo", &[("token", &token)])
        .await;
    assert_eq!(wrong.status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn a_housekeeping_job_shows_its_next_and_last_run() {
    let (app, token) = steered().await;
    app.postgres
        .execute(
            "insert into job_run (job, due_at, ended_at, outcome, detail) values ('retention', now(), now(), 'failed', 'no disk')",
        )
        .await;
    let jobs = read(&app, &token, "jobs").await;
    let rows = jobs["data"].as_array().unwrap();
    assert!(rows.len() >= 5, "{jobs}");
    let retention = rows.iter().find(|row| row["job"] == "retention").unwrap();
    assert_eq!(
        (&retention["lastRun"]["outcome"], &retention["failures"]),
        (&json!("failed"), &json!(1))
    );
    assert_eq!(retention["lastRun"]["detail"], "no disk");
    assert!(retention["nextRun"].as_str().is_some());
    let other = rows.iter().find(|row| row["job"] != "retention").unwrap();
    assert_eq!(other["lastRun"], Value::Null);
}

#[tokio::test]
async fn the_overview_counts_what_waits_and_what_needs_a_look() {
    let (app, token) = steered().await;
    doubtful(&app, "one").await;
    app.failed_run("two", CaptureFailure::Poison).await;
    app.failed_run("three", CaptureFailure::Captcha).await;
    app.run("four", None).await;
    app.postgres.term("five", None, 3_600_000).await;
    app.postgres
        .execute("insert into slot (term_id, device, slot_ts, run_at) select max(id), 'desktop', now(), now() - interval '90 seconds' from term")
        .await;
    let overview = read(&app, &token, "overview").await;
    assert_eq!(overview["open"], json!({"doubtful": 1, "quarantined": 1, "failed": 1}));
    let queue = &overview["queue"];
    assert_eq!(
        (&queue["waiting"], &queue["underWay"], &queue["later"]),
        (&json!(1), &json!(1), &json!(0))
    );
    assert!(queue["oldestWaitSeconds"].as_u64().unwrap() >= 90);
    let google = &overview["engines"][0];
    assert_eq!(google["engine"], "google");
    assert_eq!(
        google["lastHour"],
        json!({"results": 0, "doubtful": 1, "failed": 2, "missed": 0})
    );
    let outcomes = read(&app, &token, "captures?window=week").await;
    let rows = outcomes["data"].as_array().unwrap();
    let verdicts: Vec<&str> = rows.iter().map(|row| row["verdict"].as_str().unwrap()).collect();
    assert_eq!(verdicts, ["captcha", "poison", "doubtful"]);
}

#[tokio::test]
async fn a_doubtful_capture_is_shown_beside_what_was_read_off_it() {
    let (app, token) = steered().await;
    let capture = doubtful(&app, "red shoes").await;
    assert_eq!(open(&app, &token, "doubtful").await, [capture.to_string()]);
    let review = read(&app, &token, &format!("reviews/{capture}")).await;
    assert_eq!(review["data"]["reason"], "2 labels, 1 ad read");
    assert_eq!(review["data"]["read"][0]["domain"], "shop.example");
    assert_eq!(review["data"]["read"][0]["realPosition"], 1);
    let page = app
        .get(&format!("/api/operations/reviews/{capture}/page"), &[("token", &token)])
        .await;
    assert_eq!(page.bytes, PAGE.as_bytes());
    assert!(
        page.headers["content-security-policy"]
            .to_str()
            .unwrap()
            .starts_with("sandbox;")
    );
}

#[tokio::test]
async fn a_retried_capture_is_a_new_run_with_its_job_and_leaves_the_list() {
    let (app, token) = steered().await;
    let poison = app.failed_run("red shoes", CaptureFailure::Poison).await;
    assert_eq!(open(&app, &token, "quarantined").await, [poison.to_string()]);
    let answer = act(&app, &token, "retry", &json!({"requestIDs": [poison.to_string()]})).await;
    assert_eq!(answer.body["data"][0]["outcome"], "done");
    let new = answer.body["data"][0]["newRequestID"].as_str().unwrap().to_owned();
    assert_ne!(new, poison.to_string());
    let job: bool = app
        .postgres
        .fetch("select exists (select from apalis.jobs j join slot s on j.idempotency_key = s.id || '#0' where s.state = 'queued')")
        .await;
    assert!(job);
    assert_eq!(open(&app, &token, "quarantined").await, Vec::<String>::new());
    assert_eq!(outcome_of(&app, &token, "retry", poison).await, "closed");
    let old: String = app
        .postgres
        .fetch("select state || ' ' || reason from slot order by id limit 1")
        .await;
    assert_eq!(old, "failed poison");
}

#[tokio::test]
async fn what_cannot_be_retried_says_why() {
    let (app, token) = steered().await;
    let in_order = app.captured("one", None, PAGE, &[]).await;
    assert_eq!(outcome_of(&app, &token, "retry", in_order).await, "closed");
    let failed = app.failed_run("two", CaptureFailure::Timeout).await;
    app.postgres.execute("update term set state = 'disabled'").await;
    assert_eq!(outcome_of(&app, &token, "retry", failed).await, "disabled");
    let unknown = "8d3a7e0e-5f0c-4a53-9c5e-0a4f3f0f7d11".parse().map(CaptureId).unwrap();
    assert_eq!(outcome_of(&app, &token, "retry", unknown).await, "unknown");
    let answer = act(&app, &token, "retry", &json!({"requestIDs": ["nope"]})).await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn discarding_leaves_the_run_as_it_is_and_is_written_down() {
    let (app, token) = steered().await;
    let failed = app.failed_run("red shoes", CaptureFailure::Timeout).await;
    assert_eq!(outcome_of(&app, &token, "discard", failed).await, "done");
    assert_eq!(outcome_of(&app, &token, "discard", failed).await, "closed");
    assert_eq!(open(&app, &token, "failed").await, Vec::<String>::new());
    let acts = read(&app, &token, "acts").await;
    let acts = acts["data"].as_array().unwrap();
    assert_eq!(acts.len(), 1);
    assert_eq!(
        (&acts[0]["act"], &acts[0]["by"], &acts[0]["term"], &acts[0]["requestID"]),
        (
            &json!("discard"),
            &json!("admin@vigie.example"),
            &json!("red shoes"),
            &json!(failed.to_string())
        )
    );
}

#[tokio::test]
async fn a_stopped_engine_stays_stopped_until_it_is_let_go_on() {
    let (app, token) = steered().await;
    let why = json!({"reason": " too many captchas "});
    for _ in 0..2 {
        let answer = act(&app, &token, "engines/google/pause", &why).await;
        assert_eq!(answer.status, StatusCode::NO_CONTENT, "{}", answer.body);
    }
    assert!(pauses::is_paused(&app.state.postgres, Engine::Google).await.unwrap());
    assert!(!pauses::is_paused(&app.state.postgres, Engine::Bing).await.unwrap());
    let overview = read(&app, &token, "overview").await;
    let paused = &overview["engines"][0]["paused"];
    assert_eq!(
        (&paused["by"], &paused["reason"]),
        (&json!("admin@vigie.example"), &json!("too many captchas"))
    );

    let resumed = act(&app, &token, "engines/google/resume", &json!({})).await;
    assert_eq!(resumed.status, StatusCode::NO_CONTENT);
    assert!(!pauses::is_paused(&app.state.postgres, Engine::Google).await.unwrap());
    let journal = read(&app, &token, "acts").await;
    let acts: Vec<&str> = journal["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["act"].as_str().unwrap())
        .collect();
    assert_eq!(acts, ["resume", "pause"]);
    let unknown = act(&app, &token, "engines/yahoo/pause", &why).await;
    assert_eq!(unknown.status, StatusCode::NOT_FOUND);
    let long = act(&app, &token, "engines/bing/pause", &json!({"reason": "x".repeat(501)})).await;
    assert_eq!(long.status, StatusCode::UNPROCESSABLE_ENTITY);
}
