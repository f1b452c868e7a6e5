//! Reading stored pages again with the present reader: what that would change, and applying it.

mod apply;
mod difference;

use analytics::ingest::{AdRow, StoredAd, stored_ads};
use blobs::Blobs;
use capture::{CopiedFile, PageFile};
use chrono::TimeDelta;
use postgres::Pool;
use postgres::captures::{self, Capture, PageReading};
use postgres::rereading::{self, RereadQuery, SettledCapture};
use url::Url;
use vocabulary::{CaptureId, SystemScope};

use crate::Error;
use crate::context::WorkerContext;
use crate::pages::{emptiness, merchants, rows};

pub use apply::recover;
pub use difference::CaptureDifference;

/// Captures read by one query.
const AT_ONCE: i64 = 200;
/// Changed rows collected before they are applied. A month with more is replaced in several steps.
const ROWS_OF_A_STEP: usize = 50_000;

const SCOPE: SystemScope = SystemScope::new("reading again");

/// The stores that re-reading changes.
#[derive(Clone)]
pub struct Stores {
    /// Postgres, which has the ledger.
    pub postgres: Pool,
    /// ClickHouse, which has the ads.
    pub analytics: analytics::Client,
    /// The file store, which has the pages.
    pub blobs: Blobs,
    /// The time an advertiser that agreed has to stop before it counts as seen again.
    pub grace: TimeDelta,
}

impl Stores {
    /// The stores of a worker, and the grace period of its housekeeping.
    pub(crate) fn from_context(context: &WorkerContext) -> Self {
        Self {
            postgres: context.postgres.clone(),
            analytics: context.analytics.clone(),
            blobs: context.blobs.clone(),
            grace: context.housekeeping.grace(),
        }
    }
}

/// The counts of a re-reading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Pages that were read.
    pub captures: u64,
    /// Pages that are gone, damaged or unreadable; their captures stay as they are.
    pub unreadable: u64,
    /// Captures whose ads differ from the stored ones.
    pub differing: u64,
    /// Ads that are not stored yet.
    pub gained: u64,
    /// Stored ads that the reader does not find.
    pub lost: u64,
    /// Stored ads with other values.
    pub changed: u64,
    /// Captures whose stored rows were replaced.
    pub applied: u64,
}

/// A capture that was read again, with the new reading and rows, and how these differ from the stored ones.
struct RereadCapture {
    settled: SettledCapture,
    capture: Capture,
    reading: PageReading,
    /// The time of its ads, in seconds since 1970.
    seen_at: u32,
    rows: Vec<AdRow>,
    difference: CaptureDifference,
}

/// Reads the captures of a query again and calls `report` with each difference. Without `apply` nothing is changed. With it, new readings and their
/// viewing copies are recorded, differing rows replaced and journaled, cases opened or updated as for a new capture, and an interrupted re-reading is
/// completed first. The first error ends it; steps before it stay done.
pub async fn run(
    stores: &Stores,
    query: &RereadQuery,
    apply: bool,
    mut report: impl FnMut(&CaptureDifference),
) -> Result<Summary, Error> {
    if apply {
        recover(stores).await?;
    }
    let (mut summary, mut after, mut waiting) = (Summary::default(), None, Vec::<RereadCapture>::new());
    loop {
        let found = rereading::settled(&stores.postgres, &SCOPE, query, after, AT_ONCE).await?;
        let Some(last) = found.last() else { break };
        after = Some(last.capture);
        for settled in found {
            let Some(reread) = read_one(stores, settled, apply).await? else {
                summary.unreadable += 1;
                continue;
            };
            summary.captures += 1;
            let difference = &reread.difference;
            if difference.is_empty() {
                if apply && reread.reading != reread.capture.reading {
                    apply::record_reading(stores, &reread.capture, &reread.reading).await?;
                }
                continue;
            }
            summary.differing += 1;
            summary.gained += count(difference.gained.len());
            summary.lost += count(difference.lost.len());
            summary.changed += count(difference.changed.len());
            report(difference);
            if apply {
                waiting.push(reread);
            }
        }
        if waiting.iter().map(|reread| reread.rows.len()).sum::<usize>() >= ROWS_OF_A_STEP {
            summary.applied += apply::replace_rows(stores, std::mem::take(&mut waiting)).await?;
        }
    }
    summary.applied += apply::replace_rows(stores, waiting).await?;
    Ok(summary)
}

fn count(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

/// Reads a capture again and compares its ads with the stored ones; changes nothing stored, except that with `apply` the new viewing copy is stored.
/// `None` if the capture or its page is gone, damaged or unreadable, or is no longer seen as a page with results.
async fn read_one(stores: &Stores, settled: SettledCapture, apply: bool) -> Result<Option<RereadCapture>, Error> {
    let Some(capture) = captures::by_id(&stores.postgres, settled.capture).await? else {
        return Ok(None);
    };
    let Some(page) = text(stores, capture.id, &capture.page).await? else {
        return Ok(None);
    };
    let view = text(stores, capture.id, &capture.reading.view).await?;
    let (engine, base) = (capture.engine, Url::parse(&capture.final_url));
    let reading = tokio::task::spawn_blocking(move || {
        let base = base.ok()?;
        // The pictures of a page are stored only in its viewing copy.
        let copied = view.as_deref().map(capture::files_in).unwrap_or_default();
        let files: Vec<PageFile<'_>> = copied.iter().map(CopiedFile::as_page_file).collect();
        Some(capture::read_and_copy(&page, engine, &base, &files))
    });
    let Ok(Some((mut read, view))) = reading.await else {
        return Ok(None);
    };
    if !read.verdict_to_store().is_results() {
        return Ok(None);
    }
    emptiness::confirm_as_before(&stores.postgres, &capture, &mut read).await?;
    let old = match settled.manifest {
        Some(manifest) => stored_ads(&stores.analytics, manifest.0.cast_unsigned(), capture.id.0).await?,
        None => Vec::new(),
    };
    merchants::recall(&stores.postgres, &mut read, &old).await?;
    let view_bytes = u32::try_from(view.len()).ok();
    let view = if apply {
        stores.blobs.put(view.into_bytes()).await?
    } else {
        capture.reading.view
    };
    let mut rows = rows::ad_rows(&capture, &read);
    // Stored ads keep their time, even a corrected one.
    let seen_at = old
        .first()
        .map_or_else(|| rows::seconds(capture.taken_at), |ad| ad.seen_at);
    for row in &mut rows {
        row.seen_at = seen_at;
    }
    let present = rows.iter().map(StoredAd::from).collect();
    Ok(Some(RereadCapture {
        difference: CaptureDifference::between(&capture, old, present),
        reading: rows::reading(&read, view, view_bytes),
        settled,
        capture,
        seen_at,
        rows,
    }))
}

/// The text of a stored file; `None` if it is gone, damaged (which is logged) or not UTF-8.
async fn text(stores: &Stores, capture: CaptureId, file: &captures::Digest) -> Result<Option<String>, Error> {
    match stores.blobs.read(file).await {
        Ok(found) => Ok(found.and_then(|bytes| String::from_utf8(bytes).ok())),
        Err(error @ blobs::Error::Damaged { .. }) => {
            tracing::error!(%capture, %error, "a kept file cannot be read");
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}
