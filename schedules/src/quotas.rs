//! The quotas of company accounts: how many captures their terms may make in a month.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use postgres::capture_quotas::{self, AccountQuota, TouchedPlans};
use postgres::{Connection, Pool};
use vocabulary::{CompanyAccountId, SystemScope};

use crate::{Error, grid};

/// Hours of the month that frequencies go by (decision D92).
const HOURS_A_MONTH: f64 = 732.0;
/// What sums of fractions of captures may be off by.
const ROUNDING: f64 = 1e-6;
/// A term may count for other accounts than those its editor sees.
const SCOPE: SystemScope = SystemScope::new("comparing what is planned for accounts with their quotas");

/// A quota that a change would exceed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExceededQuota {
    /// Name of the account.
    pub account: String,
    /// Captures a month that it may plan.
    pub quota: u64,
    /// Captures a month that the change would plan.
    pub planned: u64,
}

/// The first quota that a transaction exceeds by what it plans in addition; `None` if it may be committed. An account above its quota already, because
/// that was lowered, may be changed as long as no more is planned for it. Call it last before the commit: transactions that plan more pass here one
/// after the other, each with what those before it have committed.
pub async fn exceeded(
    pool: &Pool,
    transaction: &mut Connection,
    touched: TouchedPlans<'_>,
    now: DateTime<Utc>,
) -> Result<Option<ExceededQuota>, Error> {
    if !capture_quotas::exist(&mut *transaction, &SCOPE).await? {
        return Ok(None);
    }
    capture_quotas::hold(transaction, &SCOPE).await?;
    let limited = capture_quotas::touched(&mut *transaction, &SCOPE, touched).await?;
    let accounts: Vec<CompanyAccountId> = limited.iter().map(|limited| limited.account).collect();
    if accounts.is_empty() {
        return Ok(None);
    }
    let after = planned(&mut *transaction, &accounts, now).await?;
    let beyond = |limited: &AccountQuota| {
        let planned = after.get(&limited.account).copied().unwrap_or_default();
        let quota = limited.captures.filter(|quota| planned > *quota)?;
        Some((
            limited.account,
            ExceededQuota {
                account: limited.name.clone(),
                quota,
                planned,
            },
        ))
    };
    let beyond: Vec<_> = limited.iter().filter_map(beyond).collect();
    if beyond.is_empty() {
        return Ok(None);
    }
    // Another connection sees what was planned before.
    let before = planned(pool, &accounts, now).await?;
    let raised = beyond
        .into_iter()
        .find(|(account, exceeded)| before.get(account).is_none_or(|before| exceeded.planned > *before));
    Ok(raised.map(|(_, exceeded)| exceeded))
}

/// How many captures the terms of some accounts make in a month, by the function that plans their slots, rounded up; accounts without any are left out.
pub async fn planned(
    executor: impl postgres::Executor<'_>,
    accounts: &[CompanyAccountId],
    now: DateTime<Utc>,
) -> Result<BTreeMap<CompanyAccountId, u64>, Error> {
    let an_hour = planned_an_hour(executor, accounts, now).await?.into_iter();
    Ok(an_hour
        .map(|(account, captures)| (account, round_up(captures * HOURS_A_MONTH)))
        .collect())
}

/// Captures a month before and after a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChangedPlan {
    /// As it is now.
    pub before: u64,
    /// As the change would make it.
    pub after: u64,
}

/// The captures planned for each account in a month: as they are, and as they would be if `added` were made in each hour as well. A negative number takes
/// captures away.
pub async fn planned_with(
    executor: impl postgres::Executor<'_>,
    added: &BTreeMap<CompanyAccountId, f64>,
    now: DateTime<Utc>,
) -> Result<BTreeMap<CompanyAccountId, ChangedPlan>, Error> {
    let accounts: Vec<CompanyAccountId> = added.keys().copied().collect();
    let an_hour = planned_an_hour(executor, &accounts, now).await?;
    let changed = added.iter().map(|(account, added)| {
        let before = an_hour.get(account).copied().unwrap_or_default();
        let plan = ChangedPlan {
            before: round_up(before * HOURS_A_MONTH),
            after: round_up((before + added) * HOURS_A_MONTH),
        };
        (*account, plan)
    });
    Ok(changed.collect())
}

/// How many captures the terms of some accounts make in an hour; accounts without any are left out.
async fn planned_an_hour(
    executor: impl postgres::Executor<'_>,
    accounts: &[CompanyAccountId],
    now: DateTime<Utc>,
) -> Result<BTreeMap<CompanyAccountId, f64>, Error> {
    let mut captures: BTreeMap<CompanyAccountId, f64> = BTreeMap::new();
    for alike in capture_quotas::captured_terms(executor, &SCOPE, accounts).await? {
        let an_hour = grid::captures_an_hour(&alike.term, now);
        *captures.entry(alike.account).or_default() += an_hour * f64::from(alike.terms);
    }
    Ok(captures)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a number of captures is above 0 and far below 2^52"
)]
fn round_up(captures: f64) -> u64 {
    (captures - ROUNDING).max(0.0).ceil() as u64
}
