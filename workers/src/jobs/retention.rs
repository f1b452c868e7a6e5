//! Deleting what is older than the settings allow (decision D145).

use std::time::Duration;

use analytics::retention;
use chrono::{DateTime, Datelike, Months, NaiveDate, TimeDelta, Utc};
use postgres::months::{self, MonthlyTables};
use postgres::resources::{BROUGHT_BACK_WITHIN, forget_deleted_before};
use postgres::{corrections, expired_files, files, kept_changes, mails, manifests, privacy, rereading, tokens};
use vocabulary::SystemScope;

use crate::Error;
use crate::context::WorkerContext;

/// Captures, and as many failed pages, whose files are deleted in one round.
const ROWS_A_ROUND: i64 = 500;
/// Manifests marked or deleted by one statement.
const MANIFESTS_A_ROUND: i64 = 20_000;

/// Long enough to find out why a mail did not arrive.
const SETTLED_MAILS_KEPT: Duration = Duration::from_hours(24 * 90);
/// Until then the API can say that a session has expired.
const ENDED_SESSIONS_KEPT: TimeDelta = TimeDelta::days(30);

/// They can be undone for seconds; a run may be late.
const UNDOABLE_KEPT: TimeDelta = TimeDelta::hours(1);

/// Time to save what uses an uploaded file.
const UNUSED_FILES_KEPT: TimeDelta = TimeDelta::days(1);
/// Mails of cases deleted in one transaction.
const MAILS_A_ROUND: i64 = 1_000;
/// Files looked up by one statement.
const FILES_A_ROUND: i64 = 500;

const SCOPE: SystemScope = SystemScope::new("retention");

/// Creates the tables of the coming months, deletes what is older than the settings allow, and returns a summary. A setting of 0 keeps its data for
/// ever.
pub async fn run(context: &WorkerContext) -> Result<String, Error> {
    let now = context.clock.now();
    let mut summary = Vec::new();
    let made = months::make(&context.postgres).await?;
    if made > 0 {
        summary.push(format!("{made} tables of months made"));
    }
    if context.housekeeping.retention.ads_months > 0 {
        let (months, texts) = drop_ads(context, now).await?;
        summary.push(format!("{months} months of ads dropped"));
        if texts > 0 {
            summary.push(format!("{texts} texts of ads and sems entered by hand forgotten"));
        }
    }
    if context.housekeeping.retention.pages_days > 0 {
        let before = now - TimeDelta::days(context.housekeeping.retention.pages_days.into());
        let (rows, files) = delete_files(context, before).await?;
        summary.push(format!("{files} files of {rows} captures deleted"));
    }
    let (ledger, audit) = drop_months(context, now).await?;
    if ledger + audit > 0 {
        summary.push(format!(
            "{ledger} months of the ledger and {audit} of the audit log dropped"
        ));
    }
    let unused = delete_unused_files(context, now - UNUSED_FILES_KEPT).await?;
    if unused > 0 {
        summary.push(format!("{unused} uploaded files that nothing uses deleted"));
    }
    let mails = mails::forget_settled(&context.postgres, SETTLED_MAILS_KEPT).await?;
    let tokens = tokens::delete_expired(&context.postgres, now - ENDED_SESSIONS_KEPT).await?;
    if mails + tokens > 0 {
        summary.push(format!("{mails} mails and {tokens} sessions forgotten"));
    }
    let mails = forget_mails_of_cases(context, now).await?;
    if mails > 0 {
        summary.push(format!("{mails} mails of cases forgotten"));
    }
    let sources = forget_sources_of_mails(context, now).await?;
    if sources > 0 {
        summary.push(format!("{sources} sources of mails forgotten"));
    }
    let changes = kept_changes::forget_before(&context.postgres, &SCOPE, now - UNDOABLE_KEPT).await?;
    if changes > 0 {
        summary.push(format!("{changes} changes forgotten that could be undone"));
    }
    let deleted = forget_deleted_before(&context.postgres, &SCOPE, now - BROUGHT_BACK_WITHIN).await?;
    if deleted > 0 {
        summary.push(format!("{deleted} deleted rows forgotten that could be brought back"));
    }
    if summary.is_empty() {
        summary.push("everything is kept".to_owned());
    }
    Ok(summary.join(", "))
}

/// Drops the months of ads before the first one to keep, with their texts and corrections, and returns the number of months and of texts. Marks the
/// manifests first, so that deleted rows do not count as lost. The caller has checked that ads are not kept for ever.
async fn drop_ads(context: &WorkerContext, now: DateTime<Utc>) -> Result<(usize, u64), Error> {
    let Some(first_kept) = first_kept_month(now, context.housekeeping.retention.ads_months) else {
        return Ok((0, 0));
    };
    let _rows_in_place = rereading::keep_rows_in_place(&context.postgres).await?;
    while manifests::mark_rows_gone(&context.postgres, first_kept, MANIFESTS_A_ROUND).await? > 0 {}
    let store = context.analytics.for_housekeeping();
    let months = retention::drop_months_before(&store, first_kept).await?;
    let texts = retention::forget_before(&store, first_kept).await?;
    corrections::forget_before(&context.postgres, first_kept).await?;
    for month in &months {
        tracing::info!(%month, "a month of ads was dropped");
    }
    Ok((months.len(), texts))
}

/// Drops months of the ledger and of the audit log and returns how many of each. A month of the ledger stays at least as long as its ads and files,
/// and for ever if the ads do.
async fn drop_months(context: &WorkerContext, now: DateTime<Utc>) -> Result<(usize, usize), Error> {
    let retention = &context.housekeeping.retention;
    let (mut ledger, mut audit) = (0, 0);
    let of_ads = first_kept_month(now, retention.ads_months).filter(|_| retention.ads_months > 0);
    let of_ledger = first_kept_month(now, retention.ledger_months).filter(|_| retention.ledger_months > 0);
    if let Some(first_kept) = of_ads.zip(of_ledger).map(|(ads, ledger)| ads.min(ledger)) {
        let with_files = months::first_with_files(&context.postgres, &SCOPE).await?;
        let first_kept = with_files.map_or(first_kept, |month| month.min(first_kept));
        while manifests::forget_before(&context.postgres, first_kept, MANIFESTS_A_ROUND).await? > 0 {}
        rereading::forget_before(&context.postgres, &SCOPE, first_kept).await?;
        ledger = months::drop_before(&context.postgres, &SCOPE, MonthlyTables::Ledger, first_kept).await?;
    }
    if retention.audit_months > 0
        && let Some(first_kept) = first_kept_month(now, retention.audit_months)
    {
        audit = months::drop_before(&context.postgres, &SCOPE, MonthlyTables::Audit, first_kept).await?;
    }
    Ok((ledger, audit))
}

/// Deletes the files of captures and failed pages before an instant, and returns the number of their rows and of deleted files. A file that a younger
/// page shares stays. Files are deleted before their rows say so: after an interruption the next run deletes them again, which is harmless.
async fn delete_files(context: &WorkerContext, before: DateTime<Utc>) -> Result<(usize, usize), Error> {
    let (mut rows, mut files) = (0, 0);
    loop {
        let mut connection = context.postgres.acquire().await.map_err(postgres::Error::from)?;
        let outdated = expired_files::outdated(&mut connection, &SCOPE, before, ROWS_A_ROUND).await?;
        drop(connection);
        if outdated.is_empty() {
            return Ok((rows, files));
        }
        for file in &outdated.files {
            if context.blobs.delete_kept_before(file, before).await? {
                files += 1;
            }
        }
        expired_files::mark_gone(&context.postgres, &SCOPE, &outdated).await?;
        rows += outdated.captures.len() + outdated.failed_pages.len();
    }
}

/// Deletes the files uploaded before an instant that nothing uses, and returns how many. The content goes before the row; it stays while another
/// uploaded file has the same content, or if it was uploaded again since.
async fn delete_unused_files(context: &WorkerContext, before: DateTime<Utc>) -> Result<usize, Error> {
    let mut deleted = 0;
    loop {
        let unused = files::unused(&context.postgres, &SCOPE, before, FILES_A_ROUND).await?;
        if unused.is_empty() {
            return Ok(deleted);
        }
        for file in &unused {
            if !files::has_a_twin(&context.postgres, &SCOPE, file).await? {
                context.blobs.delete_kept_before(&file.sha256, before).await?;
            }
            files::forget(&context.postgres, &SCOPE, file.id).await?;
        }
        deleted += unused.len();
    }
}

/// Deletes the mails of cases in which nothing has happened for the months to keep, and the content of their attachments that nothing else uses.
/// Returns how many mails. The content goes after the rows: what an interruption leaves is a file that nothing names.
async fn forget_mails_of_cases(context: &WorkerContext, now: DateTime<Utc>) -> Result<u64, Error> {
    let months = context.housekeeping.retention.mails_months;
    let Some(before) = now.checked_sub_months(Months::new(months)).filter(|_| months > 0) else {
        return Ok(0);
    };
    let mut mails = 0;
    loop {
        let mut tx = postgres::begin(&context.postgres).await?;
        let gone = privacy::forget_mails(&mut tx, &SCOPE, before, MAILS_A_ROUND).await?;
        tx.commit().await.map_err(postgres::Error::from)?;
        for file in &gone.files {
            if !privacy::is_used(&context.postgres, file).await? {
                context.blobs.delete_kept_before(file, before).await?;
            }
        }
        if gone.mails + gone.received == 0 {
            return Ok(mails);
        }
        mails += gone.mails;
    }
}

/// Deletes the sources of mails that were read and came in before the days to keep, and returns how many.
async fn forget_sources_of_mails(context: &WorkerContext, now: DateTime<Utc>) -> Result<u64, Error> {
    let days = context.housekeeping.retention.mail_sources_days;
    if days == 0 {
        return Ok(0);
    }
    let before = now - TimeDelta::days(days.into());
    let mut sources = 0;
    loop {
        let forgotten = privacy::forget_sources(&context.postgres, &SCOPE, before, MAILS_A_ROUND).await?;
        sources += forgotten;
        if forgotten == 0 {
            return Ok(sources);
        }
    }
}

/// The first day of the first month to keep (UTC): the month of `now` and as many as `months` before it are kept. `None` only before the calendar
/// begins.
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
