//! How often words are searched in a month, as the simulator counts it.

use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::support::Stand;

async fn ask(stand: &Stand, question: &Value) -> (StatusCode, Value) {
    let address = format!("http://{}/volumes", stand.address);
    let response = stand.client.post(address).json(question).send().await.unwrap();
    let status = response.status();
    let body = response.bytes().await.unwrap();
    (status, serde_json::from_slice(&body).unwrap_or_default())
}

#[tokio::test]
async fn the_same_words_have_the_same_searches_and_others_have_others() {
    let stand = Stand::of_seed(1).await;
    let terms: Vec<String> = (0..200).map(|n| format!("shoes {n}")).collect();
    let question = json!({"engine": "google", "locale": "fr_FR", "terms": terms});
    let (status, answer) = ask(&stand, &question).await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(ask(&stand, &question).await.1, answer);
    let volumes = answer["volumes"].as_array().unwrap();
    assert!(
        volumes
            .iter()
            .map(|one| one["term"].as_str().unwrap())
            .eq(terms.iter().map(String::as_str))
    );
    assert!(volumes.iter().any(|one| one["monthly"].is_null()));
    let counts: Vec<u64> = volumes.iter().filter_map(|one| one["monthly"].as_u64()).collect();
    assert!(counts.iter().all(|count| (10..=99_000).contains(count)));
    assert!(counts.iter().any(|count| *count < 1_000) && counts.iter().any(|count| *count > 10_000));
    let elsewhere = json!({"engine": "bing", "locale": "fr_FR", "terms": terms});
    assert_ne!(ask(&stand, &elsewhere).await.1, answer);
}

#[tokio::test]
async fn a_question_that_breaks_a_rule_is_refused() {
    let stand = Stand::of_seed(1).await;
    let question =
        |engine: &str, locale: &str, terms: Value| json!({"engine": engine, "locale": locale, "terms": terms});
    for wrong in [
        question("google", "french", json!(["shoes"])),
        question("google", "fr_FR", json!([])),
        question("google", "fr_FR", json!(["shoes", " "])),
        question("google", "fr_FR", json!(["x".repeat(81)])),
        question("google", "fr_FR", json!(vec!["shoes"; 201])),
    ] {
        assert_eq!(ask(&stand, &wrong).await.0, StatusCode::UNPROCESSABLE_ENTITY, "{wrong}");
    }
    let more = json!({"engine": "google", "locale": "fr_FR", "terms": ["shoes"], "city": "Paris"});
    for unread in [more, question("yahoo", "fr_FR", json!(["shoes"]))] {
        assert!(ask(&stand, &unread).await.0.is_client_error(), "{unread}");
    }
    let failing = question("google", "fr_FR", json!(["shoes fault-volumes"]));
    assert_eq!(ask(&stand, &failing).await.0, StatusCode::SERVICE_UNAVAILABLE);
}
