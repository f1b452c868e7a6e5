//! What the next step of cases depends on, for the pages that show it and the job that takes it.

use std::collections::BTreeMap;

use sqlx::PgExecutor;
use vocabulary::{ActionId, OutreachState, ReminderSettings, Scope};

use crate::Result;
use crate::scoped::ScopeLists;
use crate::stored::parse;

/// The state of the outreach of these actions, with the settings of their brands, by action; those that the scope does not see are absent.
pub async fn of_actions(
    executor: impl PgExecutor<'_>,
    scope: &Scope,
    ids: &[ActionId],
) -> Result<BTreeMap<ActionId, (OutreachState, ReminderSettings)>> {
    let bounds = ScopeLists::from_scope(scope);
    let ids: Vec<i32> = ids.iter().map(|id| id.0).collect();
    let rows = sqlx::query!(
        r#"select a.id, a.status as "status: String", coalesce(a.waiting, false) as "is_waiting!", a.notified_manually, a.cycle_forced, a.cycle_reminders,
               coalesce(a.clock_at, greatest(a.inprogress_date, a.reminded_date)) as clock, a.paused_until,
               has_active_contact(a.advertiser_id, a.domain) as "has_active_contact!", coalesce(b.notification_auto, false) as "notifies_all!",
               s.is_automatic as "is_automatic!", s.frequency as "frequency!", s.quota as "quota!"
           from action a left join brand b on b.id = a.brand_id cross join lateral reminder_settings(a.brand_id) s
           where a.id = any($2) and ($1::int[] is null or a.brand_id = any($1))"#,
        bounds.brands as Option<Vec<i32>>,
        &ids
    )
    .fetch_all(executor)
    .await?;
    rows.into_iter()
        .map(|row| {
            let state = OutreachState {
                status: parse("action.status", &row.status)?,
                is_waiting: row.is_waiting,
                is_manual: row.notified_manually,
                is_forced: row.cycle_forced,
                reminders: row.cycle_reminders.unsigned_abs(),
                clock: row.clock,
                paused_until: row.paused_until,
                has_active_contact: row.has_active_contact,
                notifies_all: row.notifies_all,
            };
            let settings = ReminderSettings {
                is_automatic: row.is_automatic,
                frequency: row.frequency.unsigned_abs(),
                quota: row.quota.unsigned_abs(),
            };
            Ok((ActionId(row.id), (state, settings)))
        })
        .collect()
}
