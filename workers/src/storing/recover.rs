//! Manifests whose outcome nobody knows any more: their worker died, or the store did not answer.

use analytics::ingest::{self, AdRow, BatchToken};
use records::captures;
use records::manifests::{self, Manifest};
use vocabulary::Scope;

use super::Storing;
use super::manifest::{batch_number, numbered};
use crate::parts::Parts;
use crate::resume::read_again;
use crate::{Error, LEASE, rows};

/// Manifests taken over at a time; the next ones come with the next tick.
const AT_A_TIME: i64 = 20;

const SCOPE: Scope = Scope::system("reading back");

/// Takes over manifests that nobody holds and finds out what became of them: all rows are there, and the manifest is verified; or they are
/// taken away, and its captures go into another. Their slots go on by their own jobs.
pub async fn recover(parts: &Parts, storing: &Storing) -> Result<(), Error> {
    if storing.is_away() {
        match parts.analytics.health().await {
            Ok(()) => storing.note_back(),
            Err(_) => return Ok(()),
        }
    }
    for manifest in manifests::take_over(&parts.records, &storing.worker, LEASE, AT_A_TIME).await? {
        let recovered = recover_one(parts, storing, &manifest).await;
        if recovered.is_err() {
            manifests::release(&parts.records, manifest.id, &storing.worker).await?;
        }
        let is_whole = recovered.inspect_err(|error| storing.note_away(error))?;
        tracing::warn!(manifest = %manifest.id, is_whole, "an unknown outcome was read back");
    }
    Ok(())
}

/// Whether all rows of the manifest are there; else none is any more.
async fn recover_one(parts: &Parts, storing: &Storing, manifest: &Manifest) -> Result<bool, Error> {
    let batch = batch_number(manifest.id);
    let rows = numbered(manifest.id, rows_of(parts, manifest).await?.into_iter());
    let token = BatchToken {
        batch,
        epoch: manifest.epoch.cast_unsigned(),
    };
    let is_same = u64::try_from(rows.len()).is_ok_and(|count| count == u64::from(manifest.rows));
    if is_same && ingest::count(&parts.analytics, token, &rows).await? == u64::from(manifest.rows) {
        manifests::verify(&parts.records, manifest.id, &storing.worker).await?;
        return Ok(true);
    }
    ingest::delete(&parts.analytics, batch).await?;
    let mut tx = parts.records.begin().await.map_err(records::Error::from)?;
    manifests::abandon(&mut tx, manifest.id, &storing.worker).await?;
    tx.commit().await.map_err(records::Error::from)?;
    Ok(false)
}

/// The rows of a manifest, read off the kept pages again; fewer when a page is gone.
async fn rows_of(parts: &Parts, manifest: &Manifest) -> Result<Vec<AdRow>, Error> {
    let mut all = Vec::new();
    for capture in captures::of_manifest(&parts.records, &SCOPE, manifest.id).await? {
        if let Some(taken) = read_again(parts, capture).await? {
            all.extend(rows::of(&taken.capture, &taken.read));
        }
    }
    Ok(all)
}
