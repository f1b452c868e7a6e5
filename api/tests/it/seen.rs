//! A world whose every result is known: rows made here, stored as captures store them, and the actions made of them.

use analytics::ingest::{self, AdRow, BatchToken};
use analytics::reports::advertisers;
use chrono::{DateTime, TimeDelta, Utc};
use postgres::actions::detection::{Sighting, detect};
use vocabulary::{BrandId, SystemScope};

use crate::app::App;

const SYSTEM: SystemScope = SystemScope::new("test");
/// Midnight before the first row.
pub const START: u32 = 1_767_225_600;
pub const DAY: u32 = 86_400;
/// Days with rows.
pub const DAYS: u32 = 60;
const ROWS: u32 = 1_500;

/// Three brands of two companies, their terms, rows and actions.
pub struct Market {
    pub app: App,
    pub rows: Vec<AdRow>,
    /// Brand of acme, brand of bolt.
    pub brands: [BrandId; 2],
}

impl Market {
    pub async fn new() -> Self {
        let app = App::start().await;
        app.company_user("acme").await;
        app.company_user("bolt").await;
        app.admin().await;
        app.operator().await;
        app.postgres
            .execute(
                "insert into term (id, term, brand_id) overriding system value
                 select n, 'term ' || n, (array[1, 1, 2, 2])[n] from generate_series(1, 4) n",
            )
            .await;
        let brands = [BrandId(1), BrandId(2)];
        let rows: Vec<AdRow> = (0..ROWS).map(row).collect();
        let token = BatchToken { batch: 1, epoch: 0 };
        ingest::insert(&app.state.analytics, token, &rows).await.unwrap();
        let seen = Self { app, rows, brands };
        seen.detect().await;
        seen
    }

    /// Makes actions of all rows.
    pub async fn detect(&self) {
        let state = &self.app.state;
        let first = DateTime::<Utc>::from_timestamp(START.into(), 0).unwrap().date_naive();
        for day in 0..DAYS {
            let day = first + TimeDelta::days(day.into());
            let seen = advertisers::seen_on(&state.analytics, day, &self.brands, &[])
                .await
                .unwrap();
            let sightings = seen.into_iter().map(|seen| Sighting {
                brand: seen.brand,
                domain: seen.domain,
                master: seen.master,
                country: seen.country,
                engine: seen.engine.parse().unwrap(),
                languages: seen.languages,
                terms: seen.terms,
                text: seen.text,
                shopping: seen.shopping,
                first: seen.first,
                ads: Vec::new(),
            });
            let mut tx = postgres::begin(&state.postgres).await.unwrap();
            detect(&mut tx, &SYSTEM, sightings.collect(), TimeDelta::days(7))
                .await
                .unwrap();
            tx.commit().await.unwrap();
        }
    }
}

/// The same seed gives the same row. What a term is does not change; what it shows does.
fn row(seed: u32) -> AdRow {
    let mixed = seed.wrapping_mul(2_654_435_761) >> 8;
    let pick = |from: &[&str], step: u32| from[(mixed / step) as usize % from.len()].to_owned();
    let term = mixed % 4;
    let domains = [
        "one.example",
        "two.example",
        "www2.one.example",
        "three.example",
        "four.example",
        "five.example",
    ];
    let domain = pick(&domains, 4);
    let kind = pick(&["ads", "ads", "shopping"], 24);
    AdRow {
        batch: 1,
        row: u16::try_from(seed).unwrap(),
        capture_id: uuid::Uuid::from_u128(u128::from(seed)),
        slot_time: START,
        // One instant a row, so that every instant has its row.
        seen_at: START + seed * (DAYS * DAY / ROWS),
        brand_id: [1, 1, 2, 2][term as usize],
        term_id: term + 1,
        keyword: format!("term {}", term + 1),
        keyword_type: ["GENERIC", "BRAND"][term as usize % 2].to_owned(),
        localization_id: 1 + term % 2,
        country: ["FR", "BE"][term as usize % 2].to_owned(),
        language: pick(&["fr", "nl"], 72),
        city: "Paris".to_owned(),
        region: String::new(),
        engine: ["google", "google", "bing", "google"][term as usize].to_owned(),
        device: pick(&["desktop", "mobile"], 144),
        position: u16::try_from(1 + mixed % 5).unwrap(),
        real_position: u16::try_from(1 + mixed % 9).unwrap(),
        mark: u16::try_from(1 + mixed % 9).unwrap(),
        block: "top".to_owned(),
        domain_learnt: false,
        master: domain.trim_start_matches("www2.").to_owned(),
        title: format!("Offer {} of {domain}", mixed / 288 % 5),
        description: format!("Delivered in {} days", mixed / 1_440 % 3),
        display_url: format!("www.{domain}/offer"),
        target_url: format!("https://www.{domain}/p"),
        aclk_urls: Vec::new(),
        image: String::new(),
        price: String::new(),
        merchant: String::new(),
        merchant_id: String::new(),
        comparator_name: String::new(),
        comparator_url: String::new(),
        kind,
        domain,
    }
}
