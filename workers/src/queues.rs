//! The queue's consumer: apalis hands out jobs, attempts run them.

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

/// Jobs under way for every capture under way: the others wait for their turn at the engine or for their batch.
const JOBS_PER_CAPTURE: usize = 4;
/// How often the queue is looked at. The worker is polled so often whatever else wakes it, because it learns of new jobs, and records ended
/// ones, only when it is polled.
const POLL: Duration = Duration::from_millis(250);
/// Three missed heartbeats, and its jobs are handed to others.
const HEARTBEAT: Duration = Duration::from_secs(10);
const MISSED_HEARTBEATS: usize = 3;
/// After a failure of the queue the worker is made anew, ever more slowly up to the second figure.
const BACK_OFF: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(15));

/// Consumes jobs until `shutdown`. A worker that fails (the database was away) is made anew under another name: under the old one it would
/// keep its own lost jobs alive.
pub async fn consume(parts: &WorkerContext, attempts: &Arc<Attempts>, shutdown: &CancellationToken) {
    let mut wait = BACK_OFF.0;
    while !shutdown.is_cancelled() {
        let started = tokio::time::Instant::now();
        let Err(error) = consume_once(parts, attempts, shutdown).await else {
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

async fn consume_once(
    parts: &WorkerContext,
    attempts: &Arc<Attempts>,
    shutdown: &CancellationToken,
) -> Result<(), WorkerError> {
    let jobs = parts.pace.concurrency.max(1) * JOBS_PER_CAPTURE;
    let config = Config::default()
        .queue(CAPTURES)
        .batch_size(jobs)
        .heartbeat_interval(HEARTBEAT)
        .missed_heartbeats(MISSED_HEARTBEATS)
        // The slot's lease is the lock.
        .lock_tasks(false);
    let storage = PostgresStorage::<CaptureJob>::new(&parts.postgres).with_config(config);
    let name = format!("captures-{}", uuid::Uuid::new_v4());
    let context = QueueWorker::new(&name);
    let worker = WorkerBuilder::new(&context)
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
                let _ = context.stop();
            }
        }
    }
}

async fn run_job(job: CaptureJob, attempts: Data<Arc<Attempts>>) -> Result<(), Infallible> {
    // Apart, so that an attempt under way outlives the worker that handed it out. A breakdown is caught inside.
    let _ = tokio::spawn(Arc::clone(&attempts).run(job)).await;
    Ok(())
}
