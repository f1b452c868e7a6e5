//! The search in the header.

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::app::App;
use crate::seen::Market;

async fn found(app: &App, token: &str, text: &str) -> Value {
    let answer = app.get(&format!("/api/search?query={text}"), &[("token", token)]).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
    answer.body["data"].clone()
}

fn names(found: &Value, kind: &str, field: &str) -> Vec<String> {
    let rows = found[kind].as_array().unwrap();
    rows.iter()
        .map(|row| row[field].as_str().unwrap_or("").to_owned())
        .collect()
}

#[tokio::test]
async fn names_are_found_by_a_part_of_them_as_far_as_the_reader_sees_them() {
    let mut market = Market::new().await;
    market
        .app
        .postgres
        .execute("update action set domain = 'hidden.example' where brand_id = 2 and domain = 'five.example' and country = 'FR'")
        .await;
    let acme = market.app.login("user@acme.example").await;
    let bolt = market.app.login("user@bolt.example").await;
    let admin = market.app.login("admin@vigie.example").await;
    let operator = market.app.login("operator@vigie.example").await;
    for roll_up in [false, true] {
        if roll_up {
            market.app.roll_up().await;
        }
        let app = &market.app;
        // What begins with the text comes first.
        let own = found(app, &acme, "ONE.exa").await;
        assert_eq!(names(&own, "domains", "domain"), ["one.example", "www2.one.example"]);
        assert!(own["domains"][0]["views"].as_u64().unwrap() > 0);
        assert!(!names(&own, "cases", "domain").is_empty());
    }
    let app = &market.app;
    // Terms, brands and cases of another company are not found.
    assert_eq!(
        names(&found(app, &acme, "term").await, "terms", "words"),
        ["term 1", "term 2"]
    );
    assert_eq!(
        names(&found(app, &bolt, "term").await, "terms", "words"),
        ["term 3", "term 4"]
    );
    assert_eq!(names(&found(app, &operator, "term").await, "terms", "words").len(), 4);
    assert_eq!(
        names(&found(app, &acme, "bolt").await, "brands", "label"),
        Vec::<String>::new()
    );
    assert_eq!(names(&found(app, &operator, "bolt").await, "brands", "label").len(), 1);
    assert_eq!(found(app, &acme, "hidden").await["cases"], json!([]));
    assert_eq!(
        names(&found(app, &bolt, "hidden").await, "cases", "domain")[0],
        "hidden.example"
    );
    // Only administrators see accounts.
    assert_eq!(found(app, &operator, "user@").await["users"], json!([]));
    assert_eq!(
        names(&found(app, &admin, "user@").await, "users", "email"),
        ["user@acme.example", "user@bolt.example"]
    );
}

#[tokio::test]
async fn a_text_means_nothing_but_itself() {
    let market = Market::new().await;
    let admin = market.app.login("admin@vigie.example").await;
    for text in ["%25%25", "__", "t", ""] {
        let found = found(&market.app, &admin, text).await;
        for kind in ["domains", "terms", "brands", "cases", "users"] {
            assert_eq!(found[kind], json!([]), "{text} {kind}");
        }
    }
    let long = "x".repeat(300);
    let answer = market
        .app
        .get(&format!("/api/search?query={long}"), &[("token", &admin)])
        .await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
}
