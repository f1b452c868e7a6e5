//! The scheduling pass: grids of changed terms, then the slots that are due.

use postgres::Pool;
use postgres::slots::HeldSlot;
use postgres::term_dues::{self, DueSlot};

use crate::queue::{CaptureJob, push};
use crate::{Error, grid};

/// Terms planned in one transaction.
const TERMS_A_ROUND: i64 = 1_000;
/// Grids claimed in one transaction; few enough that no lock is held for long.
const GRIDS_A_ROUND: i64 = 500;

/// What a pass did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Passed {
    /// Terms whose grids were planned again.
    pub planned: usize,
    /// Slots whose jobs were enqueued.
    pub queued: usize,
    /// Slots recorded as missed.
    pub missed: u64,
}

/// Plans the grids of changed terms, then claims every slot that is due and enqueues its job, in rounds of one transaction each. Several
/// processes may run it at the same time: each skips the rows that another one has locked.
pub async fn pass(pool: &Pool) -> Result<Passed, Error> {
    let mut passed = Passed::default();
    while plan_round(pool, &mut passed).await? {}
    while claim_round(pool, &mut passed).await? {}
    Ok(passed)
}

/// Plans the grids of up to [`TERMS_A_ROUND`] changed terms in one transaction, enqueues a job for each slot that is due at once, and adds the terms
/// and jobs to the counts in `passed`. Returns `false` once it finds no changed term except those that other processes have locked.
async fn plan_round(pool: &Pool, passed: &mut Passed) -> Result<bool, Error> {
    let mut tx = postgres::begin(pool).await?;
    let (now, stale) = term_dues::lock_stale(&mut tx, TERMS_A_ROUND).await?;
    if stale.is_empty() {
        return Ok(false);
    }
    let terms: Vec<_> = stale.iter().map(|term| term.id).collect();
    let planned: Vec<_> = stale.iter().flat_map(|term| grid::plan(term, now)).collect();
    let jobs = capture_jobs(&term_dues::plan(&mut tx, &terms, &planned).await?);
    push(&mut tx, &jobs, now).await?;
    tx.commit().await?;
    passed.planned += terms.len();
    passed.queued += jobs.len();
    Ok(true)
}

/// Moves up to [`GRIDS_A_ROUND`] due grids on in one transaction, enqueues the job of each one's newest due slot (older ones are missed), and adds to
/// `passed`. Returns `false` when no grid is left that another process has not locked.
async fn claim_round(pool: &Pool, passed: &mut Passed) -> Result<bool, Error> {
    let mut tx = postgres::begin(pool).await?;
    let claimed = term_dues::claim(&mut tx, GRIDS_A_ROUND).await?;
    if claimed.grids == 0 {
        return Ok(false);
    }
    let jobs = capture_jobs(&claimed.due);
    push(&mut tx, &jobs, claimed.at).await?;
    tx.commit().await?;
    passed.queued += jobs.len();
    passed.missed += claimed.missed;
    Ok(true)
}

/// The jobs of the slots, in their order.
fn capture_jobs(due: &[DueSlot]) -> Vec<CaptureJob> {
    let held = due.iter().map(|slot| HeldSlot {
        id: slot.id,
        attempt: slot.attempt,
    });
    held.map(CaptureJob::from).collect()
}
