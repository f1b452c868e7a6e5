//! The ads of one domain: from results and from roll-ups alike.

use analytics::filter::{Condition, Field, Filters, Operator};
use analytics::reports::ads::{self, Ad, AdsQuery};
use analytics::roll_up::seal_closed_days;
use vocabulary::{BrandId, Scope, UserId};

use crate::engine::Engine;
use crate::sample::{row, store};

/// All but the capture: several may be the latest.
fn facts(ad: Ad) -> (Ad, Vec<String>) {
    let mut keywords = ad.keywords.clone();
    keywords.sort();
    let fact = Ad {
        capture: String::new(),
        target_url: String::new(),
        aclk_urls: Vec::new(),
        keywords: Vec::new(),
        ..ad
    };
    (fact, keywords)
}

#[tokio::test]
async fn ads_are_the_same_from_results_and_from_roll_ups() {
    let (_engine, client) = Engine::migrated().await;
    store(&client, 1, (0..2_000).map(row)).await;
    seal_closed_days(&client).await.unwrap();
    store(&client, 2, (0..40).map(row)).await;
    let rolled_up = client.always_rolled_up();
    for scope in [
        Scope::everything(UserId(1)),
        Scope::within(UserId(1), vec![BrandId(1)], Vec::new()),
    ] {
        for (field, value) in [
            (Field::Domain, "two.example"),
            (Field::Term, "3"),
            (Field::Domain, "none.example"),
        ] {
            let filters: Filters = [
                Condition::read(field, Operator::Inq, &[value.to_owned()]).unwrap(),
                Condition::read(Field::Type, Operator::Nin, &["shopping".to_owned()]).unwrap(),
            ]
            .into_iter()
            .collect();
            let query = AdsQuery { filters, hour: None };
            let of_results = ads::most_viewed(&client, &scope, &query, 500).await.unwrap();
            let of_roll_ups = ads::most_viewed(&rolled_up, &scope, &query, 500).await.unwrap();
            assert_eq!(of_results.is_empty(), value == "none.example");
            assert_eq!(
                of_results.into_iter().map(facts).collect::<Vec<_>>(),
                of_roll_ups.into_iter().map(facts).collect::<Vec<_>>()
            );
            assert_eq!(
                ads::count(&client, &scope, &query).await.unwrap(),
                ads::count(&rolled_up, &scope, &query).await.unwrap()
            );
        }
    }
}
