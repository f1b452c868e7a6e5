//! Digest alerts (decision D146): queueing those that are due. What their mails say is in `outreach`.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use postgres::Pool;
use postgres::alerts::{self, DueAlert};
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;
use vocabulary::{AlertSchedule, SystemScope};

use crate::context::WorkerContext;

const CHECK_INTERVAL: Duration = Duration::from_mins(1);
/// Alerts of one transaction.
const AT_ONCE: i64 = 100;
/// What the first digest of an alert reports.
const FIRST_PERIOD: TimeDelta = TimeDelta::days(7);

const SCOPE: SystemScope = SystemScope::new("sending digest alerts");

/// Queues the mails of the alerts that are due, every [`CHECK_INTERVAL`] until `shutdown`. A pass that fails is only logged.
pub(crate) async fn run(context: WorkerContext, shutdown: CancellationToken) {
    let mut beat = tokio::time::interval(CHECK_INTERVAL);
    beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return,
            _ = beat.tick() => {}
        }
        let passed = tokio::select! {
            () = shutdown.cancelled() => return,
            passed = pass(&context.postgres, context.housekeeping.time_zone, context.clock.now()) => passed,
        };
        match passed {
            Ok(0) => {}
            Ok(mails) => tracing::info!(mails, "digests of alerts are queued"),
            Err(error) => tracing::warn!(%error, "digests of alerts could not be queued"),
        }
    }
}

/// Queues the mails of the alerts that are due at `now`, and plans those without a time; schedules are on the clock of `zone`. Returns how many mails were
/// queued. Times that were missed are sent once.
pub async fn pass(pool: &Pool, zone: Tz, now: DateTime<Utc>) -> Result<u64, postgres::Error> {
    let mut mails = 0;
    loop {
        let mut tx = postgres::begin(pool).await?;
        let due = alerts::claim(&mut tx, &SCOPE, now, AT_ONCE).await?;
        for alert in &due {
            mails += take(&mut tx, alert, zone, now).await?;
        }
        tx.commit().await.map_err(postgres::Error::from)?;
        if due.is_empty() {
            return Ok(mails);
        }
    }
}

/// Queues or plans a claimed alert, or switches it off when its schedule cannot be read. Returns how many mails were queued.
async fn take(
    connection: &mut postgres::Connection,
    alert: &DueAlert,
    zone: Tz,
    now: DateTime<Utc>,
) -> Result<u64, postgres::Error> {
    let from = alert.last_send.unwrap_or(now - FIRST_PERIOD);
    if alert.is_hook {
        return alerts::queue(connection, &SCOPE, alert, (from, now), None).await;
    }
    let start = alert.start.or(alert.last_send).unwrap_or(now);
    let schedule = AlertSchedule::read(alert.cron.as_deref(), alert.frequency.as_deref(), start);
    match schedule.map(|schedule| schedule.next(&zone, now)) {
        Ok(Some(next)) if alert.next_send.is_none() => {
            alerts::plan(connection, &SCOPE, alert, next).await?;
            Ok(0)
        }
        Ok(next @ Some(_)) => alerts::queue(connection, &SCOPE, alert, (from, now), next).await,
        unusable => {
            tracing::warn!(
                alert = alert.id,
                ?unusable,
                "an alert is switched off: its schedule has no next time"
            );
            alerts::switch_off(connection, &SCOPE, alert, now).await?;
            Ok(0)
        }
    }
}
