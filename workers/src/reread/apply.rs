//! Replacing stored rows.
//!
//! The journal is written first, then the month is replaced in ClickHouse in one step, then the ledger follows. After an interruption before
//! that step nothing has changed, and the journal is deleted; after it, the ledger is brought up to date with ClickHouse.

use std::collections::BTreeMap;

use analytics::ingest::{self, AdRow, Replacement, StoredAd, stored_ads};
use chrono::{DateTime, Datelike, NaiveDate, Utc};
use postgres::actions::detection;
use postgres::captures::{self, Capture, Digest, PageReading};
use postgres::manifests::ROWS_LIMIT;
use postgres::rereading::{self, Open, RereadChange, SettledCapture};

use super::difference::{ad_json, change_json};
use super::{RereadCapture, SCOPE, Stores, count};
use crate::{Error, pages};

/// Records a new reading of a capture whose rows stay the same, and deletes its old viewing copy unless another capture uses it.
pub(super) async fn record_reading(stores: &Stores, capture: &Capture, reading: &PageReading) -> Result<(), Error> {
    rereading::renew(&stores.postgres, capture.id, reading).await?;
    drop_view(stores, &capture.reading.view).await
}

/// Replaces the rows of captures, a month at a time, and returns of how many captures. Captures that were stored again since they were read are left
/// out.
pub(super) async fn replace_rows(stores: &Stores, rereads: Vec<RereadCapture>) -> Result<u64, Error> {
    let mut months = BTreeMap::<NaiveDate, Vec<RereadCapture>>::new();
    for reread in rereads {
        let day = instant(reread.seen_at).date_naive();
        months.entry(day.with_day(1).unwrap_or(day)).or_default().push(reread);
    }
    let mut applied = 0;
    for (month, rereads) in months {
        applied += one_month(stores, month, rereads).await?;
    }
    Ok(applied)
}

/// Replaces the rows of captures of one month, given by its first day, and returns of how many captures. Holds the lock on stored rows meanwhile.
async fn one_month(stores: &Stores, month: NaiveDate, mut rereads: Vec<RereadCapture>) -> Result<u64, Error> {
    let _lock = rereading::stop_storing(&stores.postgres).await?;
    let settled: Vec<SettledCapture> = rereads.iter().map(|reread| reread.settled.clone()).collect();
    let unmoved = rereading::unmoved(&stores.postgres, &SCOPE, &settled).await?;
    rereads.retain(|reread| unmoved.contains(&reread.capture.id));
    if rereads.is_empty() {
        return Ok(0);
    }
    let (replacement, changes) = plan(stores, &mut rereads).await?;
    let mut tx = postgres::begin(&stores.postgres).await?;
    rereading::begin(&mut tx, &changes).await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    ingest::replace(&stores.analytics, month, &replacement).await?;
    converge(stores).await?;
    for reread in &rereads {
        drop_view(stores, &reread.capture.reading.view).await?;
    }
    Ok(count(rereads.len()))
}

/// The change in ClickHouse and its entries in the journal. The captures go into new manifests of at most [`ROWS_LIMIT`] rows; a capture without rows
/// gets none. Takes the rows out of `rereads`.
async fn plan(stores: &Stores, rereads: &mut [RereadCapture]) -> Result<(Replacement, Vec<RereadChange>), Error> {
    let limit = usize::try_from(ROWS_LIMIT).unwrap_or(usize::MAX);
    let (mut shares, mut room) = (Vec::with_capacity(rereads.len()), 0);
    let mut manifests = 0;
    for reread in rereads.iter() {
        if reread.rows.len() > room {
            manifests += 1;
            room = limit;
        }
        room -= reread.rows.len().min(room);
        shares.push(manifests);
    }
    let ids = rereading::reserve_manifests(&stores.postgres, manifests).await?;

    let mut replacement = Replacement::default();
    let mut next_rows = BTreeMap::<i64, u16>::new();
    let mut changes = Vec::with_capacity(rereads.len());
    for (reread, share) in rereads.iter_mut().zip(shares) {
        let capture = &reread.capture;
        if let Some(manifest) = reread.settled.manifest {
            let captures = replacement.outgoing.entry(manifest.0.cast_unsigned()).or_default();
            captures.push(capture.id.0);
        }
        replacement.seen_at.push(reread.seen_at);
        let rows = std::mem::take(&mut reread.rows);
        let manifest = ids.get(share.wrapping_sub(1)).copied().filter(|_| !rows.is_empty());
        let rows_count = u32::try_from(rows.len()).unwrap_or(u32::MAX);
        if let Some(manifest) = manifest {
            let next = next_rows.entry(manifest.0).or_default();
            for row in rows {
                replacement.incoming.push(AdRow {
                    batch: manifest.0.cast_unsigned(),
                    row: *next,
                    ..row
                });
                *next += 1;
            }
        }
        changes.push(RereadChange {
            capture: capture.id,
            old_reader_version: capture.reading.reader_version.clone(),
            reading: reread.reading.clone(),
            gained: reread.difference.gained.iter().map(ad_json).collect(),
            lost: reread.difference.lost.iter().map(ad_json).collect(),
            changed: reread.difference.changed.iter().map(change_json).collect(),
            manifest: manifest.map(|manifest| (manifest, rows_count)),
        });
    }
    Ok((replacement, changes))
}

/// Completes an interrupted re-reading, or undoes it if ClickHouse was not changed yet. Returns the number of captures concerned, usually 0.
pub async fn recover(stores: &Stores) -> Result<u64, Error> {
    if rereading::open(&stores.postgres, &SCOPE).await?.is_empty() {
        return Ok(0);
    }
    let _lock = rereading::stop_storing(&stores.postgres).await?;
    converge(stores).await
}

/// Goes through the open changes in the journal: marks those that ClickHouse shows as applied, and opens or updates the cases of their ads; deletes
/// the entries of the others. Returns the number of changes. The caller holds the lock on stored rows.
async fn converge(stores: &Stores) -> Result<u64, Error> {
    let open = rereading::open(&stores.postgres, &SCOPE).await?;
    let (mut done, mut undone, mut sightings) = (Vec::new(), Vec::new(), Vec::new());
    for mut change in open {
        let Some(ads) = stored(stores, &change).await? else {
            undone.push(change);
            continue;
        };
        if let Some(ad) = ads.first() {
            change.seen_at = instant(ad.seen_at);
        }
        if let Some(capture) = captures::by_id(&stores.postgres, change.capture).await? {
            sightings.push((change.seen_at, pages::sightings(&capture, &ads)));
        }
        done.push(change);
    }
    sightings.sort_by_key(|(seen_at, _)| *seen_at);
    let mut tx = postgres::begin(&stores.postgres).await?;
    rereading::apply(&mut tx, &done).await?;
    rereading::forget(&mut *tx, &undone).await?;
    for (_, sightings) in sightings {
        detection::detect(&mut tx, &SCOPE, sightings, stores.grace).await?;
    }
    tx.commit().await.map_err(postgres::Error::from)?;
    Ok(count(done.len() + undone.len()))
}

/// The time that many seconds after 1970.
fn instant(seconds: u32) -> DateTime<Utc> {
    DateTime::from_timestamp(seconds.into(), 0).unwrap_or_default()
}

/// The ads of a change as they are in ClickHouse, if its month was replaced already (no ads if the change leaves none); `None` otherwise.
async fn stored(stores: &Stores, change: &Open) -> Result<Option<Vec<StoredAd>>, Error> {
    let rows = async |manifest: postgres::manifests::ManifestId| {
        stored_ads(&stores.analytics, manifest.0.cast_unsigned(), change.capture.0).await
    };
    Ok(match (change.manifest, change.old_manifest) {
        (Some((manifest, count)), _) => {
            let found = rows(manifest).await?;
            u32::try_from(found.len())
                .is_ok_and(|found| found == count)
                .then_some(found)
        }
        (None, Some(old)) => rows(old).await?.is_empty().then(Vec::new),
        (None, None) => Some(Vec::new()),
    })
}

/// Deletes a viewing copy, unless a capture or failed attempt names it.
async fn drop_view(stores: &Stores, view: &Digest) -> Result<(), Error> {
    if !captures::names_file(&stores.postgres, view).await? {
        stores.blobs.delete(view).await?;
    }
    Ok(())
}
