//! The sweeper: enqueues slots again whose worker or job was lost.

use std::time::Duration;

use postgres::slots::{self, HeldSlot};
use postgres::{Connection, Pool};
use vocabulary::SlotId;

use crate::Error;
use crate::queue::{CAPTURES, CaptureJob, push};

/// Slots handled in one sweep; the rest wait for the next tick.
const SLOTS_A_SWEEP: i64 = 500;
/// A slot that is overdue by this much is checked for its job. It may just be waiting in a long queue.
const OVERDUE: Duration = Duration::from_mins(2);
/// Finished jobs are kept this long for the operations page.
const KEEP_FINISHED: &str = "1 day";
const FINISHED_A_SWEEP: i64 = 5_000;
/// Names of processes are kept this long; each start registers a new one.
const KEEP_WORKERS: &str = "7 days";

/// What a sweep did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// Slots whose worker was lost, enqueued again.
    pub requeued: usize,
    /// Slots whose job was lost, enqueued again.
    pub rescued: usize,
    /// Slots given up as poison.
    pub poisoned: Vec<SlotId>,
}

/// Enqueues slots again whose lease ran out, or that are overdue without a pending or running job, up to `SLOTS_A_SWEEP` of each, in one transaction.
/// Slots that lost their claim too often are given up instead, and logged.
pub async fn sweep(pool: &Pool) -> Result<Swept, Error> {
    let mut tx = postgres::begin(pool).await?;
    let now = slots::now(&mut *tx).await?;
    let lost = slots::sweep_leases(&mut tx, SLOTS_A_SWEEP).await?;
    let jobs: Vec<CaptureJob> = lost.requeued.iter().copied().map(CaptureJob::from).collect();
    push(&mut tx, &jobs, now).await?;

    let waiting = slots::lock_overdue(&mut tx, OVERDUE, SLOTS_A_SWEEP).await?;
    let orphans = without_job(&mut tx, waiting).await?;
    let raised = slots::raise_attempts(&mut tx, &orphans).await?;
    let rescued: Vec<CaptureJob> = raised.iter().copied().map(CaptureJob::from).collect();
    push(&mut tx, &rescued, now).await?;
    tx.commit().await?;

    for slot in &lost.poisoned {
        tracing::error!(%slot, "a slot lost its claim too often and is given up as poison");
    }
    Ok(Swept {
        requeued: jobs.len(),
        rescued: rescued.len(),
        poisoned: lost.poisoned,
    })
}

/// Deletes up to `FINISHED_A_SWEEP` jobs that ended more than `KEEP_FINISHED` ago and returns how many; also the names of processes not seen for
/// `KEEP_WORKERS` that hold no job.
pub async fn delete_finished_jobs(pool: &Pool) -> Result<u64, Error> {
    let done = sqlx::query(
        "delete from apalis.jobs where id in (
             select id from apalis.jobs
             where job_type = $1 and done_at < now() - $2::interval and status in ('Done', 'Failed', 'Killed')
             limit $3
         )",
    )
    .bind(CAPTURES)
    .bind(KEEP_FINISHED)
    .bind(FINISHED_A_SWEEP)
    .execute(pool)
    .await?;
    sqlx::query(
        "delete from apalis.workers w
         where last_seen < now() - $1::interval and not exists (select from apalis.jobs where lock_by = w.id)",
    )
    .bind(KEEP_WORKERS)
    .execute(pool)
    .await?;
    Ok(done.rows_affected())
}

/// The slots among `waiting` whose present attempt has no pending, queued or running job, in their order; jobs of earlier attempts do not count.
async fn without_job(connection: &mut Connection, waiting: Vec<HeldSlot>) -> Result<Vec<HeldSlot>, Error> {
    if waiting.is_empty() {
        return Ok(waiting);
    }
    let keys: Vec<String> = waiting.iter().map(|slot| CaptureJob::from(*slot).key()).collect();
    let alive: Vec<String> = sqlx::query_scalar(
        "select idempotency_key from apalis.jobs
         where job_type = $1 and idempotency_key = any($2) and status in ('Pending', 'Queued', 'Running')",
    )
    .bind(CAPTURES)
    .bind(&keys)
    .fetch_all(connection)
    .await?;
    Ok(waiting
        .into_iter()
        .filter(|slot| !alive.contains(&CaptureJob::from(*slot).key()))
        .collect())
}
