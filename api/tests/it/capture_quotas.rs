//! Quotas of company accounts, and what is planned on the engines.

use axum::body::Body;
use axum::http::StatusCode;
use runtime::settings::CountryProxy;
use serde_json::{Value, json};

use crate::app::settings;
use crate::resources::Admin;

const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;

impl Admin {
    /// Sends a request with any method as the administrator.
    pub async fn sent(&self, method: &str, path: &str, body: &Value) -> (StatusCode, Value) {
        let headers = [("token", self.token.as_str()), ("content-type", "application/json")];
        let answer = self
            .app
            .send(method, path, Body::from(body.to_string()), &headers)
            .await;
        (answer.status, answer.body)
    }

    /// The company account and brand of `name`, whose user signs in as `user@NAME.example`.
    pub async fn company(&self, name: &str) -> (i64, i64) {
        self.app.company_user(name).await;
        let (_, accounts) = self.get("/api/CompanyAccounts?filter[include]=brands").await;
        let mut accounts = accounts.as_array().unwrap().iter();
        let account = accounts.find(|account| account["name"] == name).unwrap();
        (
            account["id"].as_i64().unwrap(),
            account["brands"][0]["id"].as_i64().unwrap(),
        )
    }

    async fn limit(&self, account: i64, quota: &Value) -> (StatusCode, Value) {
        let path = format!("/api/CompanyAccounts/{account}");
        self.sent("PATCH", &path, &json!({"captureQuota": quota})).await
    }

    /// A term that is searched once a day, or makes 30.5 captures a month.
    async fn term_of(&self, words: &str, brand: i64, state: &str) -> (StatusCode, Value) {
        let place: i32 = self
            .app
            .postgres
            .fetch("select min(id) from localization where locale = 'fr_FR'")
            .await;
        let term = json!({"term": words, "engine": "GOOGLE", "state": state, "every": DAY, "localizationId": place, "brandId": brand});
        self.post("/api/Terms", &term).await
    }

    /// The figures of an account as its user, or staff, reads them.
    async fn captures(&self, email: &str) -> Vec<Value> {
        let token = self.app.login(email).await;
        let answer = self.app.get("/api/captureUse", &[("token", &token)]).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
        answer.body["data"].as_array().unwrap().clone()
    }
}

fn refusal(answer: &(StatusCode, Value)) -> (u16, &str) {
    (
        answer.0.as_u16(),
        answer.1["error"]["code"].as_str().unwrap_or_default(),
    )
}

const EXCEEDED: (u16, &str) = (409, "CAPTURE_QUOTA_EXCEEDED");

#[tokio::test]
async fn nothing_is_planned_beyond_the_quota_of_an_account() {
    let admin = Admin::new().await;
    let (acme, brand) = admin.company("acme").await;
    let (bolt, other_brand) = admin.company("bolt").await;
    assert_eq!(admin.limit(acme, &json!(61)).await.0, StatusCode::OK);
    for words in ["one", "two"] {
        assert_eq!(admin.term_of(words, brand, "enabled").await.0, StatusCode::OK);
    }
    let third = admin.term_of("three", brand, "enabled").await;
    assert_eq!(refusal(&third), EXCEEDED);
    assert_eq!(
        third.1["error"]["message"],
        "acme may plan 61 captures a month, and this would be 92. Nothing was changed."
    );
    let (_, count) = admin.get("/api/Terms/count").await;
    assert_eq!(count["count"], 2);

    // Each way that leads to more.
    let (status, paused) = admin.term_of("three", brand, "disabled").await;
    assert_eq!(status, StatusCode::OK, "{paused}");
    let paused = format!("/api/Terms/{}", paused["id"]);
    let enabled = admin.sent("PATCH", &paused, &json!({"state": "enabled"})).await;
    assert_eq!(refusal(&enabled), EXCEEDED);
    let hourly = admin
        .sent(
            "PATCH",
            "/api/Terms?where=%7B%22state%22:%22enabled%22%7D&confirm=all",
            &json!({"every": HOUR}),
        )
        .await;
    assert_eq!(refusal(&hourly), EXCEEDED);
    let (_, others) = admin.term_of("four", other_brand, "enabled").await;
    let given = format!("/api/Terms/{}/canBeAccessBy/rel/{acme}", others["id"]);
    assert_eq!(refusal(&admin.sent("PUT", &given, &json!({})).await), EXCEEDED);
    let linked = format!("/api/Brands/{other_brand}/companyAccounts/rel/{acme}");
    assert_eq!(refusal(&admin.sent("PUT", &linked, &json!({})).await), EXCEEDED);
    let rebranded = format!("/api/Terms/{}", others["id"]);
    let rebranded = admin.sent("PATCH", &rebranded, &json!({"brandId": brand})).await;
    assert_eq!(refusal(&rebranded), EXCEEDED);

    let (_, terms) = admin.get("/api/Terms?filter[where][term]=two").await;
    let two = terms[0]["id"].clone();
    assert_eq!(
        admin.sent("DELETE", &format!("/api/Terms/{two}"), &json!({})).await.0,
        StatusCode::OK
    );
    assert_eq!(admin.term_of("six", brand, "enabled").await.0, StatusCode::OK);
    let back = admin
        .sent("POST", "/api/Deleted/Term/bringBack", &json!({"ids": [two]}))
        .await;
    assert_eq!(refusal(&back), EXCEEDED);

    // Without a quota, and for what plans no more, there is no limit.
    assert_eq!(admin.limit(acme, &json!(10)).await.0, StatusCode::OK);
    let renamed = admin.sent("PATCH", &paused, &json!({"region": "north"})).await;
    assert_eq!(renamed.0, StatusCode::OK);
    let one = json!({"every": 2 * DAY});
    let slower = admin
        .sent("PATCH", "/api/Terms?where=%7B%22term%22:%22one%22%7D", &one)
        .await;
    assert_eq!(slower.0, StatusCode::OK, "{}", slower.1);
    assert_eq!(admin.limit(acme, &json!(null)).await.0, StatusCode::OK);
    let enabled = admin.sent("PATCH", &paused, &json!({"state": "enabled"})).await;
    assert_eq!(enabled.0, StatusCode::OK);
    assert_eq!(admin.limit(bolt, &json!(0)).await.0, StatusCode::OK);
    let (status, _) = admin.term_of("five", other_brand, "disabled").await;
    assert_eq!(status, StatusCode::OK);
}

#[tokio::test]
async fn two_changes_at_once_do_not_pass_a_quota_together() {
    let admin = Admin::new().await;
    let (acme, brand) = admin.company("acme").await;
    admin.limit(acme, &json!(31)).await;
    for round in 0..5 {
        let names = ["a", "b", "c"].map(|name| format!("{name}{round}"));
        let (one, two, three) = tokio::join!(
            admin.term_of(&names[0], brand, "enabled"),
            admin.term_of(&names[1], brand, "enabled"),
            admin.term_of(&names[2], brand, "enabled"),
        );
        let mut statuses = [one.0, two.0, three.0].map(|status| status.as_u16());
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 409, 409]);
        admin.app.postgres.execute("delete from term").await;
    }
    // A term is enabled while its brand is given away.
    let (bolt, _) = admin.company("bolt").await;
    admin.limit(acme, &json!(null)).await;
    admin.limit(bolt, &json!(30)).await;
    let (_, term) = admin.term_of("d", brand, "disabled").await;
    let term = format!("/api/Terms/{}", term["id"]);
    let link = format!("/api/Brands/{brand}/companyAccounts/rel/{bolt}");
    let (state, empty) = (json!({"state": "enabled"}), json!({}));
    let (enabled, linked) = tokio::join!(admin.sent("PATCH", &term, &state), admin.sent("PUT", &link, &empty));
    let refused = [&enabled, &linked]
        .into_iter()
        .filter(|answer| refusal(answer) == EXCEEDED);
    assert_eq!(refused.count(), 1, "{enabled:?} {linked:?}");
}

#[tokio::test]
async fn a_quota_is_set_by_administrators_within_its_bounds() {
    let admin = Admin::new().await;
    let (acme, _) = admin.company("acme").await;
    admin.limit(acme, &json!(7)).await;
    let wrong = [
        json!(-1),
        json!(100_000_001),
        json!(1.5),
        json!("many"),
        json!("12"),
        json!(""),
        json!(true),
        json!([5]),
    ];
    for wrong in wrong {
        let (status, answer) = admin.limit(acme, &wrong).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{wrong}: {answer}");
        assert!(
            answer["error"]["details"]["codes"].get("captureQuota").is_some(),
            "{wrong}: {answer}"
        );
    }
    let kept: i64 = admin
        .app
        .postgres
        .fetch("select capture_quota::int8 from company_account where capture_quota is not null")
        .await;
    assert_eq!(kept, 7, "no mistake takes it away");
    let token = admin.app.login("user@acme.example").await;
    let path = format!("/api/CompanyAccounts/{acme}");
    let headers = [("token", token.as_str()), ("content-type", "application/json")];
    let body = Body::from(r#"{"captureQuota": 5}"#);
    let answer = admin.app.send("PATCH", &path, body, &headers).await;
    assert!(
        [StatusCode::FORBIDDEN, StatusCode::UNAUTHORIZED].contains(&answer.status),
        "{}",
        answer.body
    );
    admin.limit(acme, &json!(5)).await;
    let trail: Value = admin
        .app
        .postgres
        .fetch("select details from audit_entry where model = 'CompanyAccount' order by id desc limit 1")
        .await;
    assert_eq!(trail["after"]["captureQuota"], 5, "{trail}");
}

#[tokio::test]
async fn an_account_sees_its_own_captures_and_staff_those_of_all() {
    let admin = Admin::new().await;
    let (acme, brand) = admin.company("acme").await;
    let (bolt, _) = admin.company("bolt").await;
    admin.app.operator().await;
    admin.limit(acme, &json!(100)).await;
    admin.term_of("one", brand, "enabled").await;
    admin.term_of("two", brand, "disabled").await;
    schedules::pass(&admin.app.postgres.pool).await.unwrap();
    let figures =
        |used: i64| json!({"companyAccountID": acme, "name": "acme", "quota": 100, "planned": 31, "used": used});
    assert_eq!(admin.captures("user@acme.example").await, [figures(0)]);
    admin
        .app
        .postgres
        .execute("update slot set state = 'verified', settled_at = now()")
        .await;
    assert_eq!(admin.captures("user@acme.example").await, [figures(1)]);
    let of_bolt = json!({"companyAccountID": bolt, "name": "bolt", "quota": null, "planned": 0, "used": 0});
    assert_eq!(
        admin.captures("user@bolt.example").await,
        std::slice::from_ref(&of_bolt)
    );
    for email in ["operator@vigie.example", "admin@vigie.example"] {
        assert_eq!(admin.captures(email).await, [figures(1), of_bolt.clone()], "{email}");
    }
    // Days that are summed count once.
    admin
        .app
        .postgres
        .execute(
            "insert into ledger_day (day, term_id, device, planned, valid, doubtful, failed, missed)
             select (slot_ts at time zone 'UTC')::date, term_id, 'desktop', 5, 3, 1, 1, 0 from slot;
             insert into ledger_day_seal (day) select (slot_ts at time zone 'UTC')::date from slot",
        )
        .await;
    assert_eq!(admin.captures("user@acme.example").await, [figures(4)]);
}

#[tokio::test]
async fn what_is_planned_each_hour_is_counted_by_engine_and_proxy() {
    let mut admin = Admin::new().await;
    let mut settings = settings();
    settings.engines.google.per_minute = 1;
    settings.engines.google.country_proxies =
        vec![CountryProxy::try_from("FR=http://user:secret@french.example:3128".to_owned()).unwrap()];
    admin.app.set(settings);
    let brand = i64::from(admin.app.postgres.brand("acme").await.0);
    for number in 0..70 {
        admin.term_of(&format!("term {number}"), brand, "enabled").await;
    }
    schedules::pass(&admin.app.postgres.pool).await.unwrap();
    let (status, plan) = admin.get("/api/operations/capacity").await;
    assert_eq!(status, StatusCode::OK, "{plan}");
    let route = &plan["routes"][0];
    assert_eq!(plan["routes"].as_array().unwrap().len(), 1, "{plan}");
    assert_eq!(
        (
            &route["engine"],
            &route["proxy"],
            &route["countries"],
            &route["perMinute"]
        ),
        (
            &json!("google"),
            &json!("french.example:3128"),
            &json!(["FR"]),
            &json!(1)
        )
    );
    let planned: Vec<u64> = serde_json::from_value(route["planned"].clone()).unwrap();
    assert_eq!(planned.len(), 24);
    // New terms are due at once, and once more within the day unless that is less than a quarter of it later.
    assert!(planned[0] >= 70, "{planned:?}");
    let over: u64 = planned.iter().map(|captures| captures.saturating_sub(60)).sum();
    assert_eq!(route["over"], over);
    assert!(!plan.to_string().contains("secret"));
}
