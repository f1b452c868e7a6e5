//! Which domains belong to one advertiser, in the simulated world, whose owners are known.

use std::collections::{BTreeMap, BTreeSet};

use analytics::ingest::{self, AdRow, BatchToken};
use analytics::signals;
use attribution::{AdFacts, Profile, SUGGESTED_FROM, Signal, link, signals_of};
use chrono::{DateTime, Days, TimeDelta, Utc};
use serp_sim::{Device, InProcessEngine, owner_of};
use uuid::Uuid;
use vocabulary::{Engine, Job, SystemScope, WebHost};

use crate::stack::Stack;

/// Links that are right among those that are suggested, at least.
const PRECISION: f64 = 0.95;
/// Pairs of domains with one owner that are suggested, at least.
const OWNERS_FOUND: f64 = 0.8;
const WORDS: [&str; 16] = [
    "acheter sac cuir",
    "chaussures femme pas cher",
    "prix manteau laine",
    "buy leather bag",
    "cheap running shoes",
    "winter boots sale",
    "handbag price",
    "koffer kaufen",
    "schuhe günstig",
    "jacke preis",
    "tent",
    "coffee machine",
    "suitcase",
    "montre homme",
    "lampe",
    "teppich",
];
const PLACES: [(&str, &str); 6] = [
    ("FR", "fr"),
    ("BE", "fr"),
    ("GB", "en"),
    ("IE", "en"),
    ("DE", "de"),
    ("AT", "de"),
];
const SYSTEM: SystemScope = SystemScope::new("test");

/// What a reader sees of the simulated engines over some days, by registrable domain.
fn profiles() -> BTreeMap<String, Profile> {
    let engine = InProcessEngine::new(&serp_sim::Settings::default()).unwrap();
    let start: DateTime<Utc> = "2026-11-02T09:00:00Z".parse().unwrap();
    let mut profiles: BTreeMap<String, Profile> = BTreeMap::new();
    for (number, words) in (0..).zip(WORDS) {
        for (country, language) in PLACES {
            for (name, of) in [("google", Engine::Google), ("bing", Engine::Bing)] {
                for day in 0..3 {
                    let mut address = url::Url::parse(&format!("http://serp.test/{name}/search")).unwrap();
                    address.query_pairs_mut().extend_pairs([
                        ("q", words),
                        ("hl", language),
                        ("gl", country),
                        ("cc", country),
                        ("setlang", language),
                    ]);
                    let at = start + TimeDelta::days(day) + TimeDelta::hours(number % 9);
                    let page = engine.answer(&address, Device::Desktop, at).unwrap();
                    for ad in capture::read(&page.html, of).ads {
                        let Some(domain) = ad.domain.as_ref().map(|host| host.master().to_string()) else {
                            continue;
                        };
                        let facts = AdFacts {
                            domain: &domain,
                            title: &ad.title,
                            description: ad.description.as_deref().unwrap_or_default(),
                            image: ad.image.as_deref().unwrap_or_default(),
                            merchant_id: ad.merchant_id.as_deref().unwrap_or_default(),
                            target_url: ad.target_url.as_deref().unwrap_or_default(),
                            aclk_urls: &ad.aclk_urls,
                        };
                        let found = signals_of(&facts);
                        let profile = profiles.entry(domain.clone()).or_default();
                        profile.domain = domain;
                        profile.countries.insert(country.to_owned());
                        for signal in found {
                            *profile.signals.entry(signal).or_default() += 1;
                        }
                    }
                }
            }
        }
    }
    profiles
}

#[test]
fn links_of_the_simulated_world_are_those_of_its_owners() {
    let profiles = profiles();
    let mut sharing: BTreeMap<Signal, usize> = BTreeMap::new();
    for signal in profiles.values().flat_map(|profile| profile.signals.keys()) {
        *sharing.entry(signal.clone()).or_default() += 1;
    }
    // Hosts below one registrable domain belong together as they are.
    let owner = |domain: &str| {
        let named = ["", "shop.", "boutique.", "soldes.", "deals.", "vergleich."];
        named.iter().find_map(|below| owner_of(&format!("{below}{domain}")))
    };
    let domains: Vec<&String> = profiles.keys().collect();
    let (mut right, mut suggested, mut pairs) = (0, 0, 0);
    let mut wrong = Vec::new();
    for (place, one) in domains.iter().enumerate() {
        for other in &domains[place + 1..] {
            let same = owner(one).is_some() && owner(one) == owner(other);
            let linked =
                link(&profiles[*one], &profiles[*other], &sharing).filter(|link| link.confidence >= SUGGESTED_FROM);
            pairs += u32::from(same);
            suggested += u32::from(linked.is_some());
            right += u32::from(same && linked.is_some());
            if same != linked.is_some() {
                wrong.push(format!("{one} {other}: {linked:?}"));
            }
        }
    }
    assert!(domains.len() > 25 && pairs >= 6, "{domains:?}, {pairs} pairs");
    let (precision, recall) = (
        f64::from(right) / f64::from(suggested),
        f64::from(right) / f64::from(pairs),
    );
    assert!(
        precision >= PRECISION,
        "{right} of {suggested} links are right: {wrong:#?}"
    );
    assert!(
        recall >= OWNERS_FOUND,
        "{right} of {pairs} pairs were found: {wrong:#?}"
    );
}

/// An ad of a brand on a day, with a merchant id.
fn row(number: u16, brand: u32, domain: &str, merchant: &str, at: DateTime<Utc>) -> AdRow {
    let seconds = u32::try_from(at.timestamp()).unwrap();
    AdRow {
        batch: 3,
        row: number,
        capture_id: Uuid::from_u128(u128::from(number) + 1),
        slot_time: seconds,
        seen_at: seconds,
        brand_id: brand,
        term_id: 1,
        country: "FR".to_owned(),
        engine: "google".to_owned(),
        device: "mobile".to_owned(),
        kind: "shopping".to_owned(),
        domain: format!("www.{domain}"),
        master: WebHost::parse(domain).unwrap().master().to_string(),
        title: format!("Bag {number}"),
        target_url: format!("https://www.{domain}/bag"),
        merchant_id: merchant.to_owned(),
        ..AdRow::default()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn signals_are_kept_day_by_day_and_a_run_may_be_repeated() {
    let stack = Stack::new().await;
    let now = Stack::now();
    let yesterday = now - Days::new(1);
    let rows = [
        row(0, 1, "nord.example", "51", yesterday),
        row(1, 1, "nord.example", "51", now),
        row(2, 1, "sol.example", "51", now),
        row(3, 0, "brandless.example", "51", now),
    ];
    ingest::insert(&stack.analytics, BatchToken { batch: 3, epoch: 0 }, &rows)
        .await
        .unwrap();
    let kept = async || {
        let domains = [
            "nord.example".to_owned(),
            "sol.example".to_owned(),
            "brandless.example".to_owned(),
        ];
        let since = now.date_naive() - Days::new(90);
        let found = signals::of_domains(&stack.analytics, &SYSTEM, &domains, since)
            .await
            .unwrap();
        found
            .into_iter()
            .map(|signal| (signal.host, signal.sort, signal.value, signal.shown))
            .collect::<BTreeSet<_>>()
    };
    let text = str::to_owned;
    let expected = BTreeSet::from([
        (text("nord.example"), text("merchant"), text("51"), 2),
        (text("nord.example"), text("host"), text("nord.example"), 2),
        (text("sol.example"), text("merchant"), text("51"), 1),
        (text("sol.example"), text("host"), text("sol.example"), 1),
    ]);
    assert!(stack.job(Job::LinkAdvertisers).await.starts_with("91 days read"));
    assert_eq!(kept().await, expected);
    // The last day was not over: it is read again, and counts once.
    assert!(stack.job(Job::LinkAdvertisers).await.starts_with("1 days read"));
    assert_eq!(kept().await, expected);
}
