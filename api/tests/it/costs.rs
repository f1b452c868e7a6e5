//! What one request may cost: it is refused before it is dear.

use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::app::App;
use crate::resources::{Admin, argument};

/// A refusal takes milliseconds; a busy machine may take longer.
const AT_ONCE: Duration = Duration::from_secs(3);

#[tokio::test]
async fn a_form_of_many_keys_is_refused_before_sign_in() {
    let app = App::start().await;
    let form: String = (0..100_000).map(|n| format!("k{n}=&")).collect::<Vec<_>>().concat();
    let headers = [("content-type", "application/x-www-form-urlencoded")];
    let start = Instant::now();
    let answer = app
        .send("POST", "/api/UserAccounts/login", Body::from(form), &headers)
        .await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{}", answer.body);
    assert!(start.elapsed() < AT_ONCE, "{:?}", start.elapsed());
}

/// Fifty brands with a hundred terms: each level of `terms.brand` is a hundred times as long as the one before.
async fn family(admin: &Admin) {
    admin
        .app
        .postgres
        .execute("insert into brand (label, name) select 'b' || n, 'b' || n from generate_series(1, 50) n")
        .await;
    admin
        .app
        .postgres
        .execute(
            "insert into term (term, brand_id) select 't' || n, (select min(id) from brand) + n % 50 from generate_series(1, 5000) n",
        )
        .await;
}

fn nested(levels: usize) -> Value {
    (0..levels).fold(json!([]), |inner, level| {
        let relation = if (levels - level) % 2 == 1 { "terms" } else { "brand" };
        json!({ "relation": relation, "scope": { "include": inner } })
    })
}

#[tokio::test]
async fn rows_that_include_each_other_are_answered_or_refused_and_never_endless() {
    let admin = Admin::new().await;
    family(&admin).await;
    let ask = |levels| argument("filter", &json!({ "include": nested(levels) }));
    let (status, rows) = admin.get(&format!("/api/Brands?{}", ask(2))).await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(rows[0]["terms"].as_array().unwrap().len(), 100);
    assert_eq!(rows[0]["terms"][99]["brand"]["id"], rows[0]["id"]);
    for levels in [6, 10] {
        let (status, answer) = admin.get(&format!("/api/Brands?{}", ask(levels))).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{levels} levels");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains("Ask for fewer rows"), "{message}");
    }
    let (status, _) = admin.get(&format!("/api/Brands?{}", ask(20))).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn a_change_of_more_rows_than_one_call_may_is_refused_and_one_of_fewer_is_kept_whole() {
    let admin = Admin::new().await;
    admin
        .app
        .postgres
        .execute("insert into term (term, state) select 't' || n, case n when 1 then 'archived' else 'disabled' end from generate_series(1, 80001) n")
        .await;
    let change = |condition: &Value| format!("/api/Terms/update?{}", argument("where", condition));
    let (status, answer) = admin
        .post(
            &change(&json!({ "state": "disabled" })),
            &json!({ "state": "archived" }),
        )
        .await;
    assert_eq!(status, StatusCode::BAD_REQUEST, "{answer}");
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(message.contains("10000 rows"), "{message}");
    let first: i64 = admin.app.postgres.fetch("select min(id)::int8 + 1 from term").await;
    let some = json!({ "id": { "between": [first, first + 7_999] } });
    let (status, answer) = admin.post(&change(&some), &json!({ "state": "archived" })).await;
    assert_eq!((status, answer), (StatusCode::OK, json!({ "count": 8_000 })));
    let kept: i64 = admin
        .app
        .postgres
        .fetch("select count(*) from audit_entry where event = 'change' and details->'before'->>'state' = 'disabled'")
        .await;
    assert_eq!(kept, 8_000);
}

#[tokio::test]
async fn an_expression_may_match_more_rows_than_a_statement_takes_parameters() {
    let admin = Admin::new().await;
    admin
        .app
        .postgres
        .execute("insert into term (term) select 't' || n from generate_series(1, 70000) n")
        .await;
    let all = argument("where", &json!({ "term": { "regexp": "^t[0-9]+$" } }));
    let (status, answer) = admin.get(&format!("/api/Terms/count?{all}")).await;
    assert_eq!((status, answer), (StatusCode::OK, json!({ "count": 70_000 })));
}
