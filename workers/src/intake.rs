//! Intake of pages that no browser of a worker captured. They are read, stored and recorded like captures.

use std::thread::available_parallelism;

use capture::ReadPage;
use capture::browsing::CapturedPage;
use chrono::{DateTime, Datelike, NaiveDate, Utc};
use futures::stream::{self, StreamExt, TryStreamExt};
use postgres::actions::detection;
use postgres::captures::{self, Capture};
use postgres::manifests::{ManifestPart, ROWS_LIMIT};
use postgres::slots::{self, Claim, PastSlot};
use postgres::terms::TermToCapture;
use vocabulary::{Device, SystemScope};

use crate::pages::record::{self, ReceivedDocument};
use crate::pages::{self, files, merchants, organic, rows};
use crate::reread::Stores;
use crate::storing::{CaptureToStore, StoreEnd, Storing};
use crate::{Error, LEASE};

const SCOPE: SystemScope = SystemScope::new("taking pages in");

/// A page, and the search whose result it is.
#[derive(Clone, Debug)]
pub struct ReceivedPage {
    /// The term as it was searched.
    pub term: TermToCapture,
    /// The device it was searched with.
    pub device: Device,
    /// When the search was due.
    pub slot_time: DateTime<Utc>,
    /// When the page was received.
    pub taken_at: DateTime<Utc>,
    /// The received document.
    pub page: CapturedPage,
}

/// The counts of an intake.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IntakeTotals {
    /// Captures that were settled.
    pub captures: u64,
    /// Ads stored for them.
    pub ads: u64,
    /// Pages that were not stored: their slot existed already, or they are no result pages.
    pub refused: u64,
}

impl std::ops::AddAssign for IntakeTotals {
    fn add_assign(&mut self, more: Self) {
        self.captures += more.captures;
        self.ads += more.ads;
        self.refused += more.refused;
    }
}

/// A page whose files and record are stored.
struct StoredPage {
    claim: Claim,
    capture: Capture,
    read: ReadPage,
}

/// Stores pages as past captures, the oldest first, and opens or updates the cases of their advertisers. Counted as refused: pages whose slot exists
/// already, that are no result pages, or whose rows were not read back. An error ends it; the workers settle the slots held until then like lost
/// ones.
pub async fn run(stores: &Stores, mut pages: Vec<ReceivedPage>) -> Result<IntakeTotals, Error> {
    pages.sort_by_key(|received| received.taken_at);
    let worker = format!("intake-{}", uuid::Uuid::new_v4());
    let past: Vec<PastSlot> = pages
        .iter()
        .map(|received| PastSlot {
            term: received.term.id,
            device: received.device,
            slot_time: received.slot_time,
        })
        .collect();
    let mut claims = slots::hold_past(&stores.postgres, &past, &worker, LEASE).await?;
    let claims_of_pages = pages.iter().map(|received| {
        let is_of = |claim: &Claim| {
            (claim.term, claim.device, claim.slot_time) == (received.term.id, received.device, received.slot_time)
        };
        claims.iter().position(is_of).map(|found| claims.swap_remove(found))
    });
    let claims_of_pages: Vec<Option<Claim>> = claims_of_pages.collect();
    let total = u64::try_from(pages.len()).unwrap_or(u64::MAX);
    let claimed = pages
        .into_iter()
        .zip(claims_of_pages)
        .filter_map(|(received, claim)| Some((received, claim?)));
    let stored_pages: Vec<Option<StoredPage>> = stream::iter(claimed)
        .map(|(received, claim)| store_page(stores, claim, received))
        .buffered(available_parallelism().map_or(1, usize::from))
        .try_collect()
        .await?;
    let stored_pages: Vec<StoredPage> = stored_pages.into_iter().flatten().collect();
    let ads = store(stores, &worker, &stored_pages).await?;
    let captures = settle(stores, &stored_pages).await?;
    Ok(IntakeTotals {
        captures,
        ads,
        refused: total.saturating_sub(captures),
    })
}

/// Reads a page and stores its files and record. `None` if it is no result page or the reader panics on it, which its slot then records as failed, or
/// if the slot is held by another worker.
async fn store_page(stores: &Stores, claim: Claim, received: ReceivedPage) -> Result<Option<StoredPage>, Error> {
    let ReceivedPage {
        term, taken_at, page, ..
    } = received;
    let Ok((page, mut read, view)) = pages::read(term.engine, page).await else {
        slots::fail(&stores.postgres, claim.held, vocabulary::CaptureFailure::Unreadable).await?;
        return Ok(None);
    };
    if let Some(failure) = pages::refusal(read.verdict_to_store(), page.status) {
        slots::fail(&stores.postgres, claim.held, failure).await?;
        return Ok(None);
    }
    merchants::fill(&stores.postgres, &mut read).await?;
    let organic = organic::to_save(&stores.postgres, &term, claim.device, &read.organic, taken_at).await?;
    let files = files::store(&stores.blobs, page.html, view, page.screenshot).await?;
    let document = ReceivedDocument {
        final_url: page.final_url,
        status: page.status,
        headers: page.headers,
        taken_at,
    };
    let capture = record::capture_record(&claim, &term, document, &read, &files, organic.as_deref());
    let mut tx = postgres::begin(&stores.postgres).await?;
    if !captures::store(&mut tx, claim.held, &capture, &organic.unwrap_or_default()).await? {
        return Ok(None);
    }
    tx.commit().await.map_err(postgres::Error::from)?;
    merchants::learn(&stores.postgres, &read, taken_at).await?;
    Ok(Some(StoredPage { claim, capture, read }))
}

/// Stores the ads of pages, which are in the order of time, in manifests of one month and at most [`ROWS_LIMIT`] rows each, and returns how many were
/// read back. Pages without ads are skipped.
async fn store(stores: &Stores, worker: &str, stored_pages: &[StoredPage]) -> Result<u64, Error> {
    let storing = Storing::with_stores(&stores.postgres, &stores.analytics, worker);
    let (mut month, mut room, mut batch, mut ads) = (None::<NaiveDate>, ROWS_LIMIT, Vec::new(), 0);
    for StoredPage { claim, capture, read } in stored_pages {
        let rows = rows::ad_rows(capture, read);
        let count = u32::try_from(rows.len()).unwrap_or(u32::MAX);
        if count == 0 {
            continue;
        }
        let day = capture.taken_at.date_naive();
        let of_page = day.with_day(1).unwrap_or(day);
        if month.is_some_and(|month| month != of_page) || count > room {
            ads += store_batch(&storing, month, std::mem::take(&mut batch)).await?;
            room = ROWS_LIMIT;
        }
        month = Some(of_page);
        room = room.saturating_sub(count);
        let part = ManifestPart {
            held: claim.held,
            capture: capture.id,
            rows: count,
        };
        batch.push(CaptureToStore { part, rows });
    }
    Ok(ads + store_batch(&storing, month, batch).await?)
}

/// Stores a batch of the month that begins on this day and returns how many of its rows were read back; 0 for an empty batch. Rows that are refused,
/// or whose outcome is unknown, are not counted and are no error.
async fn store_batch(storing: &Storing, month: Option<NaiveDate>, batch: Vec<CaptureToStore>) -> Result<u64, Error> {
    let Some(month) = month.filter(|_| !batch.is_empty()) else {
        return Ok(0);
    };
    let counts: Vec<u64> = batch.iter().map(|item| u64::from(item.part.rows)).collect();
    let outcomes = storing.store(month, batch).await;
    let stored = counts.into_iter().zip(outcomes);
    Ok(stored
        .filter(|(_, outcome)| *outcome == StoreEnd::Verified)
        .map(|(count, _)| count)
        .sum())
}

/// Verifies the slots of stored pages, whose rows the caller has read back, and opens or updates the cases of their advertisers, in one transaction and
/// in the order given, which must be that of time. Leaves slots that were settled meanwhile as they are. Returns how many were verified.
async fn settle(stores: &Stores, stored_pages: &[StoredPage]) -> Result<u64, Error> {
    let mut settled = 0;
    let mut tx = postgres::begin(&stores.postgres).await?;
    for StoredPage { claim, capture, read } in stored_pages {
        if slots::verify_past(&mut *tx, claim.held, capture.taken_at).await? {
            let rows = rows::ad_rows(capture, read);
            let sightings = pages::sightings(capture, &rows);
            detection::detect(&mut tx, &SCOPE, sightings, stores.grace).await?;
            settled += 1;
        }
    }
    tx.commit().await.map_err(postgres::Error::from)?;
    Ok(settled)
}
