//! Carrying out corrections, one process at a time.

use std::collections::BTreeMap;
use std::time::Duration;

use analytics::ingest::{self, AdRow, Corrected};
use chrono::{Datelike, NaiveDate};
use postgres::manifests::ManifestId;
use postgres::{Connection, Pool, Tx, corrections, rereading};
use tokio::sync::{Mutex, MutexGuard};
use tokio::time::timeout;
use vocabulary::SystemScope;

use crate::Error;
use crate::journal::{self, Correction};

/// How long to wait for the lock: inserts end within this time; a re-reading may take minutes and is not waited for.
const PATIENCE: Duration = Duration::from_secs(20);

const SCOPE: SystemScope = SystemScope::new("correcting ads");

/// Waiting for the lock on stored rows takes a connection, and its holder needs another one. One waiter per process leaves enough in the pool.
static QUEUE: Mutex<()> = Mutex::const_new(());

/// The stores that a correction changes.
#[derive(Clone)]
pub struct Stores {
    /// The journal and the ledger.
    pub postgres: Pool,
    /// ClickHouse, the store of ads.
    pub analytics: analytics::Client,
}

/// The right to correct: while it is held, nothing else stores, replaces or corrects ads.
pub struct CorrectionLock {
    stores: Stores,
    _stored_rows: Tx,
    _queue: MutexGuard<'static, ()>,
}

impl CorrectionLock {
    /// Waits for other corrections of this process and then until nothing stores, replaces or corrects ads elsewhere, at most 20 seconds each; `None`
    /// when either takes longer. Then completes corrections that were interrupted, however long that takes. Nothing is stored until the lock is
    /// dropped.
    pub async fn acquire(stores: &Stores) -> Result<Option<Self>, Error> {
        let Ok(queue) = timeout(PATIENCE, QUEUE.lock()).await else {
            return Ok(None);
        };
        let Some(stored_rows) = rereading::stop_storing_within(&stores.postgres, PATIENCE).await? else {
            return Ok(None);
        };
        carry_out_open(stores).await?;
        Ok(Some(Self {
            stores: stores.clone(),
            _stored_rows: stored_rows,
            _queue: queue,
        }))
    }

    /// Whether all these ads can be corrected: the rows of their manifests were read back, and retention is not deleting them.
    pub async fn are_settled(&self, ads: &[AdRow]) -> Result<bool, Error> {
        let manifests: Vec<ManifestId> = ads.iter().map(|ad| ManifestId(ad.batch.cast_signed())).collect();
        Ok(corrections::are_settled(&self.stores.postgres, &manifests).await?)
    }

    /// Writes corrections into the journal, in the caller's transaction. Once that is committed they are carried out, by [`Self::carry_out`] or by
    /// [`recover`].
    pub async fn note(&self, connection: &mut Connection, list: &[Correction]) -> Result<(), Error> {
        let records: Vec<_> = list.iter().map(Correction::to_record).collect::<Result<_, _>>()?;
        Ok(corrections::begin(connection, &records).await?)
    }

    /// Carries out the corrections in the journal and releases the lock. Goes on when the caller is cancelled.
    pub async fn carry_out(self) -> Result<(), Error> {
        tokio::spawn(async move { carry_out_open(&self.stores).await.map(|_| ()) }).await?
    }
}

/// Completes interrupted corrections and returns how many it completed, usually 0. If there are any, waits for the lock on stored rows and holds it
/// meanwhile, so nothing is stored; else takes no lock.
pub async fn recover(stores: &Stores) -> Result<u64, Error> {
    if corrections::open(&stores.postgres, &SCOPE).await?.is_empty() {
        return Ok(0);
    }
    let _lock = rereading::stop_storing(&stores.postgres).await?;
    let count = carry_out_open(stores).await?;
    if count > 0 {
        tracing::warn!(count, "corrections that were interrupted are brought to their end");
    }
    Ok(count)
}

/// Carries out the open corrections of the journal month by month, in ClickHouse and then in the ledger, and returns how many there were. An error
/// leaves that month and the later ones for the next call. The caller holds the lock on stored rows.
async fn carry_out_open(stores: &Stores) -> Result<u64, Error> {
    let mut months = BTreeMap::<NaiveDate, Vec<corrections::Correction>>::new();
    for correction in corrections::open(&stores.postgres, &SCOPE).await? {
        let day = correction.seen_at.date_naive();
        months
            .entry(day.with_day(1).unwrap_or(day))
            .or_default()
            .push(correction);
    }
    let mut count = 0;
    for (month, list) in months {
        let mut corrected = Corrected::default();
        for correction in &list {
            corrected
                .outgoing
                .push((correction.manifest.0.cast_unsigned(), correction.row));
            corrected.incoming.extend(journal::ad(correction)?);
            let seconds = u32::try_from(correction.seen_at.timestamp()).unwrap_or(0);
            corrected.seen_at.push(seconds);
        }
        let number = corrections::next_try(&stores.postgres).await?;
        ingest::correct(&stores.analytics, month, number, &corrected).await?;
        corrections::apply(&stores.postgres, &list).await?;
        count += u64::try_from(list.len()).unwrap_or(u64::MAX);
    }
    Ok(count)
}
