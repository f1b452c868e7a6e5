//! Captures in addition to the grids of terms, which look whether advertisers who agreed have stopped.

use std::collections::BTreeSet;

use chrono::{DateTime, Datelike, NaiveTime, TimeDelta, Utc};
use postgres::proof::checks::{self, DueCheck};
use postgres::slots::HeldSlot;
use postgres::{Connection, Pool, capture_quotas};
use vocabulary::{CompanyAccountId, SystemScope, TermId};

use crate::Error;
use crate::queue::{CaptureJob, push};

/// Captures planned for checks in 24 hours: a small part of what one engine does in that time at its pace.
const MOST_A_DAY: u64 = 500;
/// Checks looked at in one call.
const AT_ONCE: i64 = 1_000;

const SCOPE: SystemScope = SystemScope::new("checking accepted cases");

/// What a call of [`check_accepted`] did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Checks that were made.
    pub checks: usize,
    /// Captures that were planned for them.
    pub captures: usize,
    /// Checks that are left for another day, since enough was planned for this one.
    pub left: usize,
}

/// Makes the checks of accepted cases that are due at `now`: plans a capture of each term that was not captured since, at most [`MOST_A_DAY`], in one
/// transaction with their jobs. Terms of accounts that have used up their quota of captures are left to their grids.
pub async fn check_accepted(pool: &Pool, now: DateTime<Utc>) -> Result<Checked, Error> {
    let mut tx = postgres::begin(pool).await?;
    let mut due = checks::due(&mut *tx, &SCOPE, now, AT_ONCE).await?;
    let exhausted = exhausted_terms(&mut tx, &due, now).await?;
    for check in &mut due {
        check.missing.retain(|(term, _)| !exhausted.contains(term));
    }
    let planned = checks::planned_since(&mut *tx, &SCOPE, now - TimeDelta::hours(24)).await?;
    let mut room = usize::try_from(MOST_A_DAY.saturating_sub(planned)).unwrap_or(usize::MAX);
    let mut checked = Checked::default();
    let mut jobs: Vec<CaptureJob> = Vec::new();
    for check in &due {
        if check.missing.len() > room {
            checked.left += 1;
            continue;
        }
        let queued = checks::make(&mut tx, &SCOPE, check, now).await?;
        room -= queued.len();
        checked.checks += 1;
        let held = queued.iter().map(|slot| HeldSlot {
            id: slot.id,
            attempt: slot.attempt,
        });
        jobs.extend(held.map(CaptureJob::from));
    }
    checked.captures = jobs.len();
    push(&mut tx, &jobs, now).await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    Ok(checked)
}

/// The terms of these checks that count for an account which has used up its quota of captures of the month.
async fn exhausted_terms(
    connection: &mut Connection,
    due: &[DueCheck],
    now: DateTime<Utc>,
) -> Result<BTreeSet<TermId>, Error> {
    let terms: BTreeSet<TermId> = due
        .iter()
        .flat_map(|check| &check.missing)
        .map(|(term, _)| *term)
        .collect();
    let terms: Vec<TermId> = terms.into_iter().collect();
    let accounts = capture_quotas::accounts_of_terms(&mut *connection, &SCOPE, &terms).await?;
    if accounts.is_empty() {
        return Ok(BTreeSet::new());
    }
    let limited: BTreeSet<CompanyAccountId> = accounts.values().flatten().copied().collect();
    let limited: Vec<CompanyAccountId> = limited.into_iter().collect();
    let used = capture_quotas::used(&mut *connection, &SCOPE, &limited, beginning_of_month(now)).await?;
    let quotas = capture_quotas::visible(&mut *connection, &SCOPE).await?;
    let is_exhausted = |account: &CompanyAccountId| {
        let quota = quotas.iter().find(|quota| quota.account == *account);
        let used = used.iter().find(|(of, _)| of == account).map_or(0, |(_, used)| *used);
        quota.and_then(|quota| quota.captures).is_some_and(|most| used >= most)
    };
    let exhausted = accounts
        .iter()
        .filter(|(_, accounts)| accounts.iter().any(is_exhausted));
    Ok(exhausted.map(|(term, _)| *term).collect())
}

/// The beginning of the UTC month of an instant.
fn beginning_of_month(now: DateTime<Utc>) -> DateTime<Utc> {
    let first = now.date_naive().with_day(1).unwrap_or(now.date_naive());
    first.and_time(NaiveTime::MIN).and_utc()
}
