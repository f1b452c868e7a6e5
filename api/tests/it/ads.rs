//! The ads under a row.

use analytics::ingest::{self, AdRow, BatchToken};
use axum::http::StatusCode;
use serde_json::Value;

use crate::monitoring::{LIST, World, domains};

const ADS: &str = "/api/advertisement";
const READER: &str = "user@acme.example";

/// One more row of a sample's domain, as the page of a comparison service shows it.
fn shown(world: &World, row: u16, keyword: &str, seen_at: &str) -> AdRow {
    let at = seen_at.parse::<chrono::DateTime<chrono::Utc>>().unwrap().timestamp();
    let text = str::to_owned;
    AdRow {
        batch: 7,
        row,
        capture_id: uuid::Uuid::from_u128(u128::from(row) + 1),
        // Due the day before.
        slot_time: u32::try_from(at - 86_400).unwrap(),
        seen_at: u32::try_from(at).unwrap(),
        brand_id: world.acme.0.unsigned_abs(),
        term_id: 1,
        keyword: text(keyword),
        keyword_type: text("GENERIC"),
        localization_id: 1,
        country: text("FR"),
        language: text("fr"),
        city: text("Paris"),
        region: text("Bretagne"),
        engine: text("google"),
        device: text("mobile"),
        kind: text("shopping"),
        position: row + 1,
        real_position: row + 5,
        mark: row + 5,
        block: text("top"),
        domain: text("portal.example"),
        domain_learnt: false,
        master: text("portal.example"),
        title: text("Red shoes"),
        description: text(""),
        display_url: text("portal.example"),
        target_url: format!("https://portal.example/p/{row}"),
        aclk_urls: vec![text("https://clicks.example/aclk")],
        image: text("https://images.example/1.webp"),
        price: text("9,90 €"),
        merchant: text("Portal"),
        merchant_id: String::new(),
        comparator_name: text("Comparia"),
        comparator_url: text("https://comparia.example/"),
    }
}

async fn world_with_a_shopping_ad() -> World {
    let world = World::new().await;
    let rows = [
        shown(&world, 0, "red shoes", "2026-02-25T09:00:00Z"),
        shown(&world, 1, "trail shoes", "2026-02-26T09:30:00Z"),
        shown(&world, 2, "trail shoes", "2026-02-27T23:30:00Z"),
    ];
    let token = BatchToken { batch: 7, epoch: 0 };
    ingest::insert(&world.app.state.analytics, token, &rows).await.unwrap();
    world
}

fn sum(ads: &Value, key: &str) -> u64 {
    ads.as_array().unwrap().iter().map(|ad| ad[key].as_u64().unwrap()).sum()
}

#[tokio::test]
async fn an_ad_says_all_that_was_seen_of_it() {
    let world = world_with_a_shopping_ad().await;
    let found = world.found(READER, &format!("{ADS}?domain=portal.example")).await;
    let ads = found.as_array().unwrap();
    assert_eq!(ads.len(), 1);
    let ad = &ads[0];
    let expected = serde_json::json!({
        "resultId": "00000000-0000-0000-0000-000000000003", "pageKept": false,
        "domain": "portal.example", "type": "shopping", "engine": "google", "device": "mobile", "country": "FR", "language": "fr",
        "title": "Red shoes", "description": "", "displayUrl": "portal.example", "targetUrl": "https://portal.example/p/2",
        "aclkUrls": ["https://clicks.example/aclk"], "image": "https://images.example/1.webp", "price": "9,90 €",
        "comparatorName": "Comparia", "comparatorUrl": "https://comparia.example/",
        "keywords": ["trail shoes", "red shoes"], "views": 3, "positionAvg": 2.0,
        "advertisementFirstSeen": "2026-02-25T09:00:00.000Z", "advertisementLastSeen": "2026-02-27T23:30:00.000Z",
    });
    assert_eq!(ad, &expected);
}

#[tokio::test]
async fn the_ads_of_a_domain_add_up_to_its_row_of_the_list() {
    let world = World::new().await;
    let row = &world.found(READER, LIST).await["data"][0];
    let domain = row["domain"].as_str().unwrap();
    let ads = world.found(READER, &format!("{ADS}?domain={domain}&limit=500")).await;
    assert_eq!(sum(&ads, "views"), row["nbViews"]);
    let count = world.found(READER, &format!("{ADS}/count?domain={domain}")).await;
    let counted = count["countAdvertisement"].as_u64().unwrap() + count["countShopping"].as_u64().unwrap();
    assert_eq!(counted, row["nbAds"]);
    assert_eq!(ads.as_array().unwrap().len() as u64, counted);
    let views: Vec<u64> = ads
        .as_array()
        .unwrap()
        .iter()
        .map(|ad| ad["views"].as_u64().unwrap())
        .collect();
    assert!(views.is_sorted_by(|one, other| one >= other));
    let shown = world.found(READER, &format!("{ADS}?domain={domain}&limit=2")).await;
    assert_eq!(shown.as_array().unwrap()[..], ads.as_array().unwrap()[..2]);
}

#[tokio::test]
async fn every_parameter_narrows_the_ads() {
    let world = world_with_a_shopping_ad().await;
    let views = async |query: &str| {
        sum(
            &world
                .found(READER, &format!("{ADS}?domain=portal.example&{query}"))
                .await,
            "views",
        )
    };
    let acme = world.acme;
    for (query, expected) in [
        ("fromDate=2026-02-26T00:00:00Z&endDate=2026-02-26T23:59:59.999Z", 1),
        (&format!("brandId={acme}"), 3),
        (&format!("brandId[nin][]={acme}"), 0),
        ("engine=bing", 0),
        ("country=FR&country=BE", 3),
        ("title=red", 3),
        ("title=blue", 0),
        ("title[exclude]=red", 0),
        ("description=x", 0),
        ("region=Bretagne", 3),
        ("keywordContent=trail%20shoes", 2),
        ("keywordContent[contain]=trail", 2),
        ("position[start]=2&position[end]=3", 2),
        ("type=ads", 0),
        ("keywordType=GENERIC", 3),
        ("device=mobile", 3),
        ("termId=1", 3),
        ("termId=2", 0),
        // Wednesday at 9 in UTC and at 10 in Paris; the last of them on Saturday at half past midnight there.
        ("weekday=3&hour=9&timeZone=UTC", 1),
        // That of the settings, where none is named.
        ("weekday=3&hour=10", 1),
        ("weekday=3&hour=10&timeZone=Europe/Paris", 1),
        ("weekday=6&hour=0&timeZone=Europe/Paris", 1),
        ("weekday=5&hour=0&timeZone=Europe/Paris", 0),
    ] {
        assert_eq!(views(query).await, expected, "{query}");
    }
}

#[tokio::test]
async fn a_period_that_mixes_ranks_of_two_kinds_says_so() {
    let world = World::new().await;
    let row = |place: u16, mark: u16, day: &str| AdRow {
        kind: "ads".to_owned(),
        mark,
        ..shown(&world, place, "red shoes", day)
    };
    let rows = [row(0, 0, "2026-02-25T09:00:00Z"), row(1, 3, "2026-02-26T09:00:00Z")];
    let token = BatchToken { batch: 7, epoch: 0 };
    ingest::insert(&world.app.state.analytics, token, &rows).await.unwrap();
    for (from, end, mixed) in [
        ("2026-02-25", "2026-02-26", true),
        ("2026-02-25", "2026-02-25", false),
        ("2026-02-26", "2026-02-26", false),
    ] {
        let asked = format!("{ADS}/count?domain=portal.example&fromDate={from}T00:00:00Z&endDate={end}T23:59:59Z");
        assert_eq!(
            world.found(READER, &asked).await["realPositionsMixed"],
            mixed,
            "{from} to {end}"
        );
    }
}

#[tokio::test]
async fn nobody_sees_the_ads_of_another_company() {
    let world = world_with_a_shopping_ad().await;
    let stranger = "user@bolt.example";
    let ads = world.found(stranger, &format!("{ADS}?domain=portal.example")).await;
    assert_eq!(ads, Value::Array(Vec::new()));
    let count = world
        .found(stranger, &format!("{ADS}/count?domain=portal.example"))
        .await;
    assert_eq!(
        (&count["countAdvertisement"], &count["countShopping"]),
        (&0.into(), &0.into())
    );
    let theirs = domains(&world.found(stranger, LIST).await);
    let ours = domains(&world.found(READER, &format!("{LIST}?page[size]=0")).await);
    let shared = theirs.iter().find(|domain| ours.contains(domain)).unwrap();
    let both = world
        .found("admin@vigie.example", &format!("{ADS}?domain={shared}&limit=500"))
        .await;
    let own = world.found(stranger, &format!("{ADS}?domain={shared}&limit=500")).await;
    assert!(sum(&own, "views") > 0 && sum(&own, "views") < sum(&both, "views"));
}

#[tokio::test]
async fn a_search_that_cannot_be_read_is_named() {
    let world = World::new().await;
    for (query, named) in [
        ("", "domain"),
        ("domain=a.example&limit=0", "limit"),
        ("domain=a.example&limit=501", "limit"),
        ("domain=a.example&fromDate=today", "date"),
        ("domain=a.example&weekday=8&hour=1", "weekday"),
        ("domain=a.example&weekday=1&hour=24", "hour"),
        ("domain=a.example&weekday=1&hour=1&timeZone=Mars", "timeZone"),
    ] {
        let answer = world.ask(READER, &format!("{ADS}?{query}")).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{query}");
        let message = answer.body["error"]["message"].as_str().unwrap();
        assert!(message.contains(named), "{query}: {message}");
    }
}
