//! Changes of many rows: a condition that means all of them needs an administrator who says so.

use axum::http::StatusCode;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::strategy::{BoxedStrategy, ValueTree};
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

use crate::app::App;

/// Conditions that proptest generates.
const CASES: usize = 150;

/// Conditions that hold for every row, whatever it contains.
fn tautologies() -> impl Strategy<Value = Value> {
    let number = -5_i64..1_000;
    let leaf = prop_oneof![
        number
            .clone()
            .prop_map(|n| json!({"or": [{"every": n}, {"every": {"neq": n}}, {"every": null}]})),
        number
            .clone()
            .prop_map(|n| json!({"or": [{"id": {"lt": n}}, {"id": {"gte": n}}]})),
        number
            .clone()
            .prop_map(|n| json!({"or": [{"id": {"gt": n}}, {"id": {"lte": n + 1}}]})),
        number.prop_map(|n| json!({"or": [{"id": {"between": [0, n]}}, {"id": {"lt": 1}}, {"id": {"gt": n}}]})),
        "[a-z]{1,6}".prop_map(|text| json!({"or": [{"term": {"lt": text}}, {"term": {"gte": text}}]})),
        "[a-z]{1,6}".prop_map(|text| json!({"or": [{"term": {"like": text}}, {"term": {"nlike": text}}]})),
        "[x-z]{8}".prop_map(|text| json!({"term": {"nlike": format!("%{text}%")}})),
        "[x-z]{8}".prop_map(|text| json!({"term": {"neq": text}})),
        "[x-z]{8}".prop_map(|text| json!({"term": {"nin": [text]}})),
        Just(json!({"term": {"like": "%%"}})),
        Just(json!({"term": {"regexp": "^.*$"}})),
        Just(json!({"id": {"gt": -1}})),
        Just(json!({"id": {"lt": 2_000_000_000}})),
        Just(json!({"or": [{"state": {"inq": ["enabled", "archived"]}}, {"state": "disabled"}]})),
        Just(json!({"state": {"inq": ["enabled", "disabled", "archived"]}})),
        Just(json!({})),
    ];
    leaf.prop_recursive(3, 12, 3, |inner: BoxedStrategy<Value>| {
        let other = any::<bool>().prop_map(|enabled| {
            let state = if enabled { "enabled" } else { "archived" };
            json!({ "state": state })
        });
        prop_oneof![
            proptest::collection::vec(inner.clone(), 1..3).prop_map(|list| json!({ "and": list })),
            (inner.clone(), other).prop_map(|(always, some)| json!({"or": [some, always]})),
        ]
    })
}

#[tokio::test]
async fn a_condition_that_means_all_changes_nothing_unless_an_administrator_says_so() {
    let app = App::start().await;
    app.admin().await;
    app.company_user("acme").await;
    let token = app.login("admin@vigie.example").await;
    let brand: i64 = app.postgres.fetch("select id::int8 from brand").await;
    for (term, state) in [
        ("red shoes", "enabled"),
        ("blue shoes", "disabled"),
        ("boots", "archived"),
    ] {
        let body = json!({"term": term, "state": state, "every": 3_600_000, "brandId": brand});
        let made = app.post("/api/Terms", &body, &[("token", &token)]).await;
        assert_eq!(made.status, StatusCode::OK, "{}", made.body);
    }
    let rows = "select string_agg(t::text, '|' order by id) from term t";
    let before: String = app.postgres.fetch(rows).await;
    let mut runner = TestRunner::deterministic();
    let headers = [("token", token.as_str()), ("content-type", "application/json")];
    for _ in 0..CASES {
        let condition = tautologies().new_tree(&mut runner).unwrap().current();
        let query: String = url::form_urlencoded::byte_serialize(condition.to_string().as_bytes()).collect();
        for (method, path) in [("POST", "/api/Terms/update"), ("DELETE", "/api/Terms")] {
            let (status, answer) = app
                .text(
                    method,
                    &format!("{path}?where={query}"),
                    "{\"region\":\"stolen\"}",
                    &headers,
                )
                .await;
            assert_eq!(status, StatusCode::BAD_REQUEST, "{method} {condition}: {answer}");
        }
    }
    assert_eq!(app.postgres.fetch::<String>(rows).await, before);

    // What names its rows goes through, were they all there are.
    for (condition, count) in [
        (json!({"state": "enabled"}), 1),
        (json!({"term": {"like": "%shoes"}}), 2),
        (json!({"brandId": brand}), 3),
        (json!({"or": [{"state": "enabled"}, {"state": "archived"}]}), 2),
    ] {
        let query: String = url::form_urlencoded::byte_serialize(condition.to_string().as_bytes()).collect();
        let path = format!("/api/Terms/update?where={query}");
        let (status, answer) = app.text("POST", &path, "{\"region\":\"north\"}", &headers).await;
        assert_eq!(
            (status, answer),
            (StatusCode::OK, format!("{{\"count\":{count}}}")),
            "{condition}"
        );
    }
    let all = "/api/Terms/update?where=%7B%22term%22:%7B%22neq%22:%22x%22%7D%7D&confirm=all";
    let (status, answer) = app.text("POST", all, "{\"region\":\"south\"}", &headers).await;
    assert_eq!((status, answer.as_str()), (StatusCode::OK, "{\"count\":3}"));
}

#[tokio::test]
async fn who_is_no_administrator_cannot_mean_all() {
    let app = App::start().await;
    app.company_user("acme").await;
    let token = app.login("user@acme.example").await;
    let brand: i64 = app.postgres.fetch("select id::int8 from brand").await;
    for label in ["One", "Two"] {
        let tag = json!({"label": label, "visibility": "owner", "scope": "tag", "brandOwnerId": brand});
        app.post("/api/Categories", &tag, &[("token", &token)]).await;
    }
    let path = "/api/Categories/update?where=%7B%22label%22:%7B%22neq%22:%22x%22%7D%7D&confirm=all";
    let refused = app.post(path, &json!({"label": "Same"}), &[("token", &token)]).await;
    assert_eq!(refused.status, StatusCode::BAD_REQUEST, "{}", refused.body);
}
