//! Pages show their truth, and depend on seed, search and instant alone.

use crate::support::reader::{from_truth, layout, read};
use crate::support::{DESKTOP, MOBILE, Stand, TABLET};
use chrono::TimeDelta;
use serde_json::Value;

const QUERIES: [&str; 9] = [
    "acheter chaussures",
    "cheap flights",
    "waschmaschine kaufen",
    "plumber",
    "brivault",
    "sac & cie <b>",
    "lampe l’été",
    "no ads today",
    "noresults xyz",
];

/// How many queries each layout is tried with, in rotation: no divisor of their number, so that every layout gets every query.
const QUERIES_EACH: usize = 4;

/// A search for `query` in the generation's engine.
fn path(generation: &str, language: &str, query: &str) -> String {
    let query: String = url::form_urlencoded::byte_serialize(query.as_bytes()).collect();
    let country = match language {
        "fr" => "FR",
        "de" => "DE",
        _ => "GB",
    };
    if generation.starts_with("bing") {
        format!("/bing/search?q={query}&setlang={language}&cc={country}&gen={generation}")
    } else {
        format!("/google/search?q={query}&hl={language}&gl={country}&gen={generation}")
    }
}

#[tokio::test]
async fn every_layout_shows_its_truth_in_every_language_on_every_device() {
    let stand = Stand::of_seed(5).await;
    let (mut ads, mut products) = (0, 0);
    let mut queries = QUERIES.into_iter().cycle();
    for generation in serp_sim::GENERATIONS.map(|generation| generation.to_string()) {
        for (agent, mobile) in [(DESKTOP, false), (MOBILE, true), (TABLET, false)] {
            if mobile && generation == "google-2013" {
                continue;
            }
            for language in ["fr", "en", "de"] {
                for query in queries.by_ref().take(QUERIES_EACH) {
                    let html = stand.page(&path(&generation, language, query), agent).await;
                    let truth = stand.truth_of_last().await;
                    assert_eq!(truth["generation"], Value::from(generation.as_str()));
                    let told = from_truth(&truth);
                    let shown = read(&html, &layout(&generation, mobile));
                    assert_eq!(shown, told, "{generation} {language} mobile: {mobile} '{query}'");
                    ads += told.ads.len();
                    products += told.products.len();
                }
            }
        }
    }
    assert!(ads > 400 && products > 400, "{ads} ads, {products} products");
}

#[tokio::test]
async fn what_a_page_loads_has_the_weight_of_real_ones() {
    let stand = Stand::of_seed(7).await;
    for (path, format, least) in [
        ("/images/product/abc.webp", "image/webp", 5_000),
        ("/images/favicon/abc", "image/png", 200),
        ("/styles/google.css", "text/css; charset=utf-8", 60_000),
    ] {
        let answer = stand
            .client
            .get(format!("http://{}{path}", stand.address))
            .send()
            .await
            .unwrap();
        assert_eq!(answer.headers()["content-type"], format, "{path}");
        assert!(answer.bytes().await.unwrap().len() > least, "{path}");
    }
}

#[tokio::test]
async fn the_same_seed_and_instant_give_the_same_bytes() {
    let (one, other, another) = (
        Stand::of_seed(3).await,
        Stand::of_seed(3).await,
        Stand::of_seed(4).await,
    );
    let path = path("google-2025", "fr", "acheter chaussures");
    let page = one.page(&path, DESKTOP).await;
    assert_eq!(page, other.page(&path, DESKTOP).await);
    assert_ne!(page, another.page(&path, DESKTOP).await);
}

#[tokio::test]
async fn ads_change_with_rotation_place_and_device_and_not_between() {
    let stand = Stand::of_seed(3).await;
    let path = path("google-2025", "fr", "acheter chaussures");
    let first = stand.page(&path, DESKTOP).await;
    stand.clock.advance(TimeDelta::minutes(20));
    assert_eq!(stand.page(&path, DESKTOP).await, first);
    assert_ne!(stand.page(&format!("{path}&uule=Lyon,France"), DESKTOP).await, first);
    assert_ne!(stand.page(&path, TABLET).await, first);
    stand.clock.advance(TimeDelta::minutes(20));
    assert_ne!(stand.page(&path, DESKTOP).await, first);
}

#[tokio::test]
async fn creatives_come_back_over_a_day() {
    let stand = Stand::of_seed(3).await;
    let mut titles = std::collections::HashMap::<String, usize>::new();
    for _ in 0..24 {
        let truth = stand
            .json("/truth?engine=google&q=acheter+chaussures&hl=fr&gl=fr")
            .await;
        for ad in truth["ads"].as_array().unwrap() {
            *titles.entry(ad["title"].to_string()).or_default() += 1;
        }
        stand.clock.advance(TimeDelta::hours(1));
    }
    assert!(titles.len() > 5, "ads change: {titles:?}");
    assert!(titles.values().any(|seen| *seen > 3), "ads come back: {titles:?}");
}

#[tokio::test]
async fn a_wanted_query_has_many_ads_and_an_unwanted_one_none() {
    let stand = Stand::of_seed(11).await;
    let (mut without, mut many) = (0, 0);
    for number in 0..200 {
        let truth = stand
            .json(&format!(
                "/truth?engine=google&q=term+{number}&hl=en&gl=us&gen=google-2025"
            ))
            .await;
        match truth["ads"].as_array().unwrap().len() {
            0 => without += 1,
            5.. => many += 1,
            _ => (),
        }
        assert!(!truth["organic"].as_array().unwrap().is_empty());
    }
    assert!(
        (10..80).contains(&without) && (30..150).contains(&many),
        "{without} without, {many} with many"
    );
}

#[tokio::test]
async fn countries_have_their_own_advertisers_and_money() {
    let stand = Stand::of_seed(3).await;
    for (country, language, sign) in [
        ("FR", "fr", '€'),
        ("GB", "en", '£'),
        ("US", "en", '$'),
        ("CH", "de", 'C'),
    ] {
        let mut prices = 0;
        for number in 0..10 {
            let asked = format!("/truth?engine=bing&q=buy+term+{number}&setlang={language}&cc={country}");
            let truth = stand.json(&asked).await;
            for product in truth["shopping"].as_array().unwrap() {
                assert!(
                    product["price"].as_str().unwrap().contains(sign),
                    "{country}: {product}"
                );
                assert!(country != "US" || product["comparatorName"].is_null(), "{product}");
                prices += 1;
            }
        }
        assert!(prices > 20, "{country}: {prices} prices");
    }
}

#[tokio::test]
async fn links_lead_through_the_engine_to_the_target_and_clicks_are_counted() {
    let stand = Stand::of_seed(3).await;
    for (generation, selector) in [
        ("google-2013", "#tads h3 a"),
        ("bing-2022", "li.b_ad h2.b_topTitleAd a"),
    ] {
        let html = stand.page(&path(generation, "fr", "acheter chaussures"), DESKTOP).await;
        let truth = stand.truth_of_last().await;
        let href = {
            let page = scraper::Html::parse_document(&html);
            let link = page
                .select(&scraper::Selector::parse(selector).unwrap())
                .next()
                .unwrap();
            link.attr("href").unwrap().to_owned()
        };
        let followed = stand.get(href.strip_prefix("http://serp.test").unwrap(), DESKTOP).await;
        assert_eq!(followed.status(), 302);
        assert_eq!(
            followed.headers()["location"],
            truth["ads"][0]["redirectTarget"].as_str().unwrap()
        );
    }
    let clicks = stand.json("/clicks").await;
    assert_eq!(
        (&clicks["total"], &clicks["google"], &clicks["bing"]),
        (&2.into(), &1.into(), &1.into())
    );
}

#[tokio::test]
async fn served_pages_are_remembered_since_an_instant() {
    let stand = Stand::of_seed(3).await;
    stand.page("/google/search?q=one", DESKTOP).await;
    stand.clock.advance(TimeDelta::hours(1));
    stand.page("/bing/search?q=two", MOBILE).await;
    let served = stand.json("/served?since=2026-03-02T11:00:00Z").await;
    let served = served.as_array().unwrap();
    assert_eq!(served.len(), 1);
    assert_eq!(served[0]["url"], "http://serp.test/bing/search?q=two");
    assert_eq!(served[0]["device"], "mobile");
    assert_eq!(stand.get("/served?since=yesterday", DESKTOP).await.status(), 400);
}

#[tokio::test]
async fn a_page_answered_in_process_is_the_one_that_is_served() {
    let stand = Stand::of_seed(5).await;
    let answers = serp_sim::InProcessEngine::new(&serp_sim::Settings {
        seed: 5,
        weight: 0,
        ..serp_sim::Settings::default()
    })
    .unwrap();
    let at = stand.clock.now();
    for (device, agent) in [(serp_sim::Device::Desktop, DESKTOP), (serp_sim::Device::Mobile, MOBILE)] {
        for generation in ["google-2025", "bing-2022"] {
            let path = path(generation, "fr", "acheter chaussures");
            let address = url::Url::parse(&format!("http://serp.test{path}")).unwrap();
            let answer = answers.answer(&address, device, at).unwrap();
            assert_eq!(answer.html, stand.page(&path, agent).await, "{path} {device}");
            for file in &answer.files {
                let served = stand
                    .get(file.url.strip_prefix("http://serp.test").unwrap(), agent)
                    .await;
                let mime = served.headers()["content-type"].to_str().unwrap().to_owned();
                assert!(mime.starts_with(file.mime), "{}: {mime}", file.url);
                assert_eq!(served.bytes().await.unwrap(), file.bytes, "{}", file.url);
            }
            let pictures = answer.html.replace("&#x2f;", "/");
            let named = pictures
                .split('"')
                .filter(|text| text.starts_with("http://serp.test/images/"));
            for picture in named {
                assert!(answer.files.iter().any(|file| file.url == picture), "{picture}");
            }
        }
    }
    let elsewhere = url::Url::parse("http://serp.test/clicks").unwrap();
    assert!(answers.answer(&elsewhere, serp_sim::Device::Desktop, at).is_err());
}
