//! Storing one manifest: insert under a token, read back, decide.

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

/// Shorter than the lease, so that no worker takes over a manifest whose insert may still be running.
const INSERT_LIMIT: Duration = Duration::from_secs(30);
/// Inserts of one manifest without its rows arriving, after which ClickHouse counts as away.
const EPOCHS: u32 = 3;

/// Error codes of ClickHouse about the rows, not the server: parse errors (6, 26, 27, 33, 72), types and ranges (53, 69, 70, 321, 349,
/// 407), sizes (128, 131) and broken constraints (117, 469).
const REFUSALS: [u32; 15] = [6, 26, 27, 33, 53, 69, 70, 72, 117, 128, 131, 321, 349, 407, 469];

/// How storing the rows of a manifest ended.
pub(super) enum ManifestEnd {
    /// All were read back.
    Verified,
    /// None is stored, and none will be under this manifest.
    Refused,
    /// The outcome is unknown.
    Away,
}

impl Storing {
    /// Stores captures of one month, given by its first day, and returns how each ended, in their order. A batch that is refused for its rows is
    /// halved until the refused capture is alone. Errors of the ledger count as away.
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

    /// Opens a manifest for a batch, inserts its rows and records the end, which is that of every capture left in `batch`: captures that this worker
    /// no longer holds are removed from it. `None` when the rows are refused and the batch can be halved.
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
        let _lease = self.leases.hold(manifest.id);
        batch.retain(|(_, item)| {
            manifest
                .captures
                .iter()
                .any(|(capture, _)| *capture == item.part.capture)
        });

        let rows = batch.iter().flat_map(|(_, item)| item.rows.iter().cloned());
        let rows = numbered(manifest.id, 0, rows);
        let _rows_in_place = rereading::keep_rows_in_place(&self.postgres).await?;
        let end = self.insert(&manifest, &rows).await?;
        let stored = self.conclude(&manifest, end).await?;
        // One capture may be the reason why the whole batch is refused.
        Ok(Some(stored).filter(|stored| *stored != StoreEnd::Refused || batch.len() == 1))
    }

    /// Records in the ledger how a manifest ended that this worker holds, and notifies change streams of stored ads. A refused manifest is abandoned,
    /// so that its captures can go into another one. [`StoreEnd::Away`] if another worker has taken the manifest over.
    pub(super) async fn conclude(&self, manifest: &Manifest, end: ManifestEnd) -> Result<StoreEnd, Error> {
        let postgres = &self.postgres;
        Ok(match end {
            ManifestEnd::Verified => {
                self.note_back();
                let is_kept = manifests::verify(postgres, manifest.id, &self.worker).await?;
                metrics::counter!("vigie_ads_stored_total").increment(u64::from(manifest.rows));
                if is_kept {
                    notify(postgres, manifest).await;
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

    /// Inserts the rows of a manifest, up to [`EPOCHS`] times, until as many are counted in ClickHouse: the count decides, not the response. Rows
    /// that arrived in part are deleted before the next insert. Refused if ClickHouse refuses the rows and has none of them; otherwise away, also if
    /// another worker has taken the manifest over.
    pub(super) async fn insert(&self, manifest: &Manifest, rows: &[AdRow]) -> Result<ManifestEnd, Error> {
        let store = &self.analytics;
        let batch = batch_number(manifest.id);
        let mut epoch = manifest.epoch.cast_unsigned();
        for attempt in 0..EPOCHS {
            let token = BatchToken { batch, epoch };
            let response = timeout(INSERT_LIMIT, ingest::insert(store, token, rows)).await;
            // An insert without a response may still be running. So may one of the worker that held the manifest before.
            let is_alone = attempt == 0 && epoch == 1 && matches!(response, Ok(Ok(())));
            let counting = async {
                if is_alone {
                    ingest::read_back(store, token, rows).await
                } else {
                    ingest::end_inserts_and_count(store, token, rows).await
                }
            };
            let count = match timeout(INSERT_LIMIT, counting).await {
                Ok(Ok(count)) => count,
                Ok(Err(error)) => {
                    self.note_away(&error);
                    return Ok(ManifestEnd::Away);
                }
                Err(elapsed) => {
                    self.note_away(&elapsed);
                    return Ok(ManifestEnd::Away);
                }
            };
            if count == u64::from(manifest.rows) {
                return Ok(ManifestEnd::Verified);
            }
            if let Ok(Err(error)) = &response {
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
                tracing::error!(manifest = %manifest.id, count, rows = manifest.rows, "a batch is there in part; it is stored again");
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

/// Whether an error is about the rows, so that the same insert would fail again.
fn is_refusal(error: &analytics::Error) -> bool {
    matches!(error, analytics::Error::BadBatch(_)) || error.code().is_some_and(|code| REFUSALS.contains(&code))
}

/// The number of a manifest's batch in ClickHouse, which is its id.
pub(super) const fn batch_number(manifest: ManifestId) -> u64 {
    manifest.0.cast_unsigned()
}

/// Notifies change streams of the Sems of a stored batch. An error is only logged.
async fn notify(postgres: &postgres::Pool, manifest: &Manifest) {
    let ids = ids_of_batch(batch_number(manifest.id), manifest.rows);
    if let Err(error) = changes::notify(postgres, changes::SEMS, Change::Create { ids }).await {
        tracing::debug!(%error, "stored ads are not told of");
    }
}

/// The rows with the batch number of a manifest, and row numbers from `first` on in their order.
pub(super) fn numbered(manifest: ManifestId, first: u16, rows: impl Iterator<Item = AdRow>) -> Vec<AdRow> {
    let batch = batch_number(manifest);
    let numbered = (first..).zip(rows).map(|(row, ad)| AdRow { batch, row, ..ad });
    numbered.collect()
}
