//! The workers: they find terms that are due, capture and read their pages, and store the ads.
//!
//! A process calls [`run`], which consumes the queue (`capturing`), schedules, sweeps and recovers (`tick`), runs scheduled jobs
//! ([`jobs`]), sends mails ([`mails`], [`case_mails`]), prints reports ([`printing`]), sends to webhooks ([`webhooks`]), reads those that come in ([`case_mails`]), reads search volumes ([`volumes`]) and figures of Google ([`retrieving`]). Any number of
//! processes share the work through Postgres; there is no leader.

pub mod alerts;
pub mod backfill;
mod capturing;
pub mod case_mails;
mod context;
pub mod detect;
mod error;
mod gauges;
pub mod google_access;
mod google_budget;
pub mod intake;
pub mod jobs;
mod leases;
pub mod mails;
mod pages;
pub mod printing;
mod queues;
pub mod reread;
pub mod retrieving;
pub mod smtp;
pub mod stop_go;
pub mod storing;
mod tick;
pub mod volumes;
pub mod webhooks;

use std::sync::Arc;
use std::time::Duration;

use runtime::{LoopError, Loops};
use tokio_util::sync::CancellationToken;

pub use capturing::search_for;
pub use context::{Housekeeping, Pace, WorkerContext};
pub use error::Error;

use capturing::Attempts;
use storing::Storing;

/// How long a claim lasts without renewal. After that the work counts as lost, and another worker does it again.
pub const LEASE: Duration = Duration::from_mins(1);
/// How long work under way may take after the shutdown begins; then it is given back.
const GRACE: Duration = Duration::from_secs(6);

/// Works until `shutdown`: captures due terms, stores their ads, runs scheduled jobs, sends mails and keeps the ledger in order. Returns within about
/// ten seconds of the shutdown; work under way is finished or given back. Only the mail server's word on the mail of a case is waited for longer.
///
/// # Errors
/// When one of its loops panics or ends early, which stops every loop in the same way as a shutdown.
pub async fn run(context: WorkerContext, shutdown: CancellationToken) -> Result<(), Error> {
    let shutdown = shutdown.child_token();
    let worker = format!("worker-{}", uuid::Uuid::new_v4());
    tracing::info!(worker, concurrency = context.pace.concurrency, "working");
    let storing = Arc::new(Storing::new(&context, &worker));
    let (batches, gathering) = storing::gather(Arc::clone(&storing));
    let attempts = Arc::new(Attempts::new(
        &context,
        &worker,
        Arc::clone(&storing),
        batches,
        shutdown.clone(),
    ));

    // Loops that end at the shutdown, and loops that serve the others until these have ended.
    let (mut loops, mut services) = (Loops::default(), Loops::default());
    tick::start(&mut loops, &context, &storing, &shutdown);
    loops.start(
        "jobs",
        jobs::run(context.clone(), Arc::clone(&storing), shutdown.clone()),
    );
    loops.start("stop and go", stop_go::run(context.clone(), shutdown.clone()));
    loops.start("reports", context.printer().run(shutdown.clone()));
    loops.start("alerts", alerts::run(context.clone(), shutdown.clone()));
    if let Some(sender) = context.mails.clone() {
        let mut of_cases = case_mails::sending::CaseSender::new(
            context.postgres.clone(),
            context.blobs.clone(),
            context.clock.clone(),
            (sender.server.clone(), context.housekeeping.run_rules().limits),
        );
        if context.housekeeping.actions.open_pixel {
            of_cases = of_cases.with_pictures_of(sender.public_url.clone());
        }
        loops.start("case-mails", of_cases.run(shutdown.clone()));
        loops.start("mails", sender.run(shutdown.clone()));
    } else {
        tracing::warn!("no mail is sent: set VIGIE__SMTP__HOST to a mail server; mails wait until then");
    }
    if let Some(webhooks) = context.webhooks.clone() {
        loops.start("webhooks", webhooks.run(shutdown.clone()));
    }
    loops.start("received mails", context.receiver().run(shutdown.clone()));
    if let Some(mailbox) = context.mailbox.clone() {
        loops.start("mailbox", mailbox.run(shutdown.clone()));
    }
    if let Some(volumes) = context.volumes.clone() {
        loops.start("volumes", volumes::run(volumes, shutdown.clone()));
    }
    if let Some(retriever) = context.retriever.clone() {
        loops.start("retrievals", retrieving::run(retriever, shutdown.clone()));
    }
    services.start("batches", gathering);
    services.start(
        "leases",
        leases::renew_until_dropped(
            context.postgres.clone(),
            worker.clone(),
            attempts.leases(),
            storing.leases(),
        ),
    );
    {
        let consumed = queues::consume(&context, &attempts, &shutdown);
        tokio::pin!(consumed);
        let broken = tokio::select! {
            () = &mut consumed => None,
            broken = breakdown(&mut loops, &mut services, &shutdown) => Some(broken),
        };
        if let Some(broken) = broken {
            tracing::error!(worker, %broken, "the worker ends");
            shutdown.cancel();
            // Work that takes longer than its grace is lost, and found by the sweeper.
            let _given_up = tokio::time::timeout(GRACE * 2, consumed).await;
            return Err(broken.into());
        }
    }
    let ended = loops.all_ended().await;
    // Drops the last handle: the gatherer stores what it has and ends.
    drop(attempts);
    let gathered = services.first_end().await;
    tracing::debug!(%gathered, "nothing is stored any more");
    context.browsers.shutdown().await;
    tracing::info!(worker, "stopped");
    Ok(ended?)
}

/// Waits until a loop or service ends before the shutdown, which is a fault. Once the shutdown has begun, never returns.
async fn breakdown(loops: &mut Loops, services: &mut Loops, shutdown: &CancellationToken) -> LoopError {
    let ended = tokio::select! {
        ended = loops.first_end() => ended,
        ended = services.first_end() => ended,
    };
    if shutdown.is_cancelled() {
        return std::future::pending().await;
    }
    ended
}
