//! Stores for a test, a repository, and what a test does with both.

use std::path::{Path, PathBuf};

use analytics::Client;
use analytics::ingest::{AdRow, BatchToken, insert};
use backup::{BackupId, Error, Repository, Restored, Stores, Written};
use blobs::Blobs;
use chrono::{DateTime, TimeDelta, Utc};
use runtime::Secret;
use testkit::{ClickHouse, Postgres};
use uuid::Uuid;

/// That is 2026-01-01T00:00:00Z.
const START: u32 = 1_767_225_600;
const DAY: u32 = 86_400;

/// The stores of an installation, with nothing in them that the test did not store.
pub struct World {
    pub postgres: Postgres,
    pub clickhouse: ClickHouse,
    pub analytics: Client,
    pub blobs: Blobs,
    programs: PathBuf,
    _files: tempfile::TempDir,
}

impl World {
    /// Stores with schemas, and nothing in them.
    pub async fn new() -> Self {
        Self::with(Postgres::new().await, ClickHouse::new().await).await
    }

    /// Stores without anything.
    pub async fn empty() -> Self {
        Self::with(Postgres::empty().await, ClickHouse::empty().await).await
    }

    async fn with(postgres: Postgres, clickhouse: ClickHouse) -> Self {
        let address = clickhouse.options();
        let files = tempfile::tempdir().unwrap();
        Self {
            postgres,
            analytics: Client::connect(&address).await.unwrap(),
            clickhouse,
            blobs: Blobs::folder(files.path()).unwrap(),
            programs: testkit::postgres_program("pg_dump").parent().unwrap().to_owned(),
            _files: files,
        }
    }

    pub fn stores(&self) -> Stores<'_> {
        Stores {
            postgres: &self.postgres.pool,
            postgres_url: &self.postgres.url,
            postgres_programs: &self.programs,
            analytics: &self.analytics,
            blobs: &self.blobs,
        }
    }

    /// Backs up at this second of 2026.
    pub async fn back_up(&self, repository: &Repository, second: i64) -> Result<Written, Error> {
        backup::back_up(
            repository,
            &self.stores(),
            Some("cafecafe".to_owned()),
            true,
            at(second),
        )
        .await
    }

    /// Restores into these stores, with every key of stored credentials.
    pub async fn restore(&self, repository: &Repository, id: BackupId) -> Result<Restored, Error> {
        backup::restore(repository, id, &self.stores(), |key| key == "cafecafe", at(1_000_000)).await
    }

    /// Stores a batch of rows, and its manifest if the ledger is to know it.
    pub async fn store_ads(&self, batch: u64, rows: u16, month: u32, is_known: bool) {
        if is_known {
            let known =
                "insert into manifest (month, n_rows, state, settled_at) values ('2026-01-01', 1, 'verified', now())";
            self.postgres.execute(known).await;
        }
        let rows: Vec<AdRow> = (0..rows).map(|number| ad(batch, number, month)).collect();
        insert(&self.analytics, BatchToken { batch, epoch: 0 }, &rows)
            .await
            .unwrap();
    }

    /// All results, as the engine prints them, in order.
    pub async fn ads(&self) -> Vec<String> {
        let all = "SELECT toString(tuple(batch, row, seen_at, day, ad, domain, title, aclk_urls)) AS line FROM ad_results ORDER BY batch, row";
        self.clickhouse.plain().query(all).fetch_all().await.unwrap()
    }

    /// A dump of the whole of Postgres as text, without what differs between two dumps of the same.
    pub async fn dump(&self) -> String {
        let printed = tokio::process::Command::new(self.programs.join("pg_dump"))
            .args(["--no-owner", "--no-privileges", "--dbname", &self.postgres.url])
            .output()
            .await
            .unwrap();
        assert!(printed.status.success(), "{}", String::from_utf8_lossy(&printed.stderr));
        let text = String::from_utf8(printed.stdout).unwrap();
        text.lines()
            .filter(|line| !line.starts_with("\\restrict") && !line.starts_with("\\unrestrict"))
            // Parentheses of conditions that are equal: restored ones have fewer.
            .map(|line| line.replace(['(', ')'], ""))
            .fold(String::new(), |all, line| all + &line + "\n")
    }
}

/// A repository in a folder.
pub fn repository(folder: &Path, key: Option<&str>) -> Result<Repository, Error> {
    Repository::open_or_make(folder, key.map(|key| Secret::new(key.to_owned())).as_ref())
}

/// This second of 2026.
pub fn at(second: i64) -> DateTime<Utc> {
    DateTime::from_timestamp_secs(START.into()).unwrap() + TimeDelta::seconds(second)
}

/// An ad of this month of 2026, from 0, whose title no other ad has.
fn ad(batch: u64, row: u16, month: u32) -> AdRow {
    let seen_at = START + month * 31 * DAY + u32::from(row);
    AdRow {
        batch,
        row,
        capture_id: Uuid::from_u128(u128::from(batch) << 32 | u128::from(row)),
        slot_time: seen_at,
        seen_at,
        brand_id: 1,
        term_id: 1,
        keyword: "running shoes".to_owned(),
        keyword_type: "GENERIC".to_owned(),
        localization_id: 1,
        country: "FR".to_owned(),
        language: "fr".to_owned(),
        city: "Paris".to_owned(),
        region: String::new(),
        engine: "google".to_owned(),
        device: "desktop".to_owned(),
        kind: "ads".to_owned(),
        position: 1 + row % 4,
        real_position: 1 + row % 4,
        mark: 1 + row % 4,
        block: "top".to_owned(),
        domain: "shop.example".to_owned(),
        domain_learnt: false,
        master: "shop.example".to_owned(),
        title: format!("Offer {batch} {row}"),
        description: "Delivered free".to_owned(),
        display_url: "shop.example/offer".to_owned(),
        target_url: format!("https://shop.example/p/{row}"),
        aclk_urls: vec![format!("https://ads.example/aclk?{row}")],
        image: String::new(),
        price: String::new(),
        merchant: String::new(),
        merchant_id: String::new(),
        comparator_name: String::new(),
        comparator_url: String::new(),
    }
}
