//! Groups of advertisers: what ties domains together, and what persons say of it.

use analytics::signals::{self, SignalOfDay};
use axum::http::StatusCode;
use serde_json::{Value, json};
use uuid::Uuid;
use vocabulary::BrandId;

use crate::app::TestResponse;
use crate::monitoring::World;

const ACME: &str = "user@acme.example";
const BOLT: &str = "user@bolt.example";
const ADMIN: &str = "admin@vigie.example";
const DECIDE: &str = "/api/advertiserGroups/decide";

fn signal(brand: BrandId, domain: &str, kind: &str, value: &str) -> SignalOfDay {
    SignalOfDay {
        day: "2026-02-27".parse().unwrap(),
        brand_id: brand.0.unsigned_abs(),
        country: "FR".to_owned(),
        domain: domain.to_owned(),
        kind: kind.to_owned(),
        value: value.to_owned(),
        ads: 3,
        capture_id: Uuid::from_u128(7),
    }
}

/// Three domains of one merchant, of which one is seen by the first company, one by the second, and one by both; and a fourth that a click counter ties
/// to many.
async fn world() -> World {
    let world = World::new().await;
    let (acme, bolt) = (world.acme, world.bolt);
    let mut found = vec![
        signal(acme, "nord.example", "merchant", "51"),
        signal(bolt, "nord.example", "merchant", "51"),
        signal(acme, "sol.example", "merchant", "51"),
        signal(bolt, "vera.example", "merchant", "51"),
        signal(acme, "nord.example", "tracker", "relay.example adv=1"),
    ];
    for number in 0..7 {
        found.push(signal(
            acme,
            &format!("many-{number}.example"),
            "tracker",
            "relay.example adv=1",
        ));
    }
    signals::store(&world.app.state.analytics, &found).await.unwrap();
    world
}

async fn decide(world: &World, email: &str, one: &str, other: &str, verdict: &Value) -> TestResponse {
    let token = world.app.login(email).await;
    let body = json!({"one": one, "other": other, "verdict": verdict});
    world.app.post(DECIDE, &body, &[("token", &token)]).await
}

async fn group(world: &World, email: &str) -> Value {
    world.found(email, "/api/advertiserGroups/www.nord.example").await
}

/// The domains of a group, members first with a sign.
fn domains(group: &Value) -> Vec<String> {
    let domains = group["data"]["domains"].as_array().unwrap();
    domains
        .iter()
        .map(|one| {
            format!(
                "{}{}",
                if one["member"] == true { "+" } else { "" },
                one["domain"].as_str().unwrap()
            )
        })
        .collect()
}

#[tokio::test]
async fn evidence_is_what_the_reader_sees() {
    let world = world().await;
    let found = group(&world, ACME).await;
    assert_eq!(domains(&found), ["+nord.example", "sol.example"]);
    let link = &found["data"]["links"][0];
    assert_eq!(
        (&link["one"], &link["other"], &link["accepted"]),
        (&json!("nord.example"), &json!("sol.example"), &json!(false))
    );
    assert_eq!(link["evidence"][0]["kind"], "merchant");
    assert_eq!(
        link["evidence"][0]["values"][0]["oneCapture"],
        Uuid::from_u128(7).to_string()
    );
    assert_eq!(found["meta"]["mayDecide"], false);
    assert_eq!(domains(&group(&world, BOLT).await), ["+nord.example", "vera.example"]);
    assert_eq!(
        domains(&group(&world, ADMIN).await),
        ["+nord.example", "sol.example", "vera.example"]
    );
    // What another company alone has seen is not there at all.
    let hidden = world.ask(ACME, "/api/advertiserGroups/vera.example").await;
    assert_eq!(hidden.status, StatusCode::NOT_FOUND);
    let none = world.ask(ACME, "/api/advertiserGroups/%20").await;
    assert_eq!(none.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn staff_decides_and_takes_it_back() {
    let world = world().await;
    let same = json!("same");
    let refused = decide(&world, ACME, "nord.example", "sol.example", &same).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    let answer = decide(&world, ADMIN, "sol.example", "www.nord.example", &same).await;
    assert_eq!(answer.status, StatusCode::NO_CONTENT, "{}", answer.body);
    assert_eq!(domains(&group(&world, ACME).await), ["+nord.example", "+sol.example"]);
    // The other company has not seen that domain: it learns nothing of it.
    let bolt = group(&world, BOLT).await;
    assert!(!bolt.to_string().contains("sol.example"), "{bolt}");

    let answer = decide(&world, ADMIN, "nord.example", "sol.example", &json!("different")).await;
    assert_eq!(answer.status, StatusCode::NO_CONTENT);
    let found = group(&world, ACME).await;
    assert_eq!(domains(&found), ["+nord.example"]);
    assert_eq!(found["data"]["decisions"][0]["verdict"], "different");

    let answer = decide(&world, ADMIN, "nord.example", "sol.example", &Value::Null).await;
    assert_eq!(answer.status, StatusCode::NO_CONTENT);
    assert_eq!(domains(&group(&world, ACME).await), ["+nord.example", "sol.example"]);
    let noted: i64 = world
        .app
        .postgres
        .fetch("select count(*) from audit_entry where model = 'AdvertiserLink'")
        .await;
    assert_eq!(noted, 3);
}

#[tokio::test]
async fn what_cannot_be_decided_is_said_at_its_field() {
    let world = world().await;
    for (one, other, verdict, field) in [
        ("no host", "sol.example", json!("same"), "one"),
        ("nord.example", "www.nord.example", json!("same"), "other"),
        ("nord.example", "unseen.example", json!("same"), "other"),
        ("nord.example", "sol.example", json!("maybe"), "verdict"),
    ] {
        let answer = decide(&world, ADMIN, one, other, &verdict).await;
        assert_eq!(
            answer.status,
            StatusCode::UNPROCESSABLE_ENTITY,
            "{one} {other}: {}",
            answer.body
        );
        assert!(answer.body.to_string().contains(field), "{}", answer.body);
    }
}

#[tokio::test]
async fn two_who_decide_at_once_leave_one_decision() {
    let world = world().await;
    let token = world.app.login(ADMIN).await;
    let decisions = (0..8).map(|number| {
        let verdict = if number % 2 == 0 { "same" } else { "different" };
        let body = json!({"one": "nord.example", "other": "sol.example", "verdict": verdict});
        let (app, token) = (&world.app, &token);
        async move { app.post(DECIDE, &body, &[("token", token)]).await.status }
    });
    let answers = futures::future::join_all(decisions).await;
    assert!(
        answers.iter().all(|status| *status == StatusCode::NO_CONTENT),
        "{answers:?}"
    );
    let kept: i64 = world.app.postgres.fetch("select count(*) from advertiser_link").await;
    assert_eq!(kept, 1);
}
