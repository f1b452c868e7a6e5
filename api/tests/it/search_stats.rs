//! Having the monthly searches of terms read.

use std::time::Duration;

use axum::http::StatusCode;
use postgres::search_stats::{self, ReadSearches};
use serde_json::{Value, json};
use vocabulary::SystemScope;

use crate::app;
use crate::resources::Admin;

const PATH: &str = "/api/Terms/fetchSearchStats";
const WORKER: SystemScope = SystemScope::new("a worker of a test");

impl Admin {
    /// An administrator of a site with a source of search volumes.
    async fn with_volumes() -> Self {
        let mut admin = Self::new().await;
        let mut settings = app::settings();
        settings.search_volumes.url = Some("http://volumes.example/".parse().unwrap());
        admin.app.set(settings);
        admin
    }

    /// A term in Paris with the automatic frequency.
    async fn automatic(&self, words: &str) -> i64 {
        let place: i32 = self
            .app
            .postgres
            .fetch("select min(id) from localization where locale = 'fr_FR'")
            .await;
        let body = json!({"term": words, "every": 0, "state": "enabled", "localizationId": place});
        self.id("/api/Terms", &body).await
    }

    /// Does what a worker does once terms wait: stores 10,000 searches of each, except of those whose words contain `fails`.
    fn work(&self) -> tokio::task::JoinHandle<()> {
        let pool = self.app.postgres.pool.clone();
        tokio::spawn(async move {
            let claimed = loop {
                if let Some(claimed) = search_stats::claim(&pool, &WORKER, 10, Duration::from_mins(1))
                    .await
                    .unwrap()
                {
                    break claimed;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            };
            let (fails, works): (Vec<_>, Vec<_>) = claimed.terms.iter().partition(|term| term.words.contains("fails"));
            let read: Vec<_> = works
                .iter()
                .map(|term| ReadSearches {
                    term: term.id,
                    words: &term.words,
                    monthly: Some(10_000.0),
                })
                .collect();
            let now = "2026-03-02T08:00:05Z".parse().unwrap();
            let mut connection = pool.acquire().await.unwrap();
            search_stats::store(&mut connection, &WORKER, &read, now).await.unwrap();
            let failed: Vec<_> = fails.iter().map(|term| term.id).collect();
            search_stats::note_failure(&pool, &WORKER, &failed, None, "no answer")
                .await
                .unwrap();
        })
    }
}

#[tokio::test]
async fn searches_are_read_and_plan_the_terms_with_the_automatic_frequency() {
    let admin = Admin::with_volumes().await;
    let term = admin.automatic("shoes").await;
    schedules::pass(&admin.app.postgres.pool).await.unwrap();
    let daily: i64 = admin.app.postgres.fetch("select every_ms from term_due").await;
    assert_eq!(daily, 86_400_000, "without statistics");
    let worker = admin.work();
    let body = json!({"where": {"id": {"inq": [term, 999_999]}}, "searchConvertRate": 0.05});
    let (status, answer) = admin.post(PATH, &body).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    assert_eq!(
        answer["data"],
        json!({"isConnected": true, "terms": 1, "fetched": 1, "waiting": 0, "failed": 0})
    );
    worker.await.unwrap();
    let (_, row) = admin.get(&format!("/api/Terms/{term}")).await;
    assert_eq!(
        row["searchStats"],
        json!({"monthly": 10_000, "fetchedAt": "2026-03-02T08:00:05.000Z"})
    );
    assert_eq!((&row["every"], &row["searchConvertRate"]), (&json!(0), &json!(0.05)));
    schedules::pass(&admin.app.postgres.pool).await.unwrap();
    let planned: i64 = admin.app.postgres.fetch("select every_ms from term_due").await;
    assert_eq!(planned, 2 * 3_600_000, "500 captures a month are one every 1.46 hours");
    let (_, entries) = admin
        .get(&format!("/api/audit?model=Term&target={term}&event=change"))
        .await;
    assert!(entries.to_string().contains("searchConvertRate"), "{entries}");
}

#[tokio::test]
async fn what_cannot_be_read_is_said_and_nothing_else_is_held_up() {
    let admin = Admin::with_volumes().await;
    admin.automatic("shoes").await;
    admin.automatic("boots fails").await;
    admin.id("/api/Terms", &json!({"term": "nowhere", "every": 0})).await;
    let worker = admin.work();
    let (_, answer) = admin.post(PATH, &json!({"where": {"every": 0}})).await;
    assert_eq!(
        answer["data"],
        json!({"isConnected": true, "terms": 2, "fetched": 1, "waiting": 0, "failed": 1})
    );
    worker.await.unwrap();
}

#[tokio::test]
async fn words_changed_while_they_are_read_keep_the_request() {
    let admin = Admin::with_volumes().await;
    let term = admin.automatic("shoes").await;
    let pool = &admin.app.postgres.pool;
    let id = vocabulary::TermId(i32::try_from(term).unwrap());
    search_stats::request(pool, &WORKER, &[id]).await.unwrap();
    let claimed = search_stats::claim(pool, &WORKER, 10, Duration::from_mins(1))
        .await
        .unwrap();
    assert_eq!(claimed.unwrap().terms.len(), 1);
    assert_eq!(
        search_stats::claim(pool, &WORKER, 10, Duration::from_mins(1))
            .await
            .unwrap(),
        None,
        "it is taken"
    );
    admin.app.postgres.execute("update term set term = 'boots'").await;
    let read = [ReadSearches {
        term: id,
        words: "shoes",
        monthly: Some(9.0),
    }];
    let mut connection = pool.acquire().await.unwrap();
    let stored = search_stats::store(&mut connection, &WORKER, &read, admin.app.state.clock.now()).await;
    assert_eq!(stored.unwrap(), 0);
    let waits: bool = admin
        .app
        .postgres
        .fetch("select count(*) = 1 from search_stats_request")
        .await;
    assert!(waits);
}

#[tokio::test]
async fn without_a_source_the_answer_says_so_and_nothing_waits() {
    let admin = Admin::new().await;
    let term = admin.automatic("shoes").await;
    let body = json!({"where": {"id": term}, "searchConvertRate": 0.2});
    let (status, answer) = admin.post(PATH, &body).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    assert_eq!(
        answer["data"],
        json!({"isConnected": false, "terms": 1, "fetched": 0, "waiting": 0, "failed": 0})
    );
    let (_, row) = admin.get(&format!("/api/Terms/{term}")).await;
    assert_eq!(
        (&row["searchConvertRate"], &row["searchStats"]),
        (&json!(0.2), &Value::Null)
    );
    let waits: i64 = admin
        .app
        .postgres
        .fetch("select count(*) from search_stats_request")
        .await;
    assert_eq!(waits, 0);
}

#[tokio::test]
async fn a_request_names_its_terms_and_a_rate_they_can_have_and_comes_not_too_often() {
    let admin = Admin::new().await;
    for (body, field) in [
        (json!({}), "ids"),
        (
            json!({"where": {"every": 0}, "searchConvertRate": 0}),
            "searchConvertRate",
        ),
        (
            json!({"where": {"every": 0}, "searchConvertRate": 1.5}),
            "searchConvertRate",
        ),
    ] {
        let (status, answer) = admin.post(PATH, &body).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{answer}");
        assert!(answer["error"]["details"]["messages"].get(field).is_some(), "{answer}");
    }
    for wrong in [
        json!({"where": {"nothing": 1}}),
        json!({"where": {"every": 0}, "searchConvertRate": "much"}),
    ] {
        assert_eq!(admin.post(PATH, &wrong).await.0, StatusCode::BAD_REQUEST);
    }
    for _ in 0..60 {
        assert_eq!(
            admin.post(PATH, &json!({"where": {"every": 0}})).await.0,
            StatusCode::OK
        );
    }
    let (status, _) = admin.post(PATH, &json!({"where": {"every": 0}})).await;
    assert_eq!(status, StatusCode::TOO_MANY_REQUESTS);
}
