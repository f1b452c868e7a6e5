//! What every process does every few seconds: claim what is due, find what was lost, read back what is unknown.

use std::sync::Arc;

use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use crate::gauges;
use crate::parts::Parts;
use crate::reread;
use crate::storing::{self, Storing};

/// Ticks until `shutdown`. A step that fails is tried again with the next tick.
pub async fn run(parts: Parts, storing: Arc<Storing>, shutdown: CancellationToken) {
    let mut beat = tokio::time::interval(parts.pace.tick);
    beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return,
            _ = beat.tick() => {}
        }
        tokio::select! {
            // Every step is one transaction or repeatable.
            () = shutdown.cancelled() => return,
            () = tick(&parts, &storing) => {}
        }
    }
}

async fn tick(parts: &Parts, storing: &Storing) {
    match schedules::pass(&parts.records).await {
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
    match schedules::sweep(&parts.records).await {
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
    if let Err(error) = corrections::recover(&parts.corrections()).await {
        tracing::warn!(%error, "a correction that was interrupted could not be brought to its end");
    }
    if let Err(error) = corrections::recover_reattributions(&parts.corrections()).await {
        tracing::warn!(%error, "a reattribution that was interrupted could not be brought to its end");
    }
    if let Err(error) = storing::recover(parts, storing).await {
        tracing::warn!(%error, "unknown outcomes could not be read back");
    }
    if let Err(error) = reread::recover(&reread::Stores::of(parts)).await {
        tracing::warn!(%error, "a re-reading that was interrupted could not be brought to its end");
    }
    if let Err(error) = evidence::seal(&parts.records).await {
        tracing::warn!(%error, "captures could not be sealed as evidence");
    }
    if let Err(error) = schedules::delete_finished_jobs(&parts.records).await {
        tracing::warn!(%error, "finished jobs could not be deleted");
    }
    if let Err(error) = gauges::measure(&parts.records).await {
        tracing::warn!(%error, "the backlog could not be measured");
    }
}

fn count(name: &'static str, more: usize) {
    metrics::counter!(name).increment(u64::try_from(more).unwrap_or(u64::MAX));
}
