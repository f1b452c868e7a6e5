//! Scheduled jobs (decision D151): one file each. The schedule runs a job in one process at a time; a job may be interrupted at any point,
//! and its next run completes the work.

mod check_accepted;
mod check_roll_ups;
mod compare_lists;
mod disappear;
mod link_advertisers;
mod notify;
mod prioritize;
mod reconcile;
mod refresh_figures;
mod refresh_search_stats;
mod refresh_totals;
mod remind;
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

pub use refresh_figures::refresh as refresh_figures;

/// The order in which due jobs run: those that open a day come before those that seal it.
const JOBS: [Job; 14] = [
    Job::Retention,
    Job::Reconcile,
    Job::CheckRollUps,
    Job::SealDays,
    Job::RefreshTotals,
    Job::Disappear,
    Job::Prioritize,
    Job::RefreshSearchStats,
    Job::Notify,
    Job::Remind,
    Job::CheckAccepted,
    Job::RefreshFigures,
    Job::CompareLists,
    Job::LinkAdvertisers,
];
/// The labels under which violations are counted (see `postgres::invariants` and [`check_roll_ups`]).
const INVARIANTS: [&str; 20] = [
    "I1",
    "I2",
    "I3",
    "I7",
    "M1",
    "M2",
    "M6",
    "M8",
    "M10",
    "O4",
    "O6",
    "O7",
    "O9",
    "O11",
    "O12",
    "O13",
    "O14",
    "O15",
    "O16",
    check_roll_ups::INVARIANT,
];
/// The interval between two checks of the calendar.
const CHECK_INTERVAL: Duration = Duration::from_secs(10);

/// Every [`CHECK_INTERVAL`] until `shutdown`, runs the scheduled jobs that are due, one after the other in the order of [`JOBS`]. A failure is
/// recorded and does not stop the next job; the shutdown interrupts a running one.
pub(crate) async fn run(context: WorkerContext, storing: Arc<Storing>, shutdown: CancellationToken) {
    // A rate needs an earlier value of the counter.
    for invariant in INVARIANTS {
        count_violations(invariant, 0);
    }
    let mut beat = tokio::time::interval(CHECK_INTERVAL);
    beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return,
            _ = beat.tick() => {}
        }
        for job in JOBS {
            tokio::select! {
                () = shutdown.cancelled() => return,
                ran = run_if_due(&context, &storing, job) => if let Err(error) = ran {
                    tracing::warn!(%job, %error, "whether a job is due could not be found out");
                }
            }
        }
    }
}

/// Runs a job and records its outcome, if it is due and no other process runs it. A job that fails is no error.
async fn run_if_due(context: &WorkerContext, storing: &Arc<Storing>, job: Job) -> Result<(), Error> {
    let now = context.clock.now();
    let time_due = async || -> Result<_, Error> {
        let runs = job_runs::last(&context.postgres).await?;
        let last = runs.iter().find(|run| run.job == job);
        Ok(calendar::due(job, context.housekeeping.time_zone, last, now))
    };
    if time_due().await?.is_none() {
        return Ok(());
    }
    let Some(mut lock) = job_runs::lock(&context.direct, job).await? else {
        return Ok(());
    };
    // Checked again under the lock: another process may have run it meanwhile.
    let Some(due_at) = time_due().await? else {
        lock.release().await?;
        return Ok(());
    };
    let run = lock.begin(job, due_at).await?;
    let (outcome, detail) = run_and_measure(context, storing, job).await;
    lock.end(run, outcome, &detail).await?;
    Ok(())
}

/// Runs a job now, whether or not it is due and without its lock, so possibly beside a run in another process; returns a summary of what it did. Does
/// not record the run.
pub async fn run_now(context: &WorkerContext, storing: &Arc<Storing>, job: Job) -> Result<String, Error> {
    match job {
        Job::SealDays => seal_days::run(context).await,
        Job::CheckRollUps => check_roll_ups::run(context).await,
        Job::Reconcile => reconcile::run(context, storing).await,
        Job::Retention => retention::run(context).await,
        Job::RefreshTotals => refresh_totals::run(context).await,
        Job::Disappear => disappear::run(context).await,
        Job::Prioritize => prioritize::run(context).await,
        Job::RefreshSearchStats => refresh_search_stats::run(context).await,
        Job::Notify => notify::run(context).await,
        Job::Remind => remind::run(context).await,
        Job::CheckAccepted => check_accepted::run(context).await,
        Job::RefreshFigures => refresh_figures::run(context).await,
        Job::CompareLists => compare_lists::run(context).await,
        Job::LinkAdvertisers => link_advertisers::run(context).await,
    }
}

/// Runs a job, in a task of its own so that a panic ends only the job, and writes its outcome to the log and the metrics. Returns the outcome with
/// the summary or the error. Does not write to the database.
async fn run_and_measure(context: &WorkerContext, storing: &Arc<Storing>, job: Job) -> (JobOutcome, String) {
    let began = Instant::now();
    let (own_context, own_storing) = (context.clone(), Arc::clone(storing));
    let work = tokio::spawn(async move { run_now(&own_context, &own_storing, job).await });
    let (outcome, detail) = match AbortOnDropHandle::new(work).await {
        Ok(Ok(detail)) => (JobOutcome::Done, detail),
        Ok(Err(error)) => (JobOutcome::Failed, error.to_string()),
        Err(panicked) => (JobOutcome::Failed, panicked.to_string()),
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

/// Adds to the metric of rows that break an invariant; 0 makes the metric appear.
fn count_violations(invariant: &str, count: u64) {
    metrics::counter!("vigie_invariant_violations_total", "invariant" => invariant.to_owned()).increment(count);
}
