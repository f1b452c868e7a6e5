//! From a claimed slot to stored ads: one attempt, step by step.
//!
//! [`Attempts::run`] claims a slot and watches the attempt, which walks down these steps:
//!
//! 1. [`admit`]: may the term be searched now?
//! 2. [`search`]: a browser searches it and receives a page.
//! 3. [`judge`]: the page is read; what is no result page ends the attempt.
//! 4. [`keep`]: the files of the page go to the file store, and the ledger records the capture.
//! 5. [`store`]: its ads go to ClickHouse and are read back.
//! 6. [`settle`]: the slot ends, or goes back to the queue.
//!
//! When an earlier attempt has kept the page already, [`resume`] takes the place of steps 1 to 4. The steps use [`engines`] (pace and
//! breaker), [`disk`] (room for pages), [`pictures`], [`emptiness`] (pages without results) and [`failed_page`].
//!
//! The slot's row owns its attempts: every end is recorded in the ledger, never in the queue.

mod admit;
mod disk;
mod emptiness;
mod engines;
mod failed_page;
mod judge;
mod keep;
mod pictures;
mod resume;
mod search;
mod settle;
mod store;

use std::sync::Arc;
use std::time::Duration;

use postgres::actions::detection::Sighting;
use postgres::slots::{self, Claim, HeldSlot};
use schedules::queue::CaptureJob;
use tokio_util::sync::CancellationToken;
use vocabulary::{CaptureFailure, MissedReason, SlotState};

use crate::context::WorkerContext;
use crate::leases::Leases;
use crate::stop_go::SeenPage;
use crate::storing::{AWAY_WAIT, Batches, Storing};
use crate::{Error, GRACE, LEASE};

use admit::AdmittedSearch;
use disk::Disk;
use engines::Engines;
use pictures::Pictures;

pub use search::search_for;

/// How often the end of an attempt is tried to be recorded while the ledger is away. After that the sweeper finds the slot once its lease has run out.
const RECORD_TRIES: u32 = 60;
const BETWEEN_RECORD_TRIES: Duration = Duration::from_secs(1);
/// Longer than all steps may take together; an attempt that takes this long hangs.
const ATTEMPT_LIMIT: Duration = Duration::from_mins(10);

/// How an attempt ends, which decides what becomes of its slot. As a text, the `outcome` label in the metric of attempts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
enum Outcome {
    /// Its rows are in the store and were read back.
    Stored,
    /// The slot will not run any more.
    Missed(MissedReason),
    /// It failed; the slot is tried again until it has failed too often.
    Failed(CaptureFailure),
    /// It failed for a reason that no further attempt can overcome.
    GivenUp(CaptureFailure),
    /// It did not fail, but has to wait.
    Later(Duration),
    /// Another worker holds the slot now.
    Lost,
}

/// How an attempt ended, with the sightings in its capture if its ads are stored.
struct EndedAttempt {
    outcome: Outcome,
    sightings: Vec<Sighting>,
    /// What lanes need of its page.
    seen: Option<SeenPage>,
}

impl From<Outcome> for EndedAttempt {
    fn from(outcome: Outcome) -> Self {
        Self {
            outcome,
            sightings: Vec::new(),
            seen: None,
        }
    }
}

/// What a step hands to the next one, or why there is no next one.
type Step<T> = Result<T, Stop>;

/// Why an attempt goes no further.
enum Stop {
    /// It has ended.
    Ended(EndedAttempt),
    /// Postgres, ClickHouse or the file store failed: the slot waits for it.
    StoreAway(Error),
}

impl From<EndedAttempt> for Stop {
    fn from(ended: EndedAttempt) -> Self {
        Self::Ended(ended)
    }
}

impl From<Outcome> for Stop {
    fn from(outcome: Outcome) -> Self {
        Self::Ended(outcome.into())
    }
}

impl<E: Into<Error>> From<E> for Stop {
    fn from(error: E) -> Self {
        Self::StoreAway(error.into())
    }
}

/// The state that all attempts of a process share.
pub struct Attempts {
    context: WorkerContext,
    engines: Engines,
    pictures: Pictures,
    storing: Arc<Storing>,
    disk: Disk,
    worker: String,
    batches: Batches,
    leases: Leases<HeldSlot>,
    shutdown: CancellationToken,
}

impl Attempts {
    /// The state that the attempts of a process share; starts nothing. Claims are in the name of `worker`, rows go to `batches`. Once `shutdown` is
    /// cancelled, [`Attempts::run`] gives attempts under way [`GRACE`] to end.
    pub fn new(
        context: &WorkerContext,
        worker: &str,
        storing: Arc<Storing>,
        batches: Batches,
        shutdown: CancellationToken,
    ) -> Self {
        Self {
            context: context.clone(),
            engines: Engines::new(&context.coordination, &context.pace),
            pictures: Pictures::new(&context.coordination, context.screenshots),
            storing,
            disk: Disk::new(&context.blobs, context.pace.least_free_bytes),
            worker: worker.to_owned(),
            batches,
            leases: Leases::default(),
            shutdown,
        }
    }

    /// The leases of the slots under way, for the task that renews them.
    pub fn leases(&self) -> Leases<HeldSlot> {
        self.leases.clone()
    }

    /// Claims the slot of a job, makes the attempt and records its end; does nothing if the slot cannot be claimed. Failures are recorded in the
    /// ledger, so the queue always sees a success. An end that cannot be recorded in time is found by the sweeper once the lease has run out.
    pub async fn run(self: Arc<Self>, job: CaptureJob) {
        let claim = match slots::claim(&self.context.postgres, job.into(), &self.worker, LEASE).await {
            Ok(Some(claim)) => claim,
            Ok(None) => return,
            Err(error) => {
                tracing::warn!(slot = %job.slot, %error, "not claimed; the sweeper asks again");
                return;
            }
        };
        let _lease = self.leases.hold(claim.held);
        if claim.held.attempt == 1 {
            let late = (self.context.clock.now() - claim.slot_time)
                .to_std()
                .unwrap_or_default();
            metrics::histogram!("vigie_slot_lateness_seconds").record(late);
        }
        let ended = self.watch(&claim).await;
        self.record(&claim, &ended).await;
    }

    /// Records how an attempt ended, and tries again while the ledger is away. If the first try was committed and only its answer was lost, the next one
    /// changes nothing, as the slot is no longer held.
    async fn record(&self, claim: &Claim, ended: &EndedAttempt) {
        let (slot, outcome) = (claim.held.id, ended.outcome);
        for tries in 1.. {
            match settle::settle(self, claim, ended).await {
                Ok(()) => return,
                Err(error) if error.is_transient() && tries < RECORD_TRIES && !self.shutdown.is_cancelled() => {
                    tracing::warn!(%slot, %error, ?outcome, "the end of an attempt waits to be recorded");
                    tokio::time::sleep(BETWEEN_RECORD_TRIES).await;
                }
                Err(error) => {
                    tracing::error!(%slot, %error, ?outcome, "the end of an attempt could not be recorded");
                    return;
                }
            }
        }
    }

    /// Makes an attempt in a task of its own and returns how it ended. It fails after [`ATTEMPT_LIMIT`] or if it panics; its slot goes back to the
    /// queue when a store is away, or when it takes longer than [`GRACE`] after the shutdown began.
    async fn watch(self: &Arc<Self>, claim: &Claim) -> EndedAttempt {
        let (attempts, claimed) = (Arc::clone(self), claim.clone());
        let mut work = tokio::spawn(async move { attempts.walk(&claimed).await });
        let stop = async {
            self.shutdown.cancelled().await;
            tokio::time::sleep(GRACE).await;
        };
        let ended = tokio::select! {
            ended = &mut work => match ended {
                Ok(Ok(ended) | Err(Stop::Ended(ended))) => ended,
                Ok(Err(Stop::StoreAway(error))) => {
                    tracing::warn!(slot = %claim.held.id, %error, "a store is away; the slot waits");
                    Outcome::Later(AWAY_WAIT).into()
                }
                Err(broken) => {
                    tracing::error!(slot = %claim.held.id, %broken, "an attempt broke down");
                    Outcome::Failed(CaptureFailure::Unreadable).into()
                }
            },
            () = tokio::time::sleep(ATTEMPT_LIMIT) => Outcome::Failed(CaptureFailure::Timeout).into(),
            () = stop => Outcome::Later(Duration::ZERO).into(),
        };
        work.abort();
        ended
    }

    /// Takes the steps of an attempt one after the other, up to the stored rows. A slot whose page an earlier attempt has kept is resumed instead.
    async fn walk(&self, claim: &Claim) -> Step<EndedAttempt> {
        let captured = if claim.state == SlotState::Capturing {
            let search = admit::admit(self, claim).await?;
            let received = search::search(self, &search).await?;
            let page = judge::judge(self, &search, received).await?;
            keep::keep(self, &search, page).await?
        } else {
            resume::resume(self, claim).await?
        };
        store::store(self, claim, captured).await
    }

    /// Ends an attempt as failed, and notes the failure of the engine, which may pause searches on it.
    async fn fail(&self, search: &AdmittedSearch<'_>, failure: CaptureFailure) -> Stop {
        self.engines
            .note_failure(search.term.engine, &search.route, failure)
            .await;
        Outcome::Failed(failure).into()
    }
}
