//! Observed ads as rows for ClickHouse.

use analytics::ingest::AdRow;
use capture::{ObservedAd, ReadPage};
use chrono::{DateTime, Utc};
use postgres::captures::{Capture, Digest, PageReading};
use vocabulary::AdKind;

/// The rows of a capture: the ads of the kinds its term saves, in the order of the page. Batch and row number are 0 until they are stored.
/// Values of the term are those at the time of the capture (decision D81). The same capture and page always give the same rows.
pub fn ad_rows(capture: &Capture, read: &ReadPage) -> Vec<AdRow> {
    let saved = read.ads.iter().filter(|ad| match ad.kind {
        AdKind::Text => capture.saves_text_ads,
        AdKind::Shopping => capture.saves_shopping_ads,
    });
    saved.map(|ad| row(capture, ad)).collect()
}

/// The record of a reading: verdict, doubts joined by commas (`None` without any), ads by kind, and the name and size of its viewing copy as given.
pub fn reading(read: &ReadPage, view: Digest, view_bytes: Option<u32>) -> PageReading {
    let count = |kind: AdKind| read.ads.iter().filter(|ad| ad.kind == kind).count();
    let count = |kind| u32::try_from(count(kind)).unwrap_or(u32::MAX);
    let doubts: Vec<String> = read.doubts.iter().map(ToString::to_string).collect();
    PageReading {
        verdict: read.verdict_to_store(),
        doubt: (!doubts.is_empty()).then(|| doubts.join(", ")),
        reader_version: read.reader_version.to_owned(),
        generation: Some(read.generation.to_owned()),
        text_ads: count(AdKind::Text),
        shopping_ads: count(AdKind::Shopping),
        other_units: read
            .other_units
            .iter()
            .map(|(kind, count)| (kind.to_string(), *count))
            .collect(),
        view,
        view_bytes,
    }
}

/// Seconds since 1970, as ClickHouse stores times; 0 for an instant outside its range.
pub fn seconds(instant: DateTime<Utc>) -> u32 {
    u32::try_from(instant.timestamp()).unwrap_or(0)
}

/// The row of one ad, with batch and row number 0, for storing to set; times are in seconds since 1970. Missing texts are empty, missing ids 0.
fn row(capture: &Capture, ad: &ObservedAd) -> AdRow {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let id = |id: Option<i32>| id.map_or(0, i32::cast_unsigned);
    AdRow {
        batch: 0,
        row: 0,
        capture_id: capture.id.0,
        slot_time: seconds(capture.slot_time),
        seen_at: seconds(capture.taken_at),
        brand_id: id(capture.brand_id.map(|id| id.0)),
        term_id: id(capture.term_id.map(|id| id.0)),
        keyword: capture.term.clone(),
        keyword_type: capture.keyword_type.to_string(),
        localization_id: id(capture.localization_id.map(|id| id.0)),
        country: capture.locale.country().to_owned(),
        language: capture.locale.language().to_owned(),
        city: text(&capture.city),
        region: text(&capture.region),
        engine: capture.engine.to_string(),
        device: capture.device.to_string(),
        kind: ad.kind.to_string(),
        position: ad.position,
        real_position: ad.real_position,
        mark: ad.mark,
        block: ad.block.to_string(),
        domain: ad.domain.as_ref().map(ToString::to_string).unwrap_or_default(),
        domain_learnt: ad.domain_learnt,
        master: ad
            .domain
            .as_ref()
            .map(|domain| domain.master().to_string())
            .unwrap_or_default(),
        title: ad.title.clone(),
        description: text(&ad.description),
        display_url: text(&ad.display_url),
        target_url: text(&ad.target_url),
        aclk_urls: ad.aclk_urls.clone(),
        image: text(&ad.image),
        price: text(&ad.price),
        merchant: text(&ad.merchant),
        merchant_id: text(&ad.merchant_id),
        comparator_name: ad.comparator().unwrap_or_default().to_owned(),
        comparator_url: text(&ad.comparator_url),
    }
}
