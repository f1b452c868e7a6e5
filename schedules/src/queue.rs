//! The queue of captures: apalis over Postgres, written on the caller's transaction.

use apalis::prelude::TaskBuilder;
use apalis_postgres::queries::push_tasks;
use chrono::{DateTime, Utc};
use postgres::Connection;
use postgres::slots::HeldSlot;
use serde::{Deserialize, Serialize};
use vocabulary::SlotId;

use crate::Error;

/// The name of the queue.
pub const CAPTURES: &str = "captures";

/// The message of a capture job: one attempt at a slot. Everything else is read from the ledger when it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaptureJob {
    /// The slot to capture.
    pub slot: SlotId,
    /// How many attempts were made before this one.
    pub attempt: i32,
}

impl From<HeldSlot> for CaptureJob {
    fn from(held: HeldSlot) -> Self {
        Self {
            slot: held.id,
            attempt: held.attempt,
        }
    }
}

impl From<CaptureJob> for HeldSlot {
    fn from(job: CaptureJob) -> Self {
        Self {
            id: job.slot,
            attempt: job.attempt,
        }
    }
}

impl CaptureJob {
    /// The key of the job, unique in the queue, so that an attempt has one job.
    pub(crate) fn key(self) -> String {
        format!("{}#{}", self.slot, self.attempt)
    }
}

/// Enqueues jobs to run from `run_at` on, rounded down to the second, once the caller's transaction commits.
///
/// # Errors
/// When one of them is in the queue already, and when the queue cannot be written; then none is enqueued.
pub async fn push(connection: &mut Connection, jobs: &[CaptureJob], run_at: DateTime<Utc>) -> Result<(), Error> {
    if jobs.is_empty() {
        return Ok(());
    }
    let run_at = u64::try_from(run_at.timestamp()).unwrap_or(0);
    let mut tasks = Vec::with_capacity(jobs.len());
    for job in jobs {
        let message = serde_json::to_vec(job)?;
        let task = TaskBuilder::new(message)
            .idempotency_key(job.key())
            // Attempts belong to the slot; each is a job of its own.
            .max_attempts(1)
            .run_at_timestamp(run_at);
        tasks.push(task.build());
    }
    push_tasks(connection, CAPTURES, tasks).await?;
    Ok(())
}
