//! Step 6: the ledger records how the attempt ended. A slot that is tried again gets its next job in the same transaction.

use std::time::Duration;

use chrono::TimeDelta;
use postgres::actions::detection;
use postgres::slots::{self, Claim, HeldSlot};
use schedules::queue::{self, CaptureJob};
use vocabulary::{CaptureFailure, SystemScope};

use super::{Attempts, EndedAttempt, Outcome};
use crate::Error;

/// Before the second, third and fourth attempt (decision D140).
const RETRY_WAITS: [Duration; 3] = [Duration::from_mins(1), Duration::from_mins(5), Duration::from_mins(15)];

const SCOPE: SystemScope = SystemScope::new("settling a capture");

/// Records how an attempt ended: its slot is verified, missed, failed, or queued again after a wait. A failed slot is tried again after each of
/// [`RETRY_WAITS`] and then fails for good. Records nothing if another worker holds the slot by now, which is no error.
pub async fn settle(attempts: &Attempts, claim: &Claim, ended: &EndedAttempt) -> Result<(), Error> {
    let (held, outcome) = (claim.held, ended.outcome);
    let postgres = &attempts.context.postgres;
    let recorded = match outcome {
        Outcome::Stored => verify(attempts, held, ended).await?,
        Outcome::Missed(reason) => slots::miss(postgres, held, reason).await?,
        Outcome::GivenUp(failure) => slots::fail(postgres, held, failure).await?,
        Outcome::Failed(failure) => match retry_wait(claim.failures + 1) {
            Some(wait) => requeue(attempts, held, wait, Some(failure)).await?,
            None => slots::fail(postgres, held, failure).await?,
        },
        Outcome::Later(wait) => requeue(attempts, held, wait, None).await?,
        Outcome::Lost => false,
    };
    let label: &str = if recorded { outcome } else { Outcome::Lost }.into();
    metrics::counter!("vigie_attempts_total", "outcome" => label).increment(1);
    tracing::info!(slot = %held.id, attempt = held.attempt, ?outcome, recorded, "attempt ended");
    Ok(())
}

/// Verifies a slot whose rows were read back, opens or updates the cases of its sightings, and decides on the lanes of its term, all in one transaction.
/// `false` if another worker holds the slot; then nothing is changed.
async fn verify(attempts: &Attempts, held: HeldSlot, ended: &EndedAttempt) -> Result<bool, Error> {
    let context = &attempts.context;
    let mut tx = postgres::begin(&context.postgres).await?;
    if !slots::verify(&mut *tx, held).await? {
        return Ok(false);
    }
    let (sightings, grace) = (ended.sightings.clone(), context.housekeeping.grace());
    let detected = detection::detect(&mut tx, &SCOPE, sightings, grace).await?;
    if let Some(seen) = &ended.seen {
        seen.record(&mut tx, &context.stop_go, context.clock.now()).await?;
    }
    tx.commit().await.map_err(postgres::Error::from)?;
    for (what, count) in [
        ("opened", detected.opened),
        ("refreshed", detected.refreshed),
        ("reappeared", detected.reappeared),
        ("requested", detected.requested),
    ] {
        metrics::counter!("vigie_actions_detected_total", "what" => what).increment(count);
    }
    Ok(true)
}

/// Gives a slot back and enqueues its next job to run after `wait`, in one transaction; with a `failure`, the failure is counted. `false` if another
/// worker holds the slot; then nothing is changed.
async fn requeue(
    attempts: &Attempts,
    held: HeldSlot,
    wait: Duration,
    failure: Option<CaptureFailure>,
) -> Result<bool, Error> {
    let mut tx = postgres::begin(&attempts.context.postgres).await?;
    let now = slots::now(&mut *tx).await?;
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

/// How long a slot waits after this many failures (1 is the first); `None` when it has failed too often and ends.
fn retry_wait(failures: i32) -> Option<Duration> {
    let index = usize::try_from(failures).ok()?.checked_sub(1)?;
    RETRY_WAITS.get(index).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_retries_and_then_the_end() {
        let waits: Vec<_> = (1..=4).map(retry_wait).collect();
        let minutes = |wait: u64| Some(Duration::from_mins(wait));
        assert_eq!(waits, [minutes(1), minutes(5), minutes(15), None]);
    }
}
