//! Pages that came by another way than a browser of ours: read, kept, stored and recorded as those of a worker.

use std::thread::available_parallelism;

use capture::ReadPage;
use capture::browsing::CapturedPage;
use chrono::{DateTime, Datelike, NaiveDate, Utc};
use futures::stream::{self, StreamExt, TryStreamExt};
use postgres::actions::detection::{self, Sighting};
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

/// A page, and the search that it answers.
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
    /// The page.
    pub page: CapturedPage,
}

/// What came of pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IntakeTotals {
    /// Captures that are settled.
    pub captures: u64,
    /// Ads stored of them.
    pub ads: u64,
    /// Pages of slots that were there already, or that are no result pages: nothing is kept of them.
    pub refused: u64,
}

impl std::ops::AddAssign for IntakeTotals {
    fn add_assign(&mut self, more: Self) {
        self.captures += more.captures;
        self.ads += more.ads;
        self.refused += more.refused;
    }
}

/// A page that is kept.
struct KeptPage {
    claim: Claim,
    capture: Capture,
    read: ReadPage,
}

/// Takes pages in, the oldest first. Each slot is held from here on: what is interrupted counts as lost and is ended by the workers.
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
    let held = pages.iter().map(|received| {
        let is_of = |claim: &Claim| {
            (claim.term, claim.device, claim.slot_time) == (received.term.id, received.device, received.slot_time)
        };
        claims.iter().position(is_of).map(|found| claims.swap_remove(found))
    });
    let held: Vec<Option<Claim>> = held.collect();
    let total = u64::try_from(pages.len()).unwrap_or(u64::MAX);
    let keeping = pages
        .into_iter()
        .zip(held)
        .filter_map(|(received, claim)| Some((received, claim?)));
    let kept: Vec<Option<KeptPage>> = stream::iter(keeping)
        .map(|(received, claim)| keep_page(stores, claim, received))
        .buffered(available_parallelism().map_or(1, usize::from))
        .try_collect()
        .await?;
    let kept: Vec<KeptPage> = kept.into_iter().flatten().collect();
    let ads = store(stores, &worker, &kept).await?;
    let captures = settle(stores, &kept).await?;
    Ok(IntakeTotals {
        captures,
        ads,
        refused: total.saturating_sub(captures),
    })
}

/// Reads and keeps a page; none where it is no result page, as the slot then says.
async fn keep_page(stores: &Stores, claim: Claim, received: ReceivedPage) -> Result<Option<KeptPage>, Error> {
    let ReceivedPage {
        term, taken_at, page, ..
    } = received;
    let Ok((page, mut read, view)) = pages::read(term.engine, page).await else {
        slots::fail(&stores.postgres, claim.held, vocabulary::CaptureFailure::Unreadable).await?;
        return Ok(None);
    };
    if let Some(failure) = pages::refusal(read.judged(), page.status) {
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
    Ok(Some(KeptPage { claim, capture, read }))
}

/// Stores the ads in as few manifests as there are months, and answers how many there are.
async fn store(stores: &Stores, worker: &str, kept: &[KeptPage]) -> Result<u64, Error> {
    let storing = Storing::with_stores(&stores.postgres, &stores.analytics, worker);
    let (mut month, mut room, mut batch, mut ads) = (None::<NaiveDate>, ROWS_LIMIT, Vec::new(), 0);
    for KeptPage { claim, capture, read } in kept {
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

/// Ends the slots whose rows were read back, and makes actions of what was seen, in the order of time. What is not settled here is by the
/// workers.
async fn settle(stores: &Stores, kept: &[KeptPage]) -> Result<u64, Error> {
    let mut settled = 0;
    let mut tx = postgres::begin(&stores.postgres).await?;
    for KeptPage { claim, capture, read } in kept {
        if slots::verify_past(&mut *tx, claim.held, capture.taken_at).await? {
            let rows = rows::ad_rows(capture, read);
            let seen = rows.iter().map(|row| (row.domain.as_str(), row.kind.as_str()));
            let seen: Vec<Sighting> = pages::sightings(capture, seen);
            detection::detect(&mut tx, &SCOPE, seen, stores.grace).await?;
            settled += 1;
        }
    }
    tx.commit().await.map_err(postgres::Error::from)?;
    Ok(settled)
}
