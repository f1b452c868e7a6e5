//! What a change of terms would cost.

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::resources::Admin;

const HOUR: i64 = 3_600_000;

impl Admin {
    /// A place that searches are made from.
    async fn french_place(&self) -> i32 {
        let place = "select min(id) from localization where locale = 'fr_FR'";
        self.app.postgres.fetch(place).await
    }
}

async fn cost(admin: &Admin, body: &Value) -> Value {
    let (status, answer) = admin.post("/api/Terms/planPreview", body).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    answer["data"].clone()
}

/// A request about new terms with these fields in place of the usual ones.
fn new_terms(fields: &Value) -> Value {
    let mut new =
        json!({"words": ["a"], "engine": "GOOGLE", "devices": ["DESKTOP"], "every": 24 * HOUR, "state": "enabled"});
    for (name, value) in fields.as_object().unwrap() {
        new[name] = value.clone();
    }
    json!({"newTerms": new})
}

#[tokio::test]
async fn a_change_costs_what_the_scheduler_then_plans() {
    let admin = Admin::new().await;
    let place = admin.french_place().await;
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
        (
            json!({"ids": [1], "change": {"searchConvertRate": 1.5}}),
            "searchConvertRate",
        ),
        (new_terms(&json!({"words": vec!["a"; 1_001]})), "words"),
        (new_terms(&json!({"words": ["a".repeat(81)]})), "words"),
        (new_terms(&json!({"engine": "YAHOO"})), "engine"),
        (new_terms(&json!({"devices": ["WATCH"]})), "devices"),
        (new_terms(&json!({"every": -1})), "every"),
        (new_terms(&json!({"state": "lost"})), "state"),
        (new_terms(&json!({"localizationId": 999_999})), "localizationId"),
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
        json!({"terms": 0, "perDay": {"before": 0.0, "after": 0.0}, "engines": [], "quotas": []})
    );
}

#[tokio::test]
async fn automatic_terms_are_planned_by_the_rate_of_the_change() {
    let admin = Admin::new().await;
    let place = admin.french_place().await;
    let term =
        json!({"term": "a", "engine": "GOOGLE", "state": "enabled", "every": 24 * HOUR, "localizationId": place});
    let id = admin.id("/api/Terms", &term).await;
    let volume = r#"update term set search_stats = '{"monthly": 10000}', search_convert_rate = 0.01"#;
    admin.app.postgres.execute(volume).await;
    // A hundred captures a month of 732 hours, 7.32 hours each: every twelve hours.
    for (change, a_day) in [
        (json!({"every": 0}), 2.0),
        // 500 captures: every two hours (decision D92).
        (json!({"every": 0, "searchConvertRate": 0.05}), 12.0),
        (json!({"searchConvertRate": 0.05}), 1.0),
    ] {
        let data = cost(&admin, &json!({"ids": [id], "change": change})).await;
        assert_eq!(data["perDay"], json!({"before": 1.0, "after": a_day}), "{change}");
    }
}

#[tokio::test]
async fn new_terms_cost_what_the_scheduler_plans_once_they_are_made() {
    let admin = Admin::new().await;
    let (acme, brand) = admin.company("acme").await;
    let (bolt, _) = admin.company("bolt").await;
    let pattern = json!({"autoMatchRegExp": "acme", "validated": true});
    let (_, patched) = admin.sent("PATCH", &format!("/api/Brands/{brand}"), &pattern).await;
    assert_eq!(patched["validated"], true, "{patched}");
    for (account, quota) in [(acme, 100), (bolt, 1_000)] {
        let limit = json!({"captureQuota": quota});
        admin
            .sent("PATCH", &format!("/api/CompanyAccounts/{account}"), &limit)
            .await;
    }
    let place = admin.french_place().await;
    let there = json!({"term": "Acme  Shoes", "engine": "GOOGLE", "state": "enabled", "every": 24 * HOUR, "localizationId": place});
    let there = admin.id("/api/Terms", &there).await;
    schedules::pass(&admin.app.postgres.pool).await.unwrap();

    let given = json!({
        "words": ["acme shoes", "acme bag", "bag"], "localizationId": place, "devices": ["DESKTOP", "MOBILE"], "canBeAccessBy": [bolt],
    });
    let (status, answer) = admin.post("/api/Terms/planPreview", &new_terms(&given)).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    assert_eq!(
        answer["newTerms"],
        json!({
            "existing": [{"id": there, "term": "acme shoes"}],
            "brands": [{"id": brand, "label": "acme", "terms": 1}],
            "withoutBrand": ["bag"],
        })
    );
    let data = &answer["data"];
    assert_eq!(
        (&data["terms"], &data["perDay"]),
        (&json!(2), &json!({"before": 0.0, "after": 4.0}))
    );
    let per_hour = &data["engines"][0]["perHour"];
    let near = |figure: &Value, expected: f64| (figure.as_f64().unwrap() - expected).abs() < 1e-9;
    assert!(
        near(&per_hour["before"], 1.0 / 24.0) && near(&per_hour["after"], 5.0 / 24.0),
        "{per_hour}"
    );
    // A term a day makes 30.5 captures a month: acme has one and gets one on two devices, bolt gets access to two.
    assert_eq!(
        data["quotas"],
        json!([
            {"companyAccountID": acme, "name": "acme", "quota": 100, "perMonth": {"before": 31, "after": 92}},
            {"companyAccountID": bolt, "name": "bolt", "quota": 1_000, "perMonth": {"before": 0, "after": 122}},
        ])
    );
    let count: i64 = admin.app.postgres.fetch("select count(*) from term").await;
    assert_eq!(count, 1, "nothing was made");

    let shared = json!({"engine": "GOOGLE", "localizationId": place, "devices": ["DESKTOP", "MOBILE"], "every": 24 * HOUR, "state": "enabled", "canBeAccessBy": [bolt]});
    let rows = ["acme shoes", "acme bag", "bag"].map(|words| {
        let mut row = shared.clone();
        row["term"] = json!(words);
        row
    });
    let (status, made) = admin.post("/api/Terms", &json!(rows)).await;
    assert_eq!((status, made.as_array().unwrap().len()), (StatusCode::OK, 2), "{made}");
    schedules::pass(&admin.app.postgres.pool).await.unwrap();
    let planned: f64 = admin
        .app
        .postgres
        .fetch("select sum(3600000.0::double precision / every_ms) from term_due")
        .await;
    assert!((planned - 5.0 / 24.0).abs() < 1e-9, "{planned}");
    let (_, uses) = admin.get("/api/captureUse").await;
    let planned = |account: i64| {
        let mut uses = uses["data"].as_array().unwrap().iter();
        uses.find(|of| of["companyAccountID"] == account).unwrap()["planned"].clone()
    };
    assert_eq!((planned(acme), planned(bolt)), (json!(92), json!(122)));
}

#[tokio::test]
async fn terms_that_are_paused_or_have_no_place_to_be_searched_from_cost_nothing() {
    let admin = Admin::new().await;
    let nowhere = admin
        .id("/api/Localizations", &json!({"locale": "fr", "city": "Paris"}))
        .await;
    for fields in [json!({"state": "disabled"}), json!({"localizationId": nowhere})] {
        let data = cost(&admin, &new_terms(&fields)).await;
        assert_eq!(data["perDay"]["after"], 0.0, "{fields}");
    }
    let data = cost(&admin, &new_terms(&json!({}))).await;
    assert_eq!(data["perDay"]["after"], 1.0, "no place is chosen yet");
}
