//! One attempt at a slot, from the claim to its end. The slot row owns attempts: whatever happens here ends in the ledger, never in the
//! queue.

use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;
use postgres::actions::detection::{self, Sighting};
use postgres::slots::{self, Claim, HeldSlot};
use schedules::queue::{self, CaptureJob};
use tokio_util::sync::CancellationToken;
use vocabulary::{CaptureFailure, MissedReason, SlotState, SystemScope, Verdict};

use crate::context::WorkerContext;
use crate::disk::Disk;
use crate::engines::Engines;
use crate::leases::Leases;
use crate::page::{self, ReadCapture};
use crate::pictures::Pictures;
use crate::resume::resume;
use crate::storing::{AWAY_WAIT, Batches, StoreEnd, Storing};
use crate::{Error, GRACE, LEASE, retries, rows, sightings};

/// An attempt that takes longer than anything it waits for may take has hung.
const ATTEMPT_LIMIT: Duration = Duration::from_mins(10);

const SCOPE: SystemScope = SystemScope::new("settling a capture");

/// How an attempt ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Its rows are in the store and were read back.
    Stored,
    /// The slot is not to be run any more.
    Missed(MissedReason),
    /// It failed; the slot is tried again unless it was too often.
    Failed(CaptureFailure),
    /// It failed for a reason that no further attempt can mend.
    GivenUp(CaptureFailure),
    /// It did not fail, but has to wait.
    Later(Duration),
    /// Somebody else holds the slot now.
    Lost,
}

/// An attempt that has ended, with what its capture saw where that is stored.
pub struct EndedAttempt {
    pub outcome: Outcome,
    pub seen: Vec<Sighting>,
}

impl From<Outcome> for EndedAttempt {
    fn from(outcome: Outcome) -> Self {
        Self {
            outcome,
            seen: Vec::new(),
        }
    }
}

/// Runs attempts.
pub struct Attempts {
    pub parts: WorkerContext,
    pub engines: Engines,
    pub pictures: Pictures,
    pub storing: Arc<Storing>,
    pub disk: Disk,
    worker: String,
    batches: Batches,
    leases: Leases<HeldSlot>,
    shutdown: CancellationToken,
}

impl Attempts {
    pub fn new(
        parts: &WorkerContext,
        worker: &str,
        storing: Arc<Storing>,
        batches: Batches,
        shutdown: CancellationToken,
    ) -> Self {
        Self {
            parts: parts.clone(),
            engines: Engines::new(&parts.coordination, &parts.pace),
            pictures: Pictures::new(&parts.coordination, parts.screenshots),
            storing,
            disk: Disk::new(&parts.blobs, parts.pace.least_free_bytes),
            worker: worker.to_owned(),
            batches,
            leases: Leases::default(),
            shutdown,
        }
    }

    pub fn leases(&self) -> Leases<HeldSlot> {
        self.leases.clone()
    }

    /// Runs the attempt that a job asks for. Always ends well for the queue: a failure is recorded in the ledger; what cannot be recorded
    /// is found by the sweeper once the lease has run out.
    pub async fn run(self: Arc<Self>, job: CaptureJob) {
        let claim = match slots::claim(&self.parts.postgres, job.into(), &self.worker, LEASE).await {
            Ok(Some(claim)) => claim,
            Ok(None) => return,
            Err(error) => {
                tracing::warn!(slot = %job.slot, %error, "not claimed; the sweeper asks again");
                return;
            }
        };
        let _hold = self.leases.hold(claim.held);
        if claim.held.attempt == 1 {
            let late = (self.parts.clock.now() - claim.slot_time).to_std().unwrap_or_default();
            metrics::histogram!("vigie_slot_lateness_seconds").record(late);
        }
        let EndedAttempt { outcome, seen } = self.watch(&claim).await;
        if let Err(error) = self.conclude(&claim, outcome, seen).await {
            tracing::error!(slot = %claim.held.id, %error, ?outcome, "the end of an attempt could not be recorded");
        }
    }

    /// The end of an attempt, whatever it does: panics, hangs and the end of the process are caught here.
    async fn watch(self: &Arc<Self>, claim: &Claim) -> EndedAttempt {
        let (attempts, claimed) = (Arc::clone(self), claim.clone());
        let mut work = tokio::spawn(async move { attempts.work(&claimed).await });
        let stop = async {
            self.shutdown.cancelled().await;
            tokio::time::sleep(GRACE).await;
        };
        let ended = tokio::select! {
            ended = &mut work => match ended {
                Ok(Ok(ended)) => ended,
                Ok(Err(error)) => {
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

    async fn work(&self, claim: &Claim) -> Result<EndedAttempt, Error> {
        let taken = if claim.state == SlotState::Capturing {
            page::capture_page(self, claim).await?.map_err(EndedAttempt::from)
        } else {
            resume(self, claim).await?
        };
        match taken {
            Ok(taken) => self.store(claim, taken).await,
            Err(ended) => Ok(ended),
        }
    }

    async fn store(&self, claim: &Claim, taken: ReadCapture) -> Result<EndedAttempt, Error> {
        let ReadCapture { capture, read } = taken;
        let ads = match read.judged() {
            Verdict::Results if read.ads.is_empty() => "none",
            Verdict::Results => "some",
            // Whatever was read of it, more may be there.
            _ => "doubtful",
        };
        metrics::counter!("vigie_pages_read_total", "engine" => capture.engine.to_string(), "ads" => ads).increment(1);
        let rows = rows::ad_rows(&capture, &read);
        if rows.is_empty() {
            return Ok(Outcome::Stored.into());
        }
        let seen = sightings::sightings(
            &capture,
            rows.iter().map(|row| (row.domain.as_str(), row.kind.as_str())),
        );
        Ok(match self.batches.store(claim.held, &capture, rows).await {
            StoreEnd::Verified => EndedAttempt {
                outcome: Outcome::Stored,
                seen,
            },
            StoreEnd::Refused => Outcome::GivenUp(CaptureFailure::Refused).into(),
            StoreEnd::Away => Outcome::Later(AWAY_WAIT).into(),
            StoreEnd::Lost => Outcome::Lost.into(),
        })
    }

    /// Records how an attempt ended, in one transaction with the job of the next one if there is to be one.
    async fn conclude(&self, claim: &Claim, outcome: Outcome, seen: Vec<Sighting>) -> Result<(), Error> {
        let held = claim.held;
        let postgres = &self.parts.postgres;
        let recorded = match outcome {
            Outcome::Stored => self.settle(held, seen).await?,
            Outcome::Missed(reason) => slots::miss(postgres, held, reason).await?,
            Outcome::GivenUp(failure) => slots::fail(postgres, held, failure).await?,
            Outcome::Failed(failure) => match retries::wait_after(claim.failures + 1) {
                Some(wait) => self.again(held, wait, Some(failure)).await?,
                None => slots::fail(postgres, held, failure).await?,
            },
            Outcome::Later(wait) => self.again(held, wait, None).await?,
            Outcome::Lost => false,
        };
        let label = if recorded { label(outcome) } else { "lost" };
        metrics::counter!("vigie_attempts_total", "outcome" => label).increment(1);
        tracing::info!(slot = %held.id, attempt = held.attempt, ?outcome, recorded, "attempt ended");
        Ok(())
    }

    /// Ends a slot whose rows were read back, and makes actions of what it saw: both or neither.
    async fn settle(&self, held: HeldSlot, seen: Vec<Sighting>) -> Result<bool, Error> {
        let mut tx = postgres::begin(&self.parts.postgres).await?;
        let is_ours = slots::verify(&mut *tx, held).await?;
        if is_ours {
            let grace = self.parts.housekeeping.grace();
            let detected = detection::detect(&mut tx, &SCOPE, seen, grace).await?;
            tx.commit().await.map_err(postgres::Error::from)?;
            for (what, count) in [
                ("opened", detected.opened),
                ("refreshed", detected.refreshed),
                ("reappeared", detected.reappeared),
                ("requested", detected.requested),
            ] {
                metrics::counter!("vigie_actions_detected_total", "what" => what).increment(count);
            }
        }
        Ok(is_ours)
    }

    async fn again(&self, held: HeldSlot, wait: Duration, failure: Option<CaptureFailure>) -> Result<bool, Error> {
        let mut tx = postgres::begin(&self.parts.postgres).await?;
        let now = postgres::slots::now(&mut *tx).await?;
        let run_at = now + TimeDelta::from_std(wait).unwrap_or_default();
        let recorded = match failure {
            Some(failure) => slots::retry(&mut *tx, held, failure, run_at).await?,
            None => slots::release(&mut *tx, held, run_at).await?,
        };
        if recorded {
            queue::push(&mut tx, &[CaptureJob::from(held)], run_at).await?;
            tx.commit().await.map_err(postgres::Error::from)?;
        }
        Ok(recorded)
    }
}

const fn label(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Stored => "stored",
        Outcome::Missed(_) => "missed",
        Outcome::Failed(_) => "failed",
        Outcome::GivenUp(_) => "given-up",
        Outcome::Later(_) => "later",
        Outcome::Lost => "lost",
    }
}
