//! Stores one manifest: insert under a token, read back, decide.

use std::collections::VecDeque;
use std::time::Duration;

use analytics::ingest::{self, AdRow, BatchToken};
use analytics::resources::ids_of_batch;
use chrono::NaiveDate;
use postgres::changes::{self, Change};
use postgres::manifests::{self, Manifest, ManifestId};
use postgres::rereading;
use tokio::time::timeout;

use super::{CaptureToStore, StoreEnd, Storing};
use crate::{Error, LEASE};

/// Below the lease, so that nobody takes over a manifest whose insert may still be under way.
const INSERT_LIMIT: Duration = Duration::from_secs(30);
/// Inserts of one manifest whose rows did not arrive before the store counts as away.
const EPOCHS: u32 = 3;

/// Codes of ClickHouse that speak of the rows, not of the server: parse errors (6, 26, 27, 33, 72), types and ranges (53, 69, 70, 321, 349,
/// 407), sizes (128, 131) and broken constraints (117, 469).
const REFUSALS: [u32; 15] = [6, 26, 27, 33, 53, 69, 70, 72, 117, 128, 131, 321, 349, 407, 469];

/// What became of the rows of a manifest.
pub(super) enum ManifestEnd {
    /// All were read back.
    Verified,
    /// None is there, and none will be under this manifest.
    Refused,
    /// Not known.
    Away,
}

impl Storing {
    /// Stores captures of one month, and answers how each ended, in order. A batch that is refused for its rows is halved until the capture
    /// that is refused stands alone.
    pub(crate) async fn store(&self, month: NaiveDate, items: Vec<CaptureToStore>) -> Vec<StoreEnd> {
        let mut outcomes = vec![StoreEnd::Lost; items.len()];
        let mut batches = VecDeque::from([items.into_iter().enumerate().collect::<Vec<_>>()]);
        while let Some(mut batch) = batches.pop_front() {
            let stored = match self.store_batch(month, &mut batch).await {
                Ok(stored) => stored,
                Err(error) => {
                    tracing::warn!(%error, "a batch could not be recorded");
                    Some(StoreEnd::Away)
                }
            };
            if let Some(stored) = stored {
                for (index, _) in &batch {
                    outcomes[*index] = stored;
                }
            } else {
                let second = batch.split_off(batch.len() / 2);
                batches.extend([batch, second]);
            }
        }
        outcomes
    }

    /// Stores a batch; captures that are no longer held are taken out of it. `None` when it is refused and can be halved.
    async fn store_batch(
        &self,
        month: NaiveDate,
        batch: &mut Vec<(usize, CaptureToStore)>,
    ) -> Result<Option<StoreEnd>, Error> {
        let parts: Vec<_> = batch.iter().map(|(_, item)| item.part).collect();
        let mut tx = postgres::begin(&self.postgres).await?;
        let Some(manifest) = manifests::open(&mut tx, &self.worker, LEASE, month, &parts).await? else {
            batch.clear();
            return Ok(Some(StoreEnd::Lost));
        };
        tx.commit().await.map_err(postgres::Error::from)?;
        let _held = self.leases.hold(manifest.id);
        batch.retain(|(_, item)| {
            manifest
                .captures
                .iter()
                .any(|(capture, _)| *capture == item.part.capture)
        });

        let rows = batch.iter().flat_map(|(_, item)| item.rows.iter().cloned());
        let rows = numbered(manifest.id, 0, rows);
        let _in_place = rereading::keep_rows_in_place(&self.postgres).await?;
        let settled = self.insert(&manifest, &rows).await?;
        let stored = self.conclude(&manifest, settled).await?;
        // What is refused as a whole may be good in parts.
        Ok(Some(stored).filter(|stored| *stored != StoreEnd::Refused || batch.len() == 1))
    }

    /// Writes into the ledger what became of a manifest that this worker holds.
    pub(super) async fn conclude(&self, manifest: &Manifest, settled: ManifestEnd) -> Result<StoreEnd, Error> {
        let postgres = &self.postgres;
        Ok(match settled {
            ManifestEnd::Verified => {
                self.note_back();
                let is_kept = manifests::verify(postgres, manifest.id, &self.worker).await?;
                metrics::counter!("vigie_ads_stored_total").increment(u64::from(manifest.rows));
                if is_kept {
                    tell_of(postgres, manifest).await;
                }
                if is_kept { StoreEnd::Verified } else { StoreEnd::Away }
            }
            ManifestEnd::Away => {
                manifests::release(postgres, manifest.id, &self.worker).await?;
                StoreEnd::Away
            }
            ManifestEnd::Refused => {
                let mut tx = postgres::begin(postgres).await?;
                let is_ours = manifests::abandon(&mut tx, manifest.id, &self.worker).await?;
                tx.commit().await.map_err(postgres::Error::from)?;
                if is_ours { StoreEnd::Refused } else { StoreEnd::Away }
            }
        })
    }

    /// Inserts the rows of a manifest until they were read back. The answer of an insert alone proves nothing: the count decides.
    pub(super) async fn insert(&self, manifest: &Manifest, rows: &[AdRow]) -> Result<ManifestEnd, Error> {
        let store = &self.analytics;
        let batch = batch_number(manifest.id);
        let mut epoch = manifest.epoch.cast_unsigned();
        for attempt in 0..EPOCHS {
            let token = BatchToken { batch, epoch };
            let answer = timeout(INSERT_LIMIT, ingest::insert(store, token, rows)).await;
            // An insert without an answer may still run. So may one from before this worker held the manifest.
            let is_alone = attempt == 0 && epoch == 1 && matches!(answer, Ok(Ok(())));
            let counting = async {
                if is_alone {
                    ingest::read_back(store, token, rows).await
                } else {
                    ingest::count(store, token, rows).await
                }
            };
            let count = match timeout(INSERT_LIMIT, counting).await {
                Ok(Ok(count)) => count,
                Ok(Err(error)) => {
                    self.note_away(&error);
                    return Ok(ManifestEnd::Away);
                }
                Err(late) => {
                    self.note_away(&late);
                    return Ok(ManifestEnd::Away);
                }
            };
            if count == u64::from(manifest.rows) {
                return Ok(ManifestEnd::Verified);
            }
            if let Ok(Err(error)) = &answer {
                if count == 0 && is_refusal(error) {
                    tracing::error!(manifest = %manifest.id, rows = manifest.rows, %error, "the store refuses a batch");
                    return Ok(ManifestEnd::Refused);
                }
                if matches!(error, analytics::Error::Unreachable { .. }) {
                    self.note_away(error);
                    return Ok(ManifestEnd::Away);
                }
                tracing::warn!(manifest = %manifest.id, %error, "an insert failed");
            }
            if count > 0 {
                tracing::error!(manifest = %manifest.id, count, rows = manifest.rows, "a batch is there in part; it is stored anew");
                ingest::delete(store, batch).await?;
            }
            match manifests::begin_epoch(&self.postgres, manifest.id, &self.worker).await? {
                Some(next) => epoch = next.cast_unsigned(),
                None => return Ok(ManifestEnd::Away),
            }
        }
        self.note_away(&"rows do not arrive");
        Ok(ManifestEnd::Away)
    }
}

fn is_refusal(error: &analytics::Error) -> bool {
    matches!(error, analytics::Error::BadBatch(_)) || error.code().is_some_and(|code| REFUSALS.contains(&code))
}

/// The number a manifest's rows carry.
pub(super) const fn batch_number(manifest: ManifestId) -> u64 {
    manifest.0.cast_unsigned()
}

/// Tells of the Sems of a batch that is stored, whether anybody listens or not.
async fn tell_of(postgres: &postgres::Pool, manifest: &Manifest) {
    let ids = ids_of_batch(batch_number(manifest.id), manifest.rows);
    if let Err(error) = changes::notify(postgres, changes::SEMS, Change::Create { ids }).await {
        tracing::debug!(%error, "stored ads are not told of");
    }
}

/// Rows as those of a manifest, in order from the `first` on.
pub(super) fn numbered(manifest: ManifestId, first: u16, rows: impl Iterator<Item = AdRow>) -> Vec<AdRow> {
    let batch = batch_number(manifest);
    let numbered = (first..).zip(rows).map(|(row, ad)| AdRow { batch, row, ..ad });
    numbered.collect()
}
