//! What every process does every few seconds: claim due terms (also as soon as terms change), find lost work, settle unknown outcomes. Each kind of
//! work has a loop of its own, so that a store that hangs stops only the work that needs it.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use postgres::term_dues::StaleTerms;
use runtime::Loops;
use tokio::sync::Notify;
use tokio::time::{MissedTickBehavior, sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::context::WorkerContext;
use crate::gauges;
use crate::reread;
use crate::storing::{self, Storing};

/// A step that takes longer hangs; it is cancelled, and started again with the next beat.
const STEP_LIMIT: Duration = Duration::from_mins(2);
/// The limit of steps that read many rows back and store them again.
const RECOVERY_LIMIT: Duration = Duration::from_mins(30);

/// Starts five loops and returns. Four take a step every `tick` until `shutdown`: scheduling and sweeping, recovery, upkeep, and gauges; a step that
/// fails is tried again at the next tick. The fifth, unless the settings leave it out, has the schedule take a step as soon as terms change.
pub fn start(loops: &mut Loops, context: &WorkerContext, storing: &Arc<Storing>, shutdown: &CancellationToken) {
    let terms_changed = Arc::new(Notify::new());
    if context.pace.plans_changes_at_once {
        loops.start(
            "changes of terms",
            hear_changes(context.clone(), Arc::clone(&terms_changed), shutdown.clone()),
        );
    }
    let schedule = {
        let context = context.clone();
        beat(
            (context.pace.tick, terms_changed),
            STEP_LIMIT,
            shutdown.clone(),
            move || schedule(context.clone()),
        )
    };
    loops.start("schedule", schedule);
    let recovery = {
        let (context, storing) = (context.clone(), Arc::clone(storing));
        beat(
            (context.pace.tick, Arc::default()),
            RECOVERY_LIMIT,
            shutdown.clone(),
            move || recover(context.clone(), Arc::clone(&storing)),
        )
    };
    loops.start("recovery", recovery);
    let upkeep = {
        let context = context.clone();
        beat(
            (context.pace.tick, Arc::default()),
            STEP_LIMIT,
            shutdown.clone(),
            move || upkeep(context.clone()),
        )
    };
    loops.start("upkeep", upkeep);
    let gauges = {
        let context = context.clone();
        beat(
            (context.pace.tick, Arc::default()),
            STEP_LIMIT,
            shutdown.clone(),
            move || measure(context.clone()),
        )
    };
    loops.start("gauges", gauges);
}

/// Notifies `changed` of each commit that marks terms for the schedule, until `shutdown`. While Postgres cannot be reached nothing is heard, and the
/// schedule has its ticks alone.
async fn hear_changes(context: WorkerContext, changed: Arc<Notify>, shutdown: CancellationToken) {
    let heard = async {
        loop {
            let Err(error) = hear_until_lost(&context.direct, &changed).await;
            tracing::warn!(%error, "changes of terms are not heard");
            sleep(context.pace.tick).await;
        }
    };
    tokio::select! {
        () = shutdown.cancelled() => {}
        () = heard => {}
    }
}

/// Notifies `changed` when it begins to listen, since terms may have changed before, and of each commit from then on. Returns the error that ends it.
async fn hear_until_lost(direct: &postgres::DirectPool, changed: &Notify) -> Result<Infallible, postgres::Error> {
    let mut marks = StaleTerms::listen(direct).await?;
    loop {
        changed.notify_one();
        marks.marked().await?;
    }
}

/// Takes a step at once and then every `every`, and when it is woken in between, until `shutdown`, which cancels a step under way. A step is also
/// cancelled after `longest`, which is logged.
async fn beat<Step>(
    (every, woken): (Duration, Arc<Notify>),
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
            () = woken.notified() => {}
        }
        tokio::select! {
            // Cancelling is safe: every step is one transaction or can be repeated.
            () = shutdown.cancelled() => return,
            done = timeout(longest, step()) => if done.is_err() {
                tracing::error!(?longest, "a store does not answer; a step was given up");
            }
        }
    }
}

/// One pass: queues the slots that are due and asks again for lost work; counts what was queued, missed, lost and poisoned. Each half runs even if
/// the other fails; errors are only logged.
async fn schedule(context: WorkerContext) {
    match schedules::pass(&context.postgres).await {
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
    match schedules::sweep(&context.postgres).await {
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

/// Completes interrupted corrections, reattributions and re-readings, and settles manifests with an unknown outcome. Errors are only logged.
async fn recover(context: WorkerContext, storing: Arc<Storing>) {
    if let Err(error) = corrections::recover(&context.corrections()).await {
        tracing::warn!(%error, "a correction that was interrupted could not be brought to its end");
    }
    if let Err(error) = corrections::recover_reattributions(&context.corrections()).await {
        tracing::warn!(%error, "a reattribution that was interrupted could not be brought to its end");
    }
    if let Err(error) = storing::recover(&context, &storing).await {
        tracing::warn!(%error, "unknown outcomes could not be read back");
    }
    if let Err(error) = reread::recover(&reread::Stores::from_context(&context)).await {
        tracing::warn!(%error, "a re-reading that was interrupted could not be brought to its end");
    }
}

/// One round: seals new captures into the chain of evidence, then deletes finished jobs, even if sealing failed. Errors are only logged.
async fn upkeep(context: WorkerContext) {
    if let Err(error) = evidence::seal(&context.postgres).await {
        tracing::warn!(%error, "captures could not be sealed as evidence");
    }
    if let Err(error) = schedules::delete_finished_jobs(&context.postgres).await {
        tracing::warn!(%error, "finished jobs could not be deleted");
    }
}

/// Sets the gauges. An error is only logged.
async fn measure(context: WorkerContext) {
    if let Err(error) = gauges::measure(&context.postgres, context.clock.now()).await {
        tracing::warn!(%error, "the backlog could not be measured");
    }
}

fn count(name: &'static str, more: usize) {
    metrics::counter!(name).increment(u64::try_from(more).unwrap_or(u64::MAX));
}
