//! Carrying corrections out, one after the other.

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

/// Who corrects waits for inserts, which end within this, but not for a re-reading, which may take minutes.
const PATIENCE: Duration = Duration::from_secs(20);

const SCOPE: SystemScope = SystemScope::new("correcting ads");

/// Who waits for the lock on stored rows holds a connection, and who has it needs another: all at once they would have none left.
static QUEUE: Mutex<()> = Mutex::const_new(());

/// What correcting works with.
#[derive(Clone)]
pub struct Stores {
    /// The journal and the ledger.
    pub postgres: Pool,
    /// The store of ads.
    pub analytics: analytics::Client,
}

/// The right to correct: while it is held, nobody else stores, replaces or corrects ads.
pub struct CorrectionLock {
    stores: Stores,
    _alone: Tx,
    _first: MutexGuard<'static, ()>,
}

impl CorrectionLock {
    /// Waits for the turn, and brings to its end what was interrupted before. `None` where others take too long.
    pub async fn acquire(stores: &Stores) -> Result<Option<Self>, Error> {
        let Ok(first) = timeout(PATIENCE, QUEUE.lock()).await else {
            return Ok(None);
        };
        let Some(alone) = rereading::stop_storing_within(&stores.postgres, PATIENCE).await? else {
            return Ok(None);
        };
        converge(stores).await?;
        Ok(Some(Self {
            stores: stores.clone(),
            _alone: alone,
            _first: first,
        }))
    }

    /// Whether the outcome of storing these ads is known and they are not being taken away, so that they can be corrected.
    pub async fn are_settled(&self, ads: &[AdRow]) -> Result<bool, Error> {
        let manifests: Vec<ManifestId> = ads.iter().map(|ad| ManifestId(ad.batch.cast_signed())).collect();
        Ok(corrections::are_settled(&self.stores.postgres, &manifests).await?)
    }

    /// Writes corrections into the journal. From the commit on they will be carried out, if not by this turn.
    pub async fn note(&self, connection: &mut Connection, list: &[Correction]) -> Result<(), Error> {
        let written: Vec<_> = list.iter().map(Correction::written).collect::<Result<_, _>>()?;
        Ok(corrections::begin(connection, &written).await?)
    }

    /// Carries out what was noted. It goes on when nobody waits for it any more.
    pub async fn carry_out(self) -> Result<(), Error> {
        tokio::spawn(async move { converge(&self.stores).await.map(|_| ()) }).await?
    }
}

/// Brings corrections that were interrupted to their end. Answers how many there were; 0 as a rule.
pub async fn recover(stores: &Stores) -> Result<u64, Error> {
    if corrections::open(&stores.postgres, &SCOPE).await?.is_empty() {
        return Ok(0);
    }
    let _alone = rereading::stop_storing(&stores.postgres).await?;
    let count = converge(stores).await?;
    if count > 0 {
        tracing::warn!(count, "corrections that were interrupted are brought to their end");
    }
    Ok(count)
}

/// Changes the store as the journal says, month by month, and then the ledger. The caller keeps others from changing rows.
async fn converge(stores: &Stores) -> Result<u64, Error> {
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
