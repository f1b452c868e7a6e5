//! Settling manifests with an unknown outcome: their worker died, or ClickHouse did not respond or lost rows.

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

/// Manifests taken over at a time; the rest wait for the next tick.
const AT_A_TIME: i64 = 20;

const SCOPE: SystemScope = SystemScope::new("reading back");

/// Takes over up to [`AT_A_TIME`] manifests that no worker holds and settles them: if not all rows are there, they are deleted and stored again from
/// the kept pages, or in another manifest where the pages give another number. The slots continue with their own jobs. Returns the number of
/// manifests, 0 while ClickHouse is away; the first error ends the round, and the rest wait for their leases to run out.
pub async fn recover(context: &WorkerContext, storing: &Storing) -> Result<usize, Error> {
    if storing.is_away() {
        match context.analytics.health().await {
            Ok(()) => storing.note_back(),
            Err(_) => return Ok(0),
        }
    }
    let manifests = manifests::take_over(&context.postgres, &storing.worker, LEASE, AT_A_TIME).await?;
    let leases: Vec<_> = manifests
        .iter()
        .map(|manifest| storing.leases.hold(manifest.id))
        .collect();
    for (manifest, _lease) in manifests.iter().zip(leases) {
        let recovered = recover_one(context, storing, manifest).await;
        if recovered.is_err() {
            manifests::release(&context.postgres, manifest.id, &storing.worker).await?;
        }
        let stored = recovered.inspect_err(|error| storing.note_away(error))?;
        tracing::warn!(manifest = %manifest.id, ?stored, "an unknown outcome was read back");
    }
    Ok(manifests.len())
}

/// Repeats [`recover`] until no manifest is left or ClickHouse is away.
pub(crate) async fn recover_all(context: &WorkerContext, storing: &Storing) -> Result<(), Error> {
    while recover(context, storing).await? > 0 && !storing.is_away() {}
    Ok(())
}

/// Whether the page of every capture in a manifest is still in the file store, so that it can be read again. The pages are not read.
pub(crate) async fn can_be_stored_again(context: &WorkerContext, manifest: ManifestId) -> Result<bool, Error> {
    for capture in captures::of_manifest(&context.postgres, &SCOPE, manifest).await? {
        if !context.blobs.contains(&capture.page).await? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Settles one manifest that this worker has taken over, and returns how it ended. If its rows do not all have the expected values, they are deleted
/// and stored again; if the pages do not give their number, they are deleted and the manifest is abandoned ([`StoreEnd::Refused`]).
/// [`StoreEnd::Lost`] if another worker has taken it over.
async fn recover_one(context: &WorkerContext, storing: &Storing, manifest: &Manifest) -> Result<StoreEnd, Error> {
    let _rows_in_place = rereading::keep_rows_in_place(&context.postgres).await?;
    let batch = batch_number(manifest.id);
    let rows = rows_of(context, manifest).await?;
    let is_same = u64::try_from(rows.len()).is_ok_and(|count| count == u64::from(manifest.rows));
    let token = BatchToken {
        batch,
        epoch: manifest.epoch.cast_unsigned(),
    };
    if is_same && rows.is_empty() {
        ingest::delete(&context.analytics, batch).await?;
        return storing.conclude(manifest, ManifestEnd::Verified).await;
    }
    if is_same && ingest::end_inserts_and_count(&context.analytics, token, &rows).await? == u64::from(manifest.rows) {
        return storing.conclude(manifest, ManifestEnd::Verified).await;
    }
    ingest::delete(&context.analytics, batch).await?;
    if !is_same {
        return storing.conclude(manifest, ManifestEnd::Refused).await;
    }
    let Some(epoch) = manifests::begin_epoch(&context.postgres, manifest.id, &storing.worker).await? else {
        return Ok(StoreEnd::Lost);
    };
    let next = Manifest {
        epoch,
        ..manifest.clone()
    };
    let end = storing.insert(&next, &rows).await?;
    storing.conclude(&next, end).await
}

/// The rows of a manifest with their numbers, read off the kept pages again and corrected as before; fewer when a page is gone.
async fn rows_of(context: &WorkerContext, manifest: &Manifest) -> Result<Vec<AdRow>, Error> {
    let first_rows = manifests::first_rows(&context.postgres, manifest.id).await?;
    let mut all = Vec::new();
    for capture in captures::of_manifest(&context.postgres, &SCOPE, manifest.id).await? {
        let first = first_rows.get(&capture.id).copied().unwrap_or(0);
        if let Some(captured) = read_again(context, capture).await? {
            let rows = rows::ad_rows(&captured.capture, &captured.read).into_iter();
            all.extend(numbered(manifest.id, first, rows));
        }
    }
    Ok(corrections::apply_to_rows(&context.postgres, &SCOPE, manifest.id, all).await?)
}
