//! Captures for tests, as a worker leaves them.

use std::time::Duration;

use analytics::ingest::{self, AdRow, BatchToken};
use chrono::{DateTime, Utc};
use postgres::captures::{self, Capture, PageReading};
use postgres::slots::{self, Claim, HeldSlot};
use vocabulary::{AdKind, BrandId, CaptureFailure, CaptureId, Device, Engine, KeywordType, SlotId, Verdict};

use crate::app::App;

const LEASE: Duration = Duration::from_mins(1);
const MONTH: i64 = 732 * 3_600_000;

/// When every capture of these tests was taken.
pub const TAKEN_AT: &str = "2026-03-02T07:59:58.250Z";

/// An ad of a capture: its kind, its host and its rank over the page.
pub type CapturedAd = (AdKind, &'static str, u16);

impl App {
    /// A run of a new term on Google from Paris, claimed by a worker.
    pub async fn run(&self, words: &str, brand: Option<BrandId>) -> Claim {
        self.postgres.term(words, brand, MONTH).await;
        let slot: i64 = self
            .postgres
            .fetch(
                "insert into slot (term_id, device, slot_ts) select max(id), 'desktop', date_trunc('second', now()) from term
                 returning id",
            )
            .await;
        let first = HeldSlot {
            id: SlotId(slot),
            attempt: 0,
        };
        slots::claim(&self.state.postgres, first, "worker", LEASE)
            .await
            .unwrap()
            .unwrap()
    }

    /// A run that failed for good.
    pub async fn failed_run(&self, words: &str, failure: CaptureFailure) -> CaptureId {
        let claim = self.run(words, None).await;
        assert!(slots::fail(&self.state.postgres, claim.held, failure).await.unwrap());
        claim.capture
    }

    /// A capture of a page with these ads, at its end.
    pub async fn captured(&self, words: &str, brand: Option<BrandId>, page: &str, ads: &[CapturedAd]) -> CaptureId {
        self.captured_with(words, brand, page, ads, |_| {}).await
    }

    /// The same, changed before it is kept.
    pub async fn captured_with(
        &self,
        words: &str,
        brand: Option<BrandId>,
        page: &str,
        ads: &[CapturedAd],
        change: impl FnOnce(&mut Capture),
    ) -> CaptureId {
        let claim = self.run(words, brand).await;
        let view = self.state.blobs.put(page.as_bytes().to_vec()).await.unwrap();
        let count = |kind| u32::try_from(ads.iter().filter(|(of, ..)| *of == kind).count()).unwrap();
        let mut capture = Capture {
            id: claim.capture,
            attempt: claim.held.attempt,
            term_id: Some(claim.term),
            brand_id: brand,
            localization_id: None,
            term: words.to_owned(),
            brand: brand.map(|brand| format!("brand {brand}")),
            keyword_type: KeywordType::Generic,
            engine: Engine::Google,
            device: Device::Desktop,
            locale: "fr_FR".parse().unwrap(),
            city: None,
            region: None,
            slot_time: claim.slot_time,
            taken_at: TAKEN_AT.parse().unwrap(),
            final_url: "https://serp.example/search".to_owned(),
            http_status: Some(200),
            headers: Vec::new(),
            page: view,
            page_bytes: None,
            screenshot: None,
            files_gone_at: None,
            reading: PageReading {
                verdict: Verdict::Results,
                doubt: None,
                reader_version: "1".to_owned(),
                generation: None,
                text_ads: count(AdKind::Text),
                shopping_ads: count(AdKind::Shopping),
                other_units: std::collections::BTreeMap::new(),
                view,
                view_bytes: None,
            },
            // What the ledger does not wait for needs no manifest.
            saves_text_ads: false,
            saves_shopping_ads: false,
            organic_results: None,
        };
        change(&mut capture);
        let mut tx = postgres::begin(&self.state.postgres).await.unwrap();
        assert!(captures::store(&mut tx, claim.held, &capture, &[]).await.unwrap());
        tx.commit().await.unwrap();
        assert!(slots::verify(&self.state.postgres, claim.held).await.unwrap());
        self.store_ads(&claim, capture.taken_at, brand, ads).await;
        claim.capture
    }

    async fn store_ads(&self, claim: &Claim, seen_at: DateTime<Utc>, brand: Option<BrandId>, ads: &[CapturedAd]) {
        // What follows the month in the id of a slot.
        let batch = u64::try_from(claim.held.id.0 % 10_000_000_000).unwrap();
        let rows: Vec<AdRow> = ads
            .iter()
            .zip(0..)
            .map(|((kind, domain, rank), row)| ad_row((claim, seen_at), brand, (batch, row), (*kind, domain, *rank)))
            .collect();
        if !rows.is_empty() {
            let token = BatchToken { batch, epoch: 0 };
            ingest::insert(&self.state.analytics, token, &rows).await.unwrap();
        }
    }
}

/// An ad of a domain of its own.
pub fn ad_of(brand: BrandId, batch: u64, row: u16) -> AdRow {
    let text = str::to_owned;
    AdRow {
        batch,
        row,
        capture_id: uuid::Uuid::nil(),
        slot_time: 1_772_000_000,
        seen_at: 1_772_000_000,
        brand_id: brand.0.unsigned_abs(),
        term_id: 1,
        keyword: text("red shoes"),
        keyword_type: KeywordType::Generic.to_string(),
        localization_id: 1,
        country: text("FR"),
        language: text("fr"),
        city: String::new(),
        region: String::new(),
        engine: Engine::Google.to_string(),
        device: Device::Desktop.to_string(),
        kind: AdKind::Text.to_string(),
        position: 1,
        real_position: 1,
        mark: 1,
        block: text("top"),
        domain: format!("shop-{batch}-{row}.example"),
        domain_learnt: false,
        master: format!("shop-{batch}-{row}.example"),
        title: text("Shoes"),
        description: String::new(),
        display_url: String::new(),
        target_url: String::new(),
        aclk_urls: Vec::new(),
        image: String::new(),
        price: String::new(),
        merchant: String::new(),
        merchant_id: String::new(),
        comparator_name: String::new(),
        comparator_url: String::new(),
    }
}

fn ad_row(
    (claim, seen_at): (&Claim, DateTime<Utc>),
    brand: Option<BrandId>,
    (batch, row): (u64, u16),
    (kind, domain, rank): CapturedAd,
) -> AdRow {
    let none = String::new;
    AdRow {
        batch,
        row,
        capture_id: claim.capture.0,
        slot_time: u32::try_from(claim.slot_time.timestamp()).unwrap(),
        seen_at: u32::try_from(seen_at.timestamp()).unwrap(),
        brand_id: brand.map_or(0, |brand| brand.0.unsigned_abs()),
        term_id: claim.term.0.unsigned_abs(),
        keyword: "red shoes".to_owned(),
        keyword_type: KeywordType::Generic.to_string(),
        localization_id: 1,
        country: "FR".to_owned(),
        language: "fr".to_owned(),
        city: none(),
        region: none(),
        engine: Engine::Google.to_string(),
        device: Device::Desktop.to_string(),
        kind: kind.to_string(),
        position: rank,
        real_position: rank,
        mark: rank,
        block: "top".to_owned(),
        domain: domain.to_owned(),
        domain_learnt: false,
        master: domain.to_owned(),
        title: format!("Shoes at {domain}"),
        description: none(),
        display_url: none(),
        target_url: none(),
        aclk_urls: Vec::new(),
        image: none(),
        price: none(),
        merchant: none(),
        merchant_id: none(),
        comparator_name: none(),
        comparator_url: none(),
    }
}
