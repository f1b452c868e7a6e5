//! What every process does every few seconds: claim what is due, find what was lost, read back what is unknown. Each kind of work has a loop
//! of its own, so that a store that hangs never stops what does not need it.

use std::sync::Arc;
use std::time::Duration;

use runtime::Loops;
use tokio::time::{MissedTickBehavior, timeout};
use tokio_util::sync::CancellationToken;

use crate::context::WorkerContext;
use crate::gauges;
use crate::reread;
use crate::storing::{self, Storing};

/// A step that takes longer hangs; it is given up, and begun anew with the next beat.
const LONGEST_STEP: Duration = Duration::from_mins(2);
/// The same for what reads many rows back and stores them again.
const LONGEST_RECOVERY: Duration = Duration::from_mins(30);

/// Starts the loops. A step that fails is tried again with the next beat.
pub fn start(loops: &mut Loops, parts: &WorkerContext, storing: &Arc<Storing>, shutdown: &CancellationToken) {
    let schedule = {
        let parts = parts.clone();
        beat(parts.pace.tick, LONGEST_STEP, shutdown.clone(), move || {
            schedule(parts.clone())
        })
    };
    loops.start("schedule", schedule);
    let recovery = {
        let (parts, storing) = (parts.clone(), Arc::clone(storing));
        beat(parts.pace.tick, LONGEST_RECOVERY, shutdown.clone(), move || {
            recover(parts.clone(), Arc::clone(&storing))
        })
    };
    loops.start("recovery", recovery);
    let upkeep = {
        let parts = parts.clone();
        beat(parts.pace.tick, LONGEST_STEP, shutdown.clone(), move || {
            upkeep(parts.clone())
        })
    };
    loops.start("upkeep", upkeep);
    let gauges = {
        let parts = parts.clone();
        beat(parts.pace.tick, LONGEST_STEP, shutdown.clone(), move || {
            measure(parts.clone())
        })
    };
    loops.start("gauges", gauges);
}

/// Does a step every so often, until `shutdown`.
async fn beat<Step>(
    every: Duration,
    longest: Duration,
    shutdown: CancellationToken,
    step: impl Fn() -> Step + Send + 'static,
) where
    Step: Future<Output = ()> + Send,
{
    let mut beat = tokio::time::interval(every);
    beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return,
            _ = beat.tick() => {}
        }
        tokio::select! {
            // Every step is one transaction or repeatable.
            () = shutdown.cancelled() => return,
            done = timeout(longest, step()) => if done.is_err() {
                tracing::error!(?longest, "a store does not answer; a step was given up");
            }
        }
    }
}

async fn schedule(parts: WorkerContext) {
    match schedules::pass(&parts.postgres).await {
        Ok(passed) => {
            if passed != schedules::Passed::default() {
                tracing::info!(
                    planned = passed.planned,
                    queued = passed.queued,
                    missed = passed.missed,
                    "scheduled"
                );
            }
            metrics::counter!("vigie_slots_queued_total").increment(u64::try_from(passed.queued).unwrap_or(0));
            metrics::counter!("vigie_slots_missed_total").increment(passed.missed);
        }
        Err(error) => tracing::warn!(%error, "what is due could not be claimed"),
    }
    match schedules::sweep(&parts.postgres).await {
        Ok(swept) if swept != schedules::Swept::default() => {
            tracing::warn!(
                requeued = swept.requeued,
                rescued = swept.rescued,
                "lost work is asked for again"
            );
            count("vigie_lost_claims_total", swept.requeued);
            count("vigie_lost_jobs_total", swept.rescued);
            count("vigie_slots_poisoned_total", swept.poisoned.len());
        }
        Ok(_) => {}
        Err(error) => tracing::warn!(%error, "lost work could not be looked for"),
    }
}

async fn recover(parts: WorkerContext, storing: Arc<Storing>) {
    if let Err(error) = corrections::recover(&parts.corrections()).await {
        tracing::warn!(%error, "a correction that was interrupted could not be brought to its end");
    }
    if let Err(error) = corrections::recover_reattributions(&parts.corrections()).await {
        tracing::warn!(%error, "a reattribution that was interrupted could not be brought to its end");
    }
    if let Err(error) = storing::recover(&parts, &storing).await {
        tracing::warn!(%error, "unknown outcomes could not be read back");
    }
    if let Err(error) = reread::recover(&reread::Stores::from_context(&parts)).await {
        tracing::warn!(%error, "a re-reading that was interrupted could not be brought to its end");
    }
}

async fn upkeep(parts: WorkerContext) {
    if let Err(error) = evidence::seal(&parts.postgres).await {
        tracing::warn!(%error, "captures could not be sealed as evidence");
    }
    if let Err(error) = schedules::delete_finished_jobs(&parts.postgres).await {
        tracing::warn!(%error, "finished jobs could not be deleted");
    }
}

async fn measure(parts: WorkerContext) {
    if let Err(error) = gauges::measure(&parts.postgres).await {
        tracing::warn!(%error, "the backlog could not be measured");
    }
}

fn count(name: &'static str, more: usize) {
    metrics::counter!(name).increment(u64::try_from(more).unwrap_or(u64::MAX));
}
