//! The invariants of the data path and of the life of cases that can be checked in Postgres (see the functions `broken_…` in the migrations).

use std::time::Duration;

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;

use crate::Result;
use crate::stored::interval;

/// A row that breaks an invariant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// `I1`, `I2`, `I3` or `I7` of the data path; `M1`, `M2`, `M6`, `M8` or `M10` of what leaves to advertisers; `O4`, `O6`, `O7`, `O9` or `O11` to `O16` of
    /// the life of cases and of what comes in.
    pub invariant: String,
    /// The row, as in `slot 12`.
    pub subject: String,
    /// What is wrong with it.
    pub detail: String,
}

/// Every row that breaks an invariant; none means that the data path and the cases are sound. Checks slots due, manifests created, deliveries settled,
/// mails that came in and cases changed from `since` on, and all slots and mails that came in for being unsettled longer than `deadline`.
pub async fn violations(
    executor: impl PgExecutor<'_>,
    since: DateTime<Utc>,
    deadline: Duration,
) -> Result<Vec<Violation>> {
    let deadline = interval(deadline);
    let rows = sqlx::query!(
        r#"select 'I1' as "invariant!", subject as "subject!", detail as "detail!" from broken_stored_once($1)
           union all select 'I2', subject, detail from broken_no_slot_skipped($1, $2)
           union all select 'I3', subject, detail from broken_one_capture_per_slot($1)
           union all select 'I7', subject, detail from broken_page_kept($1)
           union all select 'M1', subject, detail from broken_delivery_once($1)
           union all select 'M2', subject, detail from broken_delivery_fence($1)
           union all select 'M6', subject, detail from broken_delivery_fold($1)
           union all select 'M8', subject, detail from broken_suppression($1)
           union all select 'M10', subject, detail from broken_progress($1)
           union all select 'O4', subject, detail from broken_reminder_quota($1)
           union all select 'O6', subject, detail from broken_mail_counts($1)
           union all select 'O7', subject, detail from broken_waiting($1)
           union all select 'O9', subject, detail from broken_mails_a_day($1)
           union all select 'O11', subject, detail from broken_unread_inbound($1, $2)
           union all select 'O12', subject, detail from broken_brand_of_token($1)
           union all select 'O13', subject, detail from broken_history($1)
           union all select 'O14', subject, detail from broken_status_dates($1)
           union all select 'O15', subject, detail from broken_case_counts()
           union all select 'O16', subject, detail from broken_keyword_types()"#,
        since,
        deadline
    )
    .fetch_all(executor)
    .await?;
    let found = rows.into_iter().map(|row| Violation {
        invariant: row.invariant,
        subject: row.subject,
        detail: row.detail,
    });
    Ok(found.collect())
}
