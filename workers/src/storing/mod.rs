//! Storing read captures in ClickHouse, so that every row is there exactly once whatever breaks on the way.
//!
//! Captures are gathered into manifests ([`gather()`]); a manifest is inserted under a token and read back ([`Storing`]); a manifest whose
//! outcome nobody knows any more is taken over, read back and brought to its end ([`recover()`]).

mod gather;
mod manifest;
mod recover;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use analytics::ingest::AdRow;
use postgres::manifests::ManifestId;
use postgres::{Pool, slots};
use vocabulary::SlotState;

use crate::Error;
use crate::context::WorkerContext;
use crate::leases::Leases;

pub use gather::{Batches, gather};
pub use recover::recover;
pub(crate) use recover::{can_be_stored_again, recover_all};

/// While the store of ads is away, captures wait this long before they ask again.
pub const AWAY_WAIT: Duration = Duration::from_secs(30);
/// A slot whose manifest is being found out about asks again after this.
pub const RECOVERY_WAIT: Duration = Duration::from_secs(15);
/// Captured pages that may wait for the store; then no more are captured.
const SPOOL_LIMIT: i64 = 10_000;

/// How storing a capture ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreEnd {
    /// All its rows were read back.
    Verified,
    /// The store refuses its rows for what they hold.
    Refused,
    /// The store cannot be had now, or its answer is unknown; the ledger knows what to do next.
    Away,
    /// The slot is held by somebody else.
    Lost,
}

/// A capture to be stored.
pub(crate) struct CaptureToStore {
    pub part: postgres::manifests::ManifestPart,
    pub rows: Vec<AdRow>,
}

/// The way into the store of ads.
pub struct Storing {
    postgres: Pool,
    analytics: analytics::Client,
    worker: String,
    leases: Leases<ManifestId>,
    is_away: AtomicBool,
}

impl Storing {
    /// For this worker.
    pub fn new(parts: &WorkerContext, worker: &str) -> Self {
        Self::with_stores(&parts.postgres, &parts.analytics, worker)
    }

    /// From the ledger into this store, for whoever holds slots by this name.
    pub(crate) fn with_stores(postgres: &Pool, analytics: &analytics::Client, worker: &str) -> Self {
        Self {
            postgres: postgres.clone(),
            analytics: analytics.clone(),
            worker: worker.to_owned(),
            leases: Leases::default(),
            is_away: AtomicBool::new(false),
        }
    }

    /// The manifests it works on.
    pub fn leases(&self) -> Leases<ManifestId> {
        self.leases.clone()
    }

    /// Whether the store could not be had when it was last asked.
    pub fn is_away(&self) -> bool {
        self.is_away.load(Ordering::Relaxed)
    }

    /// How long no page should be captured, because too many wait for the store already.
    pub(crate) async fn congestion(&self) -> Result<Option<Duration>, Error> {
        if !self.is_away() {
            return Ok(None);
        }
        let unsettled = slots::unsettled(&self.postgres).await?;
        let waiting: i64 = unsettled
            .iter()
            .filter(|(state, _)| matches!(state, SlotState::Captured | SlotState::Storing))
            .map(|(_, count)| count)
            .sum();
        Ok((waiting >= SPOOL_LIMIT).then_some(AWAY_WAIT))
    }

    fn note_away(&self, error: &dyn std::fmt::Display) {
        if !self.is_away.swap(true, Ordering::Relaxed) {
            tracing::warn!(%error, "the store of ads is away; captures wait for it");
        }
        metrics::gauge!("vigie_ad_store_away").set(1.0);
    }

    fn note_back(&self) {
        if self.is_away.swap(false, Ordering::Relaxed) {
            tracing::info!("the store of ads is back");
        }
        metrics::gauge!("vigie_ad_store_away").set(0.0);
    }
}
