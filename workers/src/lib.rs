//! The processes that do the work: they find what is due, capture it, read it and store it.
//!
//! One process runs [`run`]: a queue consumer, a tick that schedules, sweeps and repairs, and the scheduled jobs. Any number of processes may run it at the same
//! time; they share the work through Postgres and need no leader.

pub mod backfill;
mod capturing;
mod context;
pub mod detect;
mod error;
mod gauges;
pub mod intake;
pub mod jobs;
mod leases;
pub mod mails;
mod pages;
mod queues;
pub mod reread;
pub mod storing;
mod tick;

use std::sync::Arc;
use std::time::Duration;

use runtime::{LoopError, Loops};
use tokio_util::sync::CancellationToken;

pub use capturing::search_for;
pub use context::{Housekeeping, Pace, WorkerContext};
pub use error::Error;

use capturing::Attempts;
use storing::Storing;

/// How long a claim lasts without being renewed. After it the work counts as lost and is done again elsewhere.
pub const LEASE: Duration = Duration::from_mins(1);
/// What is under way when the process is told to stop may take this long; then it is given back.
const GRACE: Duration = Duration::from_secs(6);

/// Works until `shutdown`: captures what is due, and keeps the ledger in order. Ends within about ten seconds of being told to; what was under
/// way then is finished or given back. Ends in the same way, and with an error, when one of its loops breaks down.
pub async fn run(parts: WorkerContext, shutdown: CancellationToken) -> Result<(), Error> {
    let shutdown = shutdown.child_token();
    let worker = format!("worker-{}", uuid::Uuid::new_v4());
    tracing::info!(worker, concurrency = parts.pace.concurrency, "working");
    let storing = Arc::new(Storing::new(&parts, &worker));
    let (batches, gathering) = storing::gather(Arc::clone(&storing));
    let attempts = Arc::new(Attempts::new(
        &parts,
        &worker,
        Arc::clone(&storing),
        batches,
        shutdown.clone(),
    ));

    // Those that end when they are told to, and those that serve the others to the end.
    let (mut loops, mut served) = (Loops::default(), Loops::default());
    tick::start(&mut loops, &parts, &storing, &shutdown);
    loops.start("jobs", jobs::run(parts.clone(), Arc::clone(&storing), shutdown.clone()));
    if let Some(sender) = parts.mails.clone() {
        loops.start("mails", sender.run(shutdown.clone()));
    } else {
        tracing::warn!("no mail is sent: set VIGIE__SMTP__HOST to a mail server; mails wait until then");
    }
    served.start("batches", gathering);
    served.start(
        "leases",
        leases::renew_until_dropped(
            parts.postgres.clone(),
            worker.clone(),
            attempts.leases(),
            storing.leases(),
        ),
    );
    {
        let consumed = queues::consume(&parts, &attempts, &shutdown);
        tokio::pin!(consumed);
        let broken = tokio::select! {
            () = &mut consumed => None,
            broken = breakdown(&mut loops, &mut served, &shutdown) => Some(broken),
        };
        if let Some(broken) = broken {
            tracing::error!(worker, %broken, "the worker ends");
            shutdown.cancel();
            // What is under way has its grace; what does not keep to it is lost work, and found by the sweeper.
            let _given_up = tokio::time::timeout(GRACE * 2, consumed).await;
            return Err(broken.into());
        }
    }
    let ended = loops.all_ended().await;
    // The last sender: the gatherer stores what it holds and ends.
    drop(attempts);
    let gathered = served.first_end().await;
    tracing::debug!(%gathered, "nothing is stored any more");
    parts.browsers.shutdown().await;
    tracing::info!(worker, "stopped");
    Ok(ended?)
}

/// Waits for a loop that ends though it was not told to.
async fn breakdown(loops: &mut Loops, served: &mut Loops, shutdown: &CancellationToken) -> LoopError {
    let ended = tokio::select! {
        ended = loops.first_end() => ended,
        ended = served.first_end() => ended,
    };
    if shutdown.is_cancelled() {
        return std::future::pending().await;
    }
    ended
}
