//! Scheduled jobs (decision D151): one file each. A job runs in one process at a time, may be interrupted at any point, and then converges
//! when it runs again.

mod check_roll_ups;
mod disappear;
mod prioritize;
mod reconcile;
mod refresh_totals;
mod retention;
mod seal_days;

use std::sync::Arc;
use std::time::{Duration, Instant};

use postgres::job_runs;
use schedules::calendar;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;
use vocabulary::{Job, JobOutcome};

use crate::Error;
use crate::context::WorkerContext;
use crate::storing::Storing;

/// In this order, when several are due: what opens a day comes before what closes it.
const JOBS: [Job; 7] = [
    Job::Retention,
    Job::Reconcile,
    Job::CheckRollUps,
    Job::SealDays,
    Job::RefreshTotals,
    Job::Disappear,
    Job::Prioritize,
];
/// What violations are counted under (see `postgres::invariants` and the roll-ups).
const INVARIANTS: [&str; 5] = ["I1", "I2", "I3", "I7", check_roll_ups::INVARIANT];
/// How often the calendar is looked at.
const BETWEEN_LOOKS: Duration = Duration::from_secs(10);

/// Runs what is due until `shutdown`; a job under way then is given up.
pub(crate) async fn run(parts: WorkerContext, storing: Arc<Storing>, shutdown: CancellationToken) {
    // Rates are reckoned from a figure that was there before.
    for invariant in INVARIANTS {
        count_violations(invariant, 0);
    }
    let mut beat = tokio::time::interval(BETWEEN_LOOKS);
    beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return,
            _ = beat.tick() => {}
        }
        for job in JOBS {
            tokio::select! {
                () = shutdown.cancelled() => return,
                ran = run_if_due(&parts, &storing, job) => if let Err(error) = ran {
                    tracing::warn!(%job, %error, "whether a job is due could not be found out");
                }
            }
        }
    }
}

/// Runs a job if its time has come and no other process runs it; `false` otherwise. What comes of it is recorded.
async fn run_if_due(parts: &WorkerContext, storing: &Arc<Storing>, job: Job) -> Result<bool, Error> {
    let now = parts.clock.now();
    let is_due = async || -> Result<_, Error> {
        let runs = job_runs::last(&parts.postgres).await?;
        let last = runs.iter().find(|run| run.job == job);
        Ok(calendar::due(job, parts.housekeeping.time_zone, last, now))
    };
    if is_due().await?.is_none() {
        return Ok(false);
    }
    let Some(mut lock) = job_runs::lock(&parts.postgres, job).await? else {
        return Ok(false);
    };
    // Again, under the lock: another process may have done it meanwhile.
    let Some(due_at) = is_due().await? else {
        lock.release().await?;
        return Ok(false);
    };
    let run = lock.begin(job, due_at).await?;
    let (outcome, detail) = work_and_record(parts, storing, job).await;
    lock.end(run, outcome, &detail).await?;
    Ok(true)
}

/// Runs a job now, whatever its schedule says and whoever else runs it, and answers what it did.
pub async fn run_now(parts: &WorkerContext, storing: &Arc<Storing>, job: Job) -> Result<String, Error> {
    match job {
        Job::SealDays => seal_days::run(parts).await,
        Job::CheckRollUps => check_roll_ups::run(parts).await,
        Job::Reconcile => reconcile::run(parts, storing).await,
        Job::Retention => retention::run(parts).await,
        Job::RefreshTotals => refresh_totals::run(parts).await,
        Job::Disappear => disappear::run(parts).await,
        Job::Prioritize => prioritize::run(parts).await,
    }
}

async fn work_and_record(parts: &WorkerContext, storing: &Arc<Storing>, job: Job) -> (JobOutcome, String) {
    let began = Instant::now();
    let (own_parts, own_storing) = (parts.clone(), Arc::clone(storing));
    // Apart, so that a job that breaks down ends itself alone.
    let work = tokio::spawn(async move { run_now(&own_parts, &own_storing, job).await });
    let (outcome, detail) = match AbortOnDropHandle::new(work).await {
        Ok(Ok(detail)) => (JobOutcome::Done, detail),
        Ok(Err(error)) => (JobOutcome::Failed, error.to_string()),
        Err(broken) => (JobOutcome::Failed, broken.to_string()),
    };
    let (name, seconds) = (job.to_string(), began.elapsed().as_secs_f64());
    metrics::counter!("vigie_job_runs_total", "job" => name.clone(), "outcome" => outcome.to_string()).increment(1);
    metrics::gauge!("vigie_job_last_run_seconds", "job" => name).set(seconds);
    if outcome == JobOutcome::Done {
        tracing::info!(%job, detail, seconds, "job ended");
    } else {
        tracing::error!(%job, detail, seconds, "job failed");
    }
    (outcome, detail)
}

/// Counts rows that break an invariant.
fn count_violations(invariant: &str, count: u64) {
    metrics::counter!("vigie_invariant_violations_total", "invariant" => invariant.to_owned()).increment(count);
}
