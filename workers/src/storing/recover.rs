//! Manifests whose outcome nobody knows any more: their worker died, the store did not answer, or it lost what it had.

use analytics::ingest::{self, AdRow, BatchToken};
use postgres::captures;
use postgres::manifests::{self, Manifest, ManifestId};
use postgres::rereading;
use vocabulary::SystemScope;

use super::manifest::{ManifestEnd, batch_number, numbered};
use super::{StoreEnd, Storing};
use crate::context::WorkerContext;
use crate::pages::{read_again, rows};
use crate::{Error, LEASE};

/// Manifests taken over at a time; the next ones come with the next tick.
const AT_A_TIME: i64 = 20;

const SCOPE: SystemScope = SystemScope::new("reading back");

/// Takes over some manifests that nobody holds and ends them: all rows are there, or they are stored again from the kept pages. Where the
/// pages cannot be read as they were, no row is left, and the captures go into another manifest. Slots go on by their own jobs. Answers
/// how many manifests there were.
pub async fn recover(parts: &WorkerContext, storing: &Storing) -> Result<usize, Error> {
    if storing.is_away() {
        match parts.analytics.health().await {
            Ok(()) => storing.note_back(),
            Err(_) => return Ok(0),
        }
    }
    let taken = manifests::take_over(&parts.postgres, &storing.worker, LEASE, AT_A_TIME).await?;
    let held: Vec<_> = taken.iter().map(|manifest| storing.leases.hold(manifest.id)).collect();
    for (manifest, _held) in taken.iter().zip(held) {
        let recovered = recover_one(parts, storing, manifest).await;
        if recovered.is_err() {
            manifests::release(&parts.postgres, manifest.id, &storing.worker).await?;
        }
        let stored = recovered.inspect_err(|error| storing.note_away(error))?;
        tracing::warn!(manifest = %manifest.id, ?stored, "an unknown outcome was read back");
    }
    Ok(taken.len())
}

/// The same until none is left or the store is away.
pub(crate) async fn recover_all(parts: &WorkerContext, storing: &Storing) -> Result<(), Error> {
    while recover(parts, storing).await? > 0 && !storing.is_away() {}
    Ok(())
}

/// Whether the pages that the rows of a manifest can be read off again are all there.
pub(crate) async fn can_be_stored_again(parts: &WorkerContext, manifest: ManifestId) -> Result<bool, Error> {
    for capture in captures::of_manifest(&parts.postgres, &SCOPE, manifest).await? {
        if !parts.blobs.contains(&capture.page).await? {
            return Ok(false);
        }
    }
    Ok(true)
}

async fn recover_one(parts: &WorkerContext, storing: &Storing, manifest: &Manifest) -> Result<StoreEnd, Error> {
    let _in_place = rereading::keep_rows_in_place(&parts.postgres).await?;
    let batch = batch_number(manifest.id);
    let rows = rows_of(parts, manifest).await?;
    let is_same = u64::try_from(rows.len()).is_ok_and(|count| count == u64::from(manifest.rows));
    let token = BatchToken {
        batch,
        epoch: manifest.epoch.cast_unsigned(),
    };
    if is_same && rows.is_empty() {
        ingest::delete(&parts.analytics, batch).await?;
        return storing.conclude(manifest, ManifestEnd::Verified).await;
    }
    if is_same && ingest::count(&parts.analytics, token, &rows).await? == u64::from(manifest.rows) {
        return storing.conclude(manifest, ManifestEnd::Verified).await;
    }
    ingest::delete(&parts.analytics, batch).await?;
    if !is_same {
        return storing.conclude(manifest, ManifestEnd::Refused).await;
    }
    let Some(epoch) = manifests::begin_epoch(&parts.postgres, manifest.id, &storing.worker).await? else {
        return Ok(StoreEnd::Lost);
    };
    let anew = Manifest {
        epoch,
        ..manifest.clone()
    };
    let settled = storing.insert(&anew, &rows).await?;
    storing.conclude(&anew, settled).await
}

/// The rows of a manifest under the numbers they had, read off the kept pages again and corrected as they were; fewer when a page is gone.
async fn rows_of(parts: &WorkerContext, manifest: &Manifest) -> Result<Vec<AdRow>, Error> {
    let first_rows = manifests::first_rows(&parts.postgres, manifest.id).await?;
    let mut all = Vec::new();
    for capture in captures::of_manifest(&parts.postgres, &SCOPE, manifest.id).await? {
        let first = first_rows.get(&capture.id).copied().unwrap_or(0);
        if let Some(taken) = read_again(parts, capture).await? {
            let rows = rows::ad_rows(&taken.capture, &taken.read).into_iter();
            all.extend(numbered(manifest.id, first, rows));
        }
    }
    Ok(corrections::renewed(&parts.postgres, &SCOPE, manifest.id, all).await?)
}
