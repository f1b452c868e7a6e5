//! Runs that somebody asks for, in addition to the grids of terms.

use postgres::Pool;
use postgres::runs_by_hand::{self, RunRequest};
use postgres::slots::HeldSlot;
use vocabulary::{Scope, TermId, UserId};

use crate::Error;
use crate::queue::{CaptureJob, push};

/// Queues a capture, due now, of the visible terms among `terms` on each device of their grids, unless one waits or is under way; in one transaction
/// with their jobs. A user gets at most `quota` of them in an hour; a request for more queues none.
pub async fn run_now(
    pool: &Pool,
    scope: &Scope,
    user: UserId,
    terms: &[TermId],
    quota: u64,
) -> Result<RunRequest, Error> {
    let mut tx = postgres::begin(pool).await?;
    let requested = runs_by_hand::request(&mut tx, scope, user, terms, quota).await?;
    if let RunRequest::Queued(runs) = &requested {
        let held = runs.due.iter().map(|slot| HeldSlot {
            id: slot.id,
            attempt: slot.attempt,
        });
        let jobs: Vec<CaptureJob> = held.map(CaptureJob::from).collect();
        push(&mut tx, &jobs, runs.at).await?;
        tx.commit().await?;
    }
    Ok(requested)
}
