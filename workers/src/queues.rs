//! The consumer of the queue: apalis fetches jobs, and each runs one attempt.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use apalis::prelude::{Data, WorkerBuilder, WorkerBuilderExt, WorkerContext as QueueWorker, WorkerError};
use apalis_postgres::{Config, PostgresStorage};
use schedules::queue::{CAPTURES, CaptureJob};
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use crate::capturing::Attempts;
use crate::context::WorkerContext;

/// Jobs under way for each capture under way: the others wait for their engine or for their batch.
const JOBS_PER_CAPTURE: usize = 4;
/// How often the apalis worker is polled: only then does it fetch new jobs and record ended ones.
const POLL: Duration = Duration::from_millis(250);
/// Between two heartbeats; after three missed ones the jobs go to other workers.
const HEARTBEAT: Duration = Duration::from_secs(10);
const MISSED_HEARTBEATS: usize = 3;
/// The first and the longest wait before the apalis worker is created again after a failure; the wait doubles each time.
const BACK_OFF: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(15));

/// Consumes jobs until `shutdown`, and returns once the attempts under way have ended. An apalis worker that fails (the database was away) is
/// replaced, after a wait, by one with another name: under the old name it would keep its own lost jobs alive.
pub async fn consume(context: &WorkerContext, attempts: &Arc<Attempts>, shutdown: &CancellationToken) {
    let mut wait = BACK_OFF.0;
    while !shutdown.is_cancelled() {
        let started = tokio::time::Instant::now();
        let Err(error) = consume_once(context, attempts, shutdown).await else {
            break;
        };
        if started.elapsed() > BACK_OFF.1 {
            wait = BACK_OFF.0;
        }
        tracing::warn!(%error, ?wait, "the queue cannot be consumed; trying again");
        tokio::select! {
            () = shutdown.cancelled() => {}
            () = tokio::time::sleep(wait) => {}
        }
        wait = (wait * 2).min(BACK_OFF.1);
    }
}

/// Runs one apalis worker, under a new name, until it has stopped after `shutdown`, or fails.
async fn consume_once(
    context: &WorkerContext,
    attempts: &Arc<Attempts>,
    shutdown: &CancellationToken,
) -> Result<(), WorkerError> {
    let jobs = context.pace.concurrency.max(1) * JOBS_PER_CAPTURE;
    let config = Config::default()
        .queue(CAPTURES)
        .batch_size(jobs)
        .heartbeat_interval(HEARTBEAT)
        .missed_heartbeats(MISSED_HEARTBEATS)
        // The lease of the slot is the lock.
        .lock_tasks(false);
    let storage = PostgresStorage::<CaptureJob>::new(&context.postgres).with_config(config);
    let name = format!("captures-{}", uuid::Uuid::new_v4());
    let queue_worker = QueueWorker::new(&name);
    let worker = WorkerBuilder::new(&queue_worker)
        .backend(storage)
        .concurrency(jobs)
        .data(Arc::clone(attempts))
        .build(run_job);
    let running = worker.run();
    tokio::pin!(running);
    let mut poll = tokio::time::interval(POLL);
    poll.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut is_stopping = false;
    loop {
        tokio::select! {
            ended = &mut running => return ended,
            _ = poll.tick() => {}
            () = shutdown.cancelled(), if !is_stopping => {
                is_stopping = true;
                // Fails only when the worker has ended already.
                let _ = queue_worker.stop();
            }
        }
    }
}

/// Makes the attempt of a job, in a task of its own so that it outlives a failed apalis worker. Never fails.
async fn run_job(job: CaptureJob, attempts: Data<Arc<Attempts>>) -> Result<(), Infallible> {
    // In a task of its own, so that the attempt outlives a failed apalis worker. Panics are handled inside.
    let _ = tokio::spawn(Arc::clone(&attempts).run(job)).await;
    Ok(())
}
