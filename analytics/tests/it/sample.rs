//! Ad rows for tests, made from small numbers so that values repeat.

use analytics::Client;
use analytics::ingest::{AdRow, BatchToken, end_inserts_and_count, insert};
use uuid::Uuid;

/// That is 2026-01-01T00:00:00Z.
pub const START: u32 = 1_767_225_600;
pub const DAY: u32 = 86_400;

/// A row whose values follow from its seed.
pub fn row(seed: u32) -> AdRow {
    let pick = |from: &[&str], step: u32| from[(seed / step) as usize % from.len()].to_owned();
    let domain = pick(
        &[
            "one.example",
            "two.example",
            "three.example",
            "four.example",
            "five.example",
        ],
        1,
    );
    let seen_at = START + seed * 1_800 % (10 * DAY);
    AdRow {
        batch: 0,
        row: 0,
        capture_id: Uuid::from_u128(u128::from(seed)),
        // Mostly on another day, so that using it in place of `seen_at` is noticed.
        slot_time: seen_at - seed % 5 * 40_000,
        seen_at,
        brand_id: seed % 4,
        term_id: 1 + seed % 7,
        keyword: pick(&["running shoes", "trail shoes", "red socks"], 2),
        keyword_type: pick(&["GENERIC", "BRAND"], 3),
        localization_id: 1 + seed % 3,
        country: pick(&["FR", "BE", "DE"], 1),
        language: "fr".to_owned(),
        city: "Paris".to_owned(),
        region: pick(&["", "Bretagne", "Occitanie"], 5),
        engine: pick(&["google", "bing"], 4),
        device: pick(&["desktop", "mobile", "tablet"], 3),
        kind: pick(&["ads", "ads", "shopping"], 1),
        position: u16::try_from(1 + seed % 6).unwrap(),
        real_position: u16::try_from(1 + seed % 11).unwrap(),
        mark: u16::try_from(1 + seed % 11).unwrap(),
        block: "top".to_owned(),
        domain_learnt: false,
        master: domain.clone(),
        title: format!("Offer {} of {domain}", seed % 13),
        description: format!("Delivered in {} days", seed % 3),
        display_url: format!("www.{domain}/offer"),
        target_url: format!("https://www.{domain}/p/{seed}"),
        aclk_urls: vec![format!("https://ads.example/aclk?{seed}")],
        image: String::new(),
        price: String::new(),
        merchant: String::new(),
        merchant_id: String::new(),
        comparator_name: String::new(),
        comparator_url: String::new(),
        domain,
    }
}

/// Numbers rows as a batch.
pub fn batch(number: u64, rows: impl IntoIterator<Item = AdRow>) -> Vec<AdRow> {
    let numbered = rows.into_iter().enumerate().map(|(index, row)| AdRow {
        batch: number,
        row: u16::try_from(index).unwrap(),
        ..row
    });
    numbered.collect()
}

/// Stores a batch and checks that it is there.
pub async fn store(client: &Client, number: u64, rows: impl IntoIterator<Item = AdRow>) -> Vec<AdRow> {
    let rows = batch(number, rows);
    let token = BatchToken {
        batch: number,
        epoch: 0,
    };
    insert(client, token, &rows).await.unwrap();
    assert_eq!(
        end_inserts_and_count(client, token, &rows).await.unwrap(),
        rows.len() as u64
    );
    rows
}
