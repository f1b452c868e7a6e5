//! The processes that do the work: they find what is due, capture it, read it and store it.
//!
//! One process runs [`run`]: a queue consumer, a tick that schedules, sweeps and repairs, and the scheduled jobs. Any number of processes may run it at the same
//! time; they share the work through Postgres and need no leader.

mod attempt;
pub mod backfill;
pub mod detect;
mod emptiness;
mod engines;
mod error;
mod failed_page;
mod gauges;
pub mod jobs;
mod kept;
mod leases;
pub mod mails;
mod merchants;
mod page;
mod parts;
mod pictures;
mod queues;
pub mod reread;
mod resume;
mod retries;
mod rows;
mod sightings;
pub mod storing;
mod tick;

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

pub use error::Error;
pub use parts::{Housekeeping, Pace, Parts};

use attempt::Attempts;
use storing::Storing;

/// How long a claim lasts without being renewed. After it the work counts as lost and is done again elsewhere.
pub const LEASE: Duration = Duration::from_mins(1);
/// What is under way when the process is told to stop may take this long; then it is given back.
const GRACE: Duration = Duration::from_secs(6);

/// Works until `shutdown`: captures what is due, and keeps the ledger in order. Ends within about ten seconds of being told to; what was under
/// way then is finished or given back.
pub async fn run(parts: Parts, shutdown: CancellationToken) -> Result<(), Error> {
    let worker = format!("worker-{}", uuid::Uuid::new_v4());
    tracing::info!(worker, concurrency = parts.pace.concurrency, "working");
    let storing = Arc::new(Storing::new(&parts, &worker));
    let (batches, gathering) = storing::gather(Arc::clone(&storing));
    let gathering = tokio::spawn(gathering);
    let attempts = Arc::new(Attempts::new(
        &parts,
        &worker,
        Arc::clone(&storing),
        batches,
        shutdown.clone(),
    ));

    let tick = tokio::spawn(tick::run(parts.clone(), Arc::clone(&storing), shutdown.clone()));
    let mails = tokio::spawn(send_mails(parts.mails.clone(), shutdown.clone()));
    let jobs = tokio::spawn(jobs::run(parts.clone(), Arc::clone(&storing), shutdown.clone()));
    let renewal = tokio::spawn(leases::renew_until_dropped(
        parts.records.clone(),
        worker.clone(),
        attempts.leases(),
    ));
    queues::consume(&parts, &attempts, &shutdown).await;

    let ended = tick.await.and(jobs.await).and(mails.await);
    // The last sender: the gatherer stores what it holds and ends.
    drop(attempts);
    let gathered = gathering.await;
    renewal.abort();
    parts.browsers.shutdown().await;
    tracing::info!(worker, "stopped");
    ended.and(gathered).map_err(Error::from)
}

async fn send_mails(sender: Option<mails::Sender>, shutdown: CancellationToken) {
    if let Some(sender) = sender {
        sender.run(shutdown).await;
    } else {
        tracing::warn!("no mail is sent: set VIGIE__SMTP__HOST to a mail server; mails wait until then");
    }
}
