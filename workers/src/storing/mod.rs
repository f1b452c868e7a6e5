//! Storing the ads of captures in ClickHouse, every row exactly once whatever fails on the way.
//!
//! Captures are gathered into batches, each with a manifest ([`gather()`]). A batch is inserted under a token and read back ([`Storing`]). A
//! manifest with an unknown outcome is taken over, read back and settled ([`recover()`]).

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

/// While ClickHouse is away, captures are tried again after this.
pub const AWAY_WAIT: Duration = Duration::from_secs(30);
/// A slot whose manifest has an unknown outcome is tried again after this.
pub const RECOVERY_WAIT: Duration = Duration::from_secs(15);
/// Captures that may wait for ClickHouse; while there are more, no page is captured.
const SPOOL_LIMIT: i64 = 10_000;

/// How storing a capture ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreEnd {
    /// All its rows were read back.
    Verified,
    /// ClickHouse refuses its rows because of their values.
    Refused,
    /// ClickHouse is away, or the outcome is unknown; recovery settles the manifest.
    Away,
    /// Another worker holds the slot.
    Lost,
}

/// A capture whose rows wait for ClickHouse.
pub(crate) struct CaptureToStore {
    pub part: postgres::manifests::ManifestPart,
    pub rows: Vec<AdRow>,
}

/// Stores batches, and keeps track of whether ClickHouse is away.
pub struct Storing {
    postgres: Pool,
    analytics: analytics::Client,
    worker: String,
    leases: Leases<ManifestId>,
    is_away: AtomicBool,
}

impl Storing {
    /// Storing on behalf of the worker of this name, with the stores of its context. ClickHouse counts as reachable at first.
    pub fn new(context: &WorkerContext, worker: &str) -> Self {
        Self::with_stores(&context.postgres, &context.analytics, worker)
    }

    /// A `Storing` in the name of this worker, with these stores. It starts without leases, shares none with another `Storing`, and takes ClickHouse
    /// to be up.
    pub(crate) fn with_stores(postgres: &Pool, analytics: &analytics::Client, worker: &str) -> Self {
        Self {
            postgres: postgres.clone(),
            analytics: analytics.clone(),
            worker: worker.to_owned(),
            leases: Leases::default(),
            is_away: AtomicBool::new(false),
        }
    }

    /// The leases of the manifests under way, for the task that renews them.
    pub fn leases(&self) -> Leases<ManifestId> {
        self.leases.clone()
    }

    /// Whether ClickHouse was away at the last request of this process.
    pub fn is_away(&self) -> bool {
        self.is_away.load(Ordering::Relaxed)
    }

    /// Returns how long to pause capturing: [`AWAY_WAIT`] while ClickHouse is away and at least [`SPOOL_LIMIT`] captures, counted in Postgres, wait
    /// for it; `None` otherwise.
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

    /// Notes that ClickHouse is away; the log says so once until it is back.
    fn note_away(&self, error: &dyn std::fmt::Display) {
        if !self.is_away.swap(true, Ordering::Relaxed) {
            tracing::warn!(%error, "the store of ads is away; captures wait for it");
        }
        metrics::gauge!("vigie_ad_store_away").set(1.0);
    }

    /// Notes that ClickHouse has answered.
    fn note_back(&self) {
        if self.is_away.swap(false, Ordering::Relaxed) {
            tracing::info!("the store of ads is back");
        }
        metrics::gauge!("vigie_ad_store_away").set(0.0);
    }
}
