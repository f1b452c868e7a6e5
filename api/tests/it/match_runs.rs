//! Matches of terms with a brand that run in the background.

use std::time::Duration;

use axum::body::Body;
use axum::http::StatusCode;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::resources::Admin;

/// A run of a few terms takes milliseconds; it reports every 300.
const SOON: Duration = Duration::from_secs(20);

impl Admin {
    /// A validated brand with this pattern, and terms without a brand that were not matched.
    async fn brand_beside_terms(&self, pattern: &str, terms: i32) -> i64 {
        let body = json!({"label": "Brivault", "validated": true, "autoMatchRegExp": pattern});
        let brand = self.id("/api/Brands", &body).await;
        sqlx::query("insert into term (term, localization_id) select 'brivault ' || n, min(id) from localization, generate_series(1, $1) n group by n")
            .bind(terms)
            .execute(&self.app.postgres.pool)
            .await
            .unwrap();
        brand
    }

    async fn start(&self, brand: i64) -> (StatusCode, Value) {
        let all = json!({"options": {"rematchAll": true}});
        self.post(&format!("/api/Brands/{brand}/matchRuns"), &all).await
    }

    async fn runs(&self, token: &str) -> Vec<Value> {
        let answer = self.app.get("/api/Brands/matchRuns", &[("token", token)]).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
        answer.body["data"].as_array().unwrap().clone()
    }

    /// The caller's only run, once it ended.
    async fn ended(&self) -> Value {
        let ended = async {
            loop {
                let runs = self.runs(&self.token).await;
                assert_eq!(runs.len(), 1);
                if runs[0]["state"] != "running" {
                    return runs[0].clone();
                }
                tokio::task::yield_now().await;
            }
        };
        timeout(SOON, ended).await.unwrap()
    }

    async fn acknowledge(&self, token: &str, run: &Value) -> StatusCode {
        let path = format!("/api/Brands/matchRuns/{}", run["id"]);
        self.app
            .send("DELETE", &path, Body::empty(), &[("token", token)])
            .await
            .status
    }

    /// A run of a process that died a minute ago.
    async fn abandoned(&self, brand: i64) {
        sqlx::query("insert into match_run (brand_id, user_id, all_terms, begun_at, reported_at)
            select $1, id, true, '2026-03-02T07:58:59Z', '2026-03-02T07:59:00Z' from user_account where email = 'admin@vigie.example'")
            .bind(i32::try_from(brand).unwrap())
            .execute(&self.app.postgres.pool)
            .await
            .unwrap();
    }
}

#[tokio::test]
async fn a_run_changes_more_terms_than_a_request_may_and_says_so_until_that_was_seen() {
    let admin = Admin::new().await;
    let brand = admin.brand_beside_terms("brivault", 10_001).await;
    let (status, answer) = admin.post(&format!("/api/Brands/{brand}/autoMatch"), &json!({})).await;
    assert_eq!(status, StatusCode::BAD_REQUEST, "{answer}");

    let (status, begun) = admin.start(brand).await;
    assert_eq!(status, StatusCode::ACCEPTED, "{begun}");
    let run = admin.ended().await;
    assert_eq!((&run["id"], &run["brand"]), (&begun["id"], &json!("Brivault")));
    assert_eq!((&run["state"], &run["share"]), (&json!("done"), &json!(1.0)), "{run}");
    assert_eq!(
        run["matched"],
        json!({"matching": 10_001, "linked": 10_001, "taken": 0, "released": 0, "lost": 0})
    );
    let audited: i64 = admin
        .app
        .postgres
        .fetch("select count(distinct target) from audit_entry where model = 'Term' and event = 'change'")
        .await;
    assert_eq!(audited, 10_001, "one entry for each term");

    admin.app.second_admin().await;
    let other = admin.app.login("second@vigie.example").await;
    assert!(admin.runs(&other).await.is_empty());
    assert_eq!(admin.acknowledge(&other, &run).await, StatusCode::NOT_FOUND);
    assert_eq!(admin.acknowledge(&admin.token, &run).await, StatusCode::NO_CONTENT);
    assert!(admin.runs(&admin.token).await.is_empty());
}

#[tokio::test]
async fn a_run_that_fails_says_why_and_changes_nothing() {
    let admin = Admin::new().await;
    let brand = admin.brand_beside_terms("", 1).await;
    let (status, _) = admin.start(brand).await;
    assert_eq!(status, StatusCode::ACCEPTED);
    let run = admin.ended().await;
    assert_eq!((&run["state"], &run["problem"]), (&json!("failed"), &json!("pattern")));
    let linked: i64 = admin.app.postgres.fetch("select count(brand_id) from term").await;
    assert_eq!(linked, 0);
    let (status, _) = admin.start(999_999).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_run_whose_process_died_has_failed_and_another_may_begin() {
    let admin = Admin::new().await;
    let brand = admin.brand_beside_terms("brivault", 3).await;
    admin.abandoned(brand).await;
    let runs = admin.runs(&admin.token).await;
    assert_eq!(
        (&runs[0]["state"], &runs[0]["problem"]),
        (&json!("failed"), &json!("interrupted"))
    );
    let (status, _) = admin.start(brand).await;
    assert_eq!(status, StatusCode::ACCEPTED);
    assert_eq!(admin.acknowledge(&admin.token, &runs[0]).await, StatusCode::NO_CONTENT);
    assert_eq!(admin.ended().await["state"], "done");
}

#[tokio::test]
async fn of_parallel_requests_for_a_brand_one_begins_a_run() {
    let admin = Admin::new().await;
    let brand = admin.brand_beside_terms("brivault", 2_000).await;
    let begun = futures::future::join_all((0..6).map(|_| admin.start(brand))).await;
    let accepted = begun
        .iter()
        .filter(|(status, _)| *status == StatusCode::ACCEPTED)
        .count();
    let refused = begun
        .iter()
        .filter(|(status, _)| *status == StatusCode::CONFLICT)
        .count();
    assert!(accepted >= 1 && accepted + refused == 6, "{begun:?}");
    let most: i64 = admin
        .app
        .postgres
        .fetch("select max(count) from (select count(*) from match_run where ended_at is null group by brand_id) open")
        .await;
    assert!(most <= 1);
}

#[tokio::test]
async fn only_administrators_have_runs() {
    let admin = Admin::new().await;
    let brand = admin.brand_beside_terms("brivault", 1).await;
    admin.app.company_user("acme").await;
    let user = admin.app.login("user@acme.example").await;
    let headers = [("token", user.as_str())];
    let started = admin
        .app
        .post(&format!("/api/Brands/{brand}/matchRuns"), &json!({}), &headers)
        .await;
    assert_eq!(started.status, StatusCode::FORBIDDEN);
    let listed = admin.app.get("/api/Brands/matchRuns", &headers).await;
    assert_eq!(listed.status, StatusCode::FORBIDDEN);
    assert_eq!(admin.acknowledge(&user, &json!({"id": 1})).await, StatusCode::FORBIDDEN);
}
