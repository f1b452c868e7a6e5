//! Tables partitioned by month (see migration 0086): partitions are made ahead of time and dropped when their retention ends.

use chrono::NaiveDate;
use vocabulary::SystemScope;

use crate::{Pool, Result, Tx};

/// How long making or dropping a month waits for the table's lock. Queries that come meanwhile queue behind it, so it is short; the next
/// run does what this one could not.
const LOCK_TIMEOUT: &str = "5s";

/// The parents of months that are dropped together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MonthlyTables {
    /// Slots, captures and what hangs on them, and the chain of evidence.
    Ledger,
    /// The audit log.
    Audit,
}

impl MonthlyTables {
    /// The partitioned tables of the group, in the order in which a month is dropped: tables with references go first.
    const fn parents(self) -> &'static [&'static str] {
        match self {
            Self::Ledger => &["organic_result", "failed_page", "evidence_entry", "capture", "slot"],
            Self::Audit => &["audit_entry"],
        }
    }
}

/// Makes the tables of this month and the next two, and of months whose rows lie in the default partition. Returns how many were made. A table whose
/// lock cannot be had within `LOCK_TIMEOUT` is an error; the next run tries again.
pub async fn make(pool: &Pool) -> Result<u64> {
    let mut tx = begin_with_lock_timeout(pool).await?;
    let made = sqlx::query_scalar!(r#"select make_months() as "made!""#)
        .fetch_one(&mut *tx)
        .await?;
    tx.commit().await?;
    Ok(u64::from(made.unsigned_abs()))
}

/// Drops the tables of the months before the one whose first day is `month`, each table in a transaction of its own. Returns how many months had
/// tables to drop. A lock that cannot be had within `LOCK_TIMEOUT` is an error; another call drops the rest.
pub async fn drop_before(pool: &Pool, _system: &SystemScope, group: MonthlyTables, month: NaiveDate) -> Result<usize> {
    let mut dropped = std::collections::BTreeSet::new();
    for parent in group.parents() {
        let months = sqlx::query_scalar!(
            r#"select month as "month!" from months_of($1::text::regclass) month where month < $2"#,
            parent,
            month
        )
        .fetch_all(pool)
        .await?;
        for over in months {
            let mut tx = begin_with_lock_timeout(pool).await?;
            sqlx::query!(
                r#"select drop_month($1::text::regclass, $2)::text as "nothing""#,
                parent,
                over
            )
            .fetch_one(&mut *tx)
            .await?;
            tx.commit().await?;
            dropped.insert(over);
        }
    }
    Ok(dropped.len())
}

/// The first day of the earliest UTC month that has slots with files of captures or failed attempts; `None` when no files are left. The ledger keeps
/// the tables of that month and of all later ones.
pub async fn first_with_files(pool: &Pool, _system: &SystemScope) -> Result<Option<NaiveDate>> {
    let month = sqlx::query_scalar!(
        "select date_trunc('month', least(
             (select min(slot_ts) from capture where files_gone_at is null),
             (select min(slot_ts) from failed_page where files_gone_at is null)
         ) at time zone 'UTC')::date"
    )
    .fetch_one(pool)
    .await?;
    Ok(month)
}

/// Begins a transaction whose statements wait at most `LOCK_TIMEOUT` for a lock.
async fn begin_with_lock_timeout(pool: &Pool) -> Result<Tx> {
    let mut tx = crate::begin(pool).await?;
    sqlx::query("select set_config('lock_timeout', $1, true)")
        .bind(LOCK_TIMEOUT)
        .execute(&mut *tx)
        .await?;
    Ok(tx)
}
