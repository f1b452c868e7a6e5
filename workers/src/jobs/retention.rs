//! Taking away what is older than the settings keep (decision D145).

use std::time::Duration;

use analytics::retention;
use chrono::{DateTime, Datelike, Months, NaiveDate, TimeDelta, Utc};
use postgres::months::{self, MonthlyTables};
use postgres::{corrections, expired_files, files, mails, manifests, rereading, tokens};
use vocabulary::SystemScope;

use crate::Error;
use crate::context::WorkerContext;

/// Captures, and as many failed attempts, whose files go in one round.
const ROWS_A_ROUND: i64 = 500;
/// Manifests marked or forgotten by one statement.
const MANIFESTS_A_ROUND: i64 = 20_000;

/// Long enough to find out why somebody got no mail.
const SETTLED_MAILS_KEPT: Duration = Duration::from_hours(24 * 90);
/// An ended session still answers that it has expired.
const ENDED_SESSIONS_KEPT: TimeDelta = TimeDelta::days(30);

/// A file is uploaded before what uses it is saved.
const UNUSED_FILES_KEPT: TimeDelta = TimeDelta::days(1);
/// Files looked up by one statement.
const FILES_A_ROUND: i64 = 500;

const SCOPE: SystemScope = SystemScope::new("retention");

pub async fn run(parts: &WorkerContext) -> Result<String, Error> {
    let now = parts.clock.now();
    let mut did = Vec::new();
    let made = months::make(&parts.postgres).await?;
    if made > 0 {
        did.push(format!("{made} tables of months made"));
    }
    if parts.housekeeping.retention.ads_months > 0 {
        let (months, texts) = drop_ads(parts, now).await?;
        did.push(format!("{months} months of ads dropped"));
        if texts > 0 {
            did.push(format!("{texts} texts of ads and sems entered by hand forgotten"));
        }
    }
    if parts.housekeeping.retention.pages_days > 0 {
        let before = now - TimeDelta::days(parts.housekeeping.retention.pages_days.into());
        let (rows, files) = delete_files(parts, before).await?;
        did.push(format!("{files} files of {rows} captures deleted"));
    }
    let (ledger, audit) = drop_months(parts, now).await?;
    if ledger + audit > 0 {
        did.push(format!(
            "{ledger} months of the ledger and {audit} of the audit log dropped"
        ));
    }
    let unused = delete_unused_files(parts, now - UNUSED_FILES_KEPT).await?;
    if unused > 0 {
        did.push(format!("{unused} uploaded files that nothing uses deleted"));
    }
    let mails = mails::forget_settled(&parts.postgres, SETTLED_MAILS_KEPT).await?;
    let tokens = tokens::delete_expired(&parts.postgres, now - ENDED_SESSIONS_KEPT).await?;
    if mails + tokens > 0 {
        did.push(format!("{mails} mails and {tokens} sessions forgotten"));
    }
    if did.is_empty() {
        did.push("everything is kept".to_owned());
    }
    Ok(did.join(", "))
}

/// Marks the manifests first: rows that are being dropped must not count as lost.
async fn drop_ads(parts: &WorkerContext, now: DateTime<Utc>) -> Result<(usize, u64), Error> {
    let Some(first_kept) = first_kept_month(now, parts.housekeeping.retention.ads_months) else {
        return Ok((0, 0));
    };
    let _in_place = rereading::keep_rows_in_place(&parts.postgres).await?;
    while manifests::mark_rows_gone(&parts.postgres, first_kept, MANIFESTS_A_ROUND).await? > 0 {}
    let store = parts.analytics.for_housekeeping();
    let months = retention::drop_months_before(&store, first_kept).await?;
    let texts = retention::forget_before(&store, first_kept).await?;
    corrections::forget_before(&parts.postgres, first_kept).await?;
    for month in &months {
        tracing::info!(%month, "a month of ads was dropped");
    }
    Ok((months.len(), texts))
}

/// Drops months of the ledger and of the audit log. The ledger stays as long as the ads and the files it tells of.
async fn drop_months(parts: &WorkerContext, now: DateTime<Utc>) -> Result<(usize, usize), Error> {
    let retention = &parts.housekeeping.retention;
    let (mut ledger, mut audit) = (0, 0);
    let of_ads = first_kept_month(now, retention.ads_months).filter(|_| retention.ads_months > 0);
    let of_ledger = first_kept_month(now, retention.ledger_months).filter(|_| retention.ledger_months > 0);
    if let Some(first_kept) = of_ads.zip(of_ledger).map(|(ads, ledger)| ads.min(ledger)) {
        let with_files = months::first_with_files(&parts.postgres, &SCOPE).await?;
        let first_kept = with_files.map_or(first_kept, |month| month.min(first_kept));
        while manifests::forget_before(&parts.postgres, first_kept, MANIFESTS_A_ROUND).await? > 0 {}
        rereading::forget_before(&parts.postgres, &SCOPE, first_kept).await?;
        ledger = months::drop_before(&parts.postgres, &SCOPE, MonthlyTables::Ledger, first_kept).await?;
    }
    if retention.audit_months > 0
        && let Some(first_kept) = first_kept_month(now, retention.audit_months)
    {
        audit = months::drop_before(&parts.postgres, &SCOPE, MonthlyTables::Audit, first_kept).await?;
    }
    Ok((ledger, audit))
}

/// Deletes files before their rows say so: interrupted in between, the next run deletes them again, which is no error.
async fn delete_files(parts: &WorkerContext, before: DateTime<Utc>) -> Result<(usize, usize), Error> {
    let (mut rows, mut files) = (0, 0);
    loop {
        let mut connection = parts.postgres.acquire().await.map_err(postgres::Error::from)?;
        let outdated = expired_files::outdated(&mut connection, &SCOPE, before, ROWS_A_ROUND).await?;
        drop(connection);
        if outdated.is_empty() {
            return Ok((rows, files));
        }
        for file in &outdated.files {
            if parts.blobs.delete_kept_before(file, before).await? {
                files += 1;
            }
        }
        expired_files::mark_gone(&parts.postgres, &SCOPE, &outdated).await?;
        rows += outdated.captures.len() + outdated.failed_pages.len();
    }
}

/// Deletes uploaded files that were replaced, taken off or never saved, each content before its row, as with the files of captures. What
/// somebody has uploaded again is younger, and stays.
async fn delete_unused_files(parts: &WorkerContext, before: DateTime<Utc>) -> Result<usize, Error> {
    let mut deleted = 0;
    loop {
        let unused = files::unused(&parts.postgres, &SCOPE, before, FILES_A_ROUND).await?;
        if unused.is_empty() {
            return Ok(deleted);
        }
        for file in &unused {
            if !files::has_a_twin(&parts.postgres, &SCOPE, file).await? {
                parts.blobs.delete_kept_before(&file.sha256, before).await?;
            }
            files::forget(&parts.postgres, &SCOPE, file.id).await?;
        }
        deleted += unused.len();
    }
}

/// A month is dropped once all of it is older than the months kept.
fn first_kept_month(now: DateTime<Utc>, months: u32) -> Option<NaiveDate> {
    now.date_naive().with_day(1)?.checked_sub_months(Months::new(months))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_goes_when_its_last_day_is_over_the_limit() {
        let first_kept = |now: &str| first_kept_month(now.parse().unwrap(), 25).unwrap().to_string();
        assert_eq!(first_kept("2026-03-01T00:00:00Z"), "2024-02-01");
        assert_eq!(first_kept("2026-03-31T23:00:00Z"), "2024-02-01");
        assert_eq!(first_kept("2026-04-01T00:00:00Z"), "2024-03-01");
    }
}
