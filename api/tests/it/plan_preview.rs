//! What a change of terms would cost.

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::resources::Admin;

const HOUR: i64 = 3_600_000;

async fn cost(admin: &Admin, body: &Value) -> Value {
    let (status, answer) = admin.post("/api/Terms/planPreview", body).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    answer["data"].clone()
}

#[tokio::test]
async fn a_change_costs_what_the_scheduler_then_plans() {
    let admin = Admin::new().await;
    let place: i32 = admin
        .app
        .postgres
        .fetch("select min(id) from localization where locale = 'fr_FR'")
        .await;
    let term = |words: &str, engine: &str, state: &str, devices: Value| json!({"term": words, "engine": engine, "state": state, "devices": devices, "every": 24 * HOUR, "localizationId": place});
    let desktop = json!(["DESKTOP"]);
    let both = json!(["DESKTOP", "MOBILE"]);
    let paused = admin.id("/api/Terms", &term("a", "GOOGLE", "disabled", both)).await;
    let running = admin
        .id("/api/Terms", &term("b", "GOOGLE", "enabled", desktop.clone()))
        .await;
    admin
        .id("/api/Terms", &term("c", "GOOGLE", "enabled", desktop.clone()))
        .await;
    let other = admin.id("/api/Terms", &term("d", "BING", "enabled", desktop)).await;
    let incomplete = admin.id("/api/Terms", &json!({"term": "e", "every": HOUR})).await;
    schedules::pass(&admin.app.postgres.pool).await.unwrap();

    let body = json!({"ids": [paused, running, incomplete, incomplete, 999_999], "change": {"state": "enabled", "every": HOUR}});
    let data = cost(&admin, &body).await;
    assert_eq!(
        (&data["terms"], &data["perDay"]),
        (&json!(3), &json!({"before": 1.0, "after": 72.0}))
    );
    let google = &data["engines"][0];
    assert_eq!(data["engines"].as_array().unwrap().len(), 1, "{data}");
    assert_eq!(
        (&google["engine"], &google["country"], &google["limitPerHour"]),
        (&json!("google"), &json!(null), &json!(3600))
    );
    let near = |figure: &Value, expected: f64| (figure.as_f64().unwrap() - expected).abs() < 1e-9;
    assert!(near(&google["perHour"]["before"], 2.0 / 24.0), "{google}");
    assert!(near(&google["perHour"]["after"], 3.0 + 1.0 / 24.0), "{google}");
    assert!(near(&google["share"]["after"], (3.0 + 1.0 / 24.0) / 3600.0), "{google}");

    let body = json!({"where": {"engine": "BING"}, "change": {"state": "archived"}});
    let data = cost(&admin, &body).await;
    assert_eq!(
        (&data["terms"], &data["perDay"]),
        (&json!(1), &json!({"before": 1.0, "after": 0.0}))
    );
    assert_eq!(data["engines"][0]["engine"], "bing");

    let archived = json!({"state": "archived"});
    let path = format!("/api/Terms/update?where=%7B%22id%22:{other}%7D");
    let (_, changed) = admin.post(&path, &archived).await;
    assert_eq!(changed["count"], 1);
    schedules::pass(&admin.app.postgres.pool).await.unwrap();
    let grids: i64 = admin
        .app
        .postgres
        .fetch("select count(*) from term_due join term on term.id = term_id where engine = 'BING'")
        .await;
    assert_eq!(grids, 0);
}

#[tokio::test]
async fn a_plan_names_its_terms_and_values_that_they_can_have() {
    let admin = Admin::new().await;
    for (body, field) in [
        (json!({"change": {}}), "ids"),
        (json!({"ids": (0..10_001).collect::<Vec<_>>(), "change": {}}), "ids"),
        (json!({"ids": [1], "change": {"every": -1}}), "every"),
        (json!({"ids": [1], "change": {"state": "lost"}}), "state"),
    ] {
        let (status, answer) = admin.post("/api/Terms/planPreview", &body).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{answer}");
        assert!(answer["error"]["details"]["messages"].get(field).is_some(), "{answer}");
    }
    let unknown = json!({"where": {"nothing": 1}, "change": {}});
    let (status, _) = admin.post("/api/Terms/planPreview", &unknown).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    let data = cost(&admin, &json!({"ids": [], "change": {"state": "enabled"}})).await;
    assert_eq!(
        data,
        json!({"terms": 0, "perDay": {"before": 0.0, "after": 0.0}, "engines": []})
    );
}
