//! The slot ledger: what became of every due run.
//!
//! A slot is changed only by naming its attempt; a call with an older attempt changes nothing and says so: `false`, `None`, or left out of
//! the list. Times are the database's. `slots_from` and `slots_until` bound the month that an id carries, so that one partition is read.

use std::time::Duration;

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use vocabulary::{CaptureFailure, CaptureId, Device, MissedReason, SlotId, SlotState, TermId};

use crate::stored::{interval, parse};
use crate::{Connection, Result};

/// Leases that may run out before a slot is given up, since its input seems to kill the workers.
pub const LOST_CLAIMS_LIMIT: i32 = 3;

/// A slot and the attempt it is held with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HeldSlot {
    /// Id of the slot.
    pub id: SlotId,
    /// Number of the attempt; each claim raises it.
    pub attempt: i32,
}

/// A slot that a worker has just claimed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The slot and the new attempt.
    pub held: HeldSlot,
    /// The term to be searched.
    pub term: TermId,
    /// On which device.
    pub device: Device,
    /// When it was due.
    pub slot_time: DateTime<Utc>,
    /// The name its capture will have.
    pub capture: CaptureId,
    /// `Capturing`, or `Captured` or `Storing` when an earlier attempt came that far.
    pub state: SlotState,
    /// Attempts that ended in a failure.
    pub failures: i32,
    /// Whether a later slot of the term on this device is in the ledger.
    pub is_superseded: bool,
}

/// The database's time at the beginning of the transaction, by which slots and leases are kept.
pub async fn now(executor: impl PgExecutor<'_>) -> Result<DateTime<Utc>> {
    Ok(sqlx::query_scalar!(r#"select now() as "now!""#)
        .fetch_one(executor)
        .await?)
}

/// A past slot to be added to the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PastSlot {
    /// The term that was searched.
    pub term: TermId,
    /// On which device.
    pub device: Device,
    /// When it was due.
    pub slot_time: DateTime<Utc>,
}

/// Adds past slots whose pages exist already to the ledger, as claimed by `worker` for their first attempt and leased for `lease`, so that
/// they need no job. Returns their claims, in no particular order; slots that are in the ledger are left out and not changed.
pub async fn hold_past(
    executor: impl PgExecutor<'_>,
    slots: &[PastSlot],
    worker: &str,
    lease: Duration,
) -> Result<Vec<Claim>> {
    let terms: Vec<i32> = slots.iter().map(|slot| slot.term.0).collect();
    let devices: Vec<String> = slots.iter().map(|slot| slot.device.to_string()).collect();
    let times: Vec<DateTime<Utc>> = slots.iter().map(|slot| slot.slot_time).collect();
    let rows = sqlx::query!(
        r#"insert into slot (term_id, device, slot_ts, state, attempt, leased_by, lease_until)
           select term, device, at, 'capturing', 1, $4, now() + $5
           from unnest($1::int[], $2::text[], $3::timestamptz[]) as past (term, device, at)
           on conflict (term_id, device, slot_ts) do nothing
           returning id, attempt, term_id, device as "device: String", slot_ts, capture_id"#,
        &terms,
        &devices,
        &times,
        worker,
        interval(lease)
    )
    .fetch_all(executor)
    .await?;
    let claims = rows.into_iter().map(|row| {
        Ok(Claim {
            held: HeldSlot {
                id: SlotId(row.id),
                attempt: row.attempt,
            },
            term: TermId(row.term_id),
            device: parse("slot.device", &row.device)?,
            slot_time: row.slot_ts,
            capture: CaptureId(row.capture_id),
            state: SlotState::Capturing,
            failures: 0,
            is_superseded: false,
        })
    });
    claims.collect()
}

/// Claims the slot of a job for `worker`, leases it for `lease` and raises its attempt; a queued slot is then capturing. `None`, and
/// nothing changed, unless the slot is unsettled, free and at the attempt that the job names: a job delivered twice claims once.
pub async fn claim(
    executor: impl PgExecutor<'_>,
    job: HeldSlot,
    worker: &str,
    lease: Duration,
) -> Result<Option<Claim>> {
    let row = sqlx::query_file!("queries/claim_slot.sql", job.id.0, job.attempt, worker, interval(lease))
        .fetch_optional(executor)
        .await?;
    row.map(|row| {
        Ok(Claim {
            held: HeldSlot {
                id: job.id,
                attempt: row.attempt,
            },
            term: TermId(row.term_id),
            device: parse("slot.device", &row.device)?,
            slot_time: row.slot_ts,
            capture: CaptureId(row.capture_id),
            state: parse("slot.state", &row.state)?,
            failures: row.failures,
            is_superseded: row.is_superseded,
        })
    })
    .transpose()
}

/// Extends the leases of these attempts to `lease` from now, even one that ran out if [`sweep_leases`] has not freed its slot yet. Returns
/// those that still hold their slots; all others were lost.
pub async fn renew(executor: impl PgExecutor<'_>, held: &[HeldSlot], lease: Duration) -> Result<Vec<HeldSlot>> {
    let (ids, attempts) = ids_and_attempts(held);
    let rows = sqlx::query!(
        r#"update slot set lease_until = now() + $3
           from unnest($1::bigint[], $2::int[]) as held (id, attempt)
           where slot.id = held.id and slot_ts >= slots_from(held.id) and slot_ts < slots_until(held.id)
               and slot.attempt = held.attempt and lease_until is not null
           returning slot.id, slot.attempt"#,
        &ids,
        &attempts,
        interval(lease)
    )
    .fetch_all(executor)
    .await?;
    let renewed = rows.into_iter().map(|row| HeldSlot {
        id: SlotId(row.id),
        attempt: row.attempt,
    });
    Ok(renewed.collect())
}

/// Frees a slot without ending the attempt: it goes on at `run_at` from its state, or from `queued` if it was `capturing`. The caller
/// enqueues the job for the same attempt in the same transaction. `false` when the attempt no longer holds the slot.
pub async fn release(executor: impl PgExecutor<'_>, held: HeldSlot, run_at: DateTime<Utc>) -> Result<bool> {
    let done = sqlx::query!(
        "update slot set leased_by = null, lease_until = null, run_at = $3,
             state = case state when 'capturing' then 'queued' else state end
         where id = $1 and slot_ts >= slots_from($1) and slot_ts < slots_until($1) and attempt = $2 and lease_until is not null",
        held.id.0,
        held.attempt,
        run_at
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Ends an attempt by a failure and frees the slot, which is tried again at `run_at`. The caller enqueues the job for the same attempt
/// number in the same transaction. `false` when the attempt no longer holds the slot.
pub async fn retry(
    executor: impl PgExecutor<'_>,
    held: HeldSlot,
    failure: CaptureFailure,
    run_at: DateTime<Utc>,
) -> Result<bool> {
    let done = sqlx::query!(
        "update slot set leased_by = null, lease_until = null, run_at = $4, failures = failures + 1, last_failure = $3,
             state = case state when 'capturing' then 'queued' else state end
         where id = $1 and slot_ts >= slots_from($1) and slot_ts < slots_until($1) and attempt = $2 and lease_until is not null",
        held.id.0,
        held.attempt,
        failure.to_string(),
        run_at
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Ends a slot as failed, for good, and releases its lease. `false`, and nothing changed, when the attempt no longer holds it.
pub async fn fail(executor: impl PgExecutor<'_>, held: HeldSlot, failure: CaptureFailure) -> Result<bool> {
    let done = sqlx::query!(
        "update slot set leased_by = null, lease_until = null, state = 'failed', reason = $3, last_failure = $3,
             failures = failures + 1, settled_at = now()
         where id = $1 and slot_ts >= slots_from($1) and slot_ts < slots_until($1) and attempt = $2 and lease_until is not null",
        held.id.0,
        held.attempt,
        failure.to_string()
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Ends a slot as missed, for good. `false`, and nothing changed, unless the attempt holds it and is still capturing.
pub async fn miss(executor: impl PgExecutor<'_>, held: HeldSlot, reason: MissedReason) -> Result<bool> {
    let done = sqlx::query!(
        "update slot set leased_by = null, lease_until = null, state = 'missed', reason = $3, settled_at = now()
         where id = $1 and slot_ts >= slots_from($1) and slot_ts < slots_until($1) and attempt = $2 and state = 'capturing'",
        held.id.0,
        held.attempt,
        reason.to_string()
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Marks a slot as captured, which means that its page is stored; the caller writes the capture in the same transaction. `false`, and nothing
/// changed, once the attempt is over or another one has taken the slot; a lease that has merely run out does not matter.
pub async fn mark_captured(executor: impl PgExecutor<'_>, held: HeldSlot) -> Result<bool> {
    let done = sqlx::query!(
        "update slot set state = 'captured' where id = $1 and slot_ts >= slots_from($1) and slot_ts < slots_until($1) and attempt = $2 and state = 'capturing'",
        held.id.0,
        held.attempt
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Ends a slot as verified. `false`, and nothing changed, when the attempt no longer holds it or rows of its capture are not in a verified
/// manifest. A capture without rows needs no manifest.
pub async fn verify(executor: impl PgExecutor<'_>, held: HeldSlot) -> Result<bool> {
    verify_as_of(executor, held, None).await
}

/// Like [`verify`], for a slot added by [`hold_past`] that ended at the time `at`.
pub async fn verify_past(executor: impl PgExecutor<'_>, held: HeldSlot, at: DateTime<Utc>) -> Result<bool> {
    verify_as_of(executor, held, Some(at)).await
}

/// Ends a slot as verified at the time `at`, or now. `false`, and nothing changed, for the reasons of [`verify`].
async fn verify_as_of(executor: impl PgExecutor<'_>, held: HeldSlot, at: Option<DateTime<Utc>>) -> Result<bool> {
    let done = sqlx::query!(
        "update slot set leased_by = null, lease_until = null, state = 'verified', settled_at = coalesce($3, now())
         where id = $1 and slot_ts >= slots_from($1) and slot_ts < slots_until($1) and attempt = $2 and state in ('captured', 'storing')
             and not exists (
                 select from capture c left join manifest_capture mc on mc.capture_id = c.id
                     left join manifest m on m.id = mc.manifest_id
                 where c.slot_id = slot.id and c.slot_ts = slot.slot_ts and c.n_rows > 0 and m.state is distinct from 'verified'
             )",
        held.id.0,
        held.attempt,
        at
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// What a call of [`sweep_leases`] freed and gave up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SweepFindings {
    /// Slots whose lease ran out, free again; each needs a job for the attempt named.
    pub requeued: Vec<HeldSlot>,
    /// Slots that lost their claim too often and are given up as poison.
    pub poisoned: Vec<SlotId>,
}

/// Frees up to `limit` slots whose lease ran out, the longest ago first; slots that are locked are passed over. The caller enqueues jobs for
/// those requeued in the same transaction. A slot that has lost its lease [`LOST_CLAIMS_LIMIT`] times fails as poison instead.
pub async fn sweep_leases(connection: &mut Connection, limit: i64) -> Result<SweepFindings> {
    let rows = sqlx::query!(
        r#"with lost as (
               select id, slot_ts from slot where lease_until < now() order by lease_until limit $1 for update skip locked
           )
           update slot set leased_by = null, lease_until = null, lost_claims = lost_claims + 1, run_at = now(),
               state = case
                   when lost_claims + 1 >= $2 then 'failed'
                   when state = 'capturing' then 'queued'
                   else state end,
               reason = case when lost_claims + 1 >= $2 then $3 end,
               settled_at = case when lost_claims + 1 >= $2 then now() end
           from lost where slot.id = lost.id and slot.slot_ts = lost.slot_ts
           returning slot.id, slot.attempt, slot.state = 'failed' as "is_poison!""#,
        limit,
        LOST_CLAIMS_LIMIT,
        CaptureFailure::Poison.to_string()
    )
    .fetch_all(connection)
    .await?;
    let mut swept = SweepFindings::default();
    for row in rows {
        if row.is_poison {
            swept.poisoned.push(SlotId(row.id));
        } else {
            swept.requeued.push(HeldSlot {
                id: SlotId(row.id),
                attempt: row.attempt,
            });
        }
    }
    Ok(swept)
}

/// Locks up to `limit` free and unsettled slots that have been due for longer than `after`, until the transaction ends; returns them, the
/// longest due first: their jobs may be missing. Slots that are locked already are passed over.
pub async fn lock_overdue(connection: &mut Connection, after: Duration, limit: i64) -> Result<Vec<HeldSlot>> {
    let rows = sqlx::query!(
        "select id, attempt from slot
         where lease_until is null and settled_at is null and run_at < now() - $1::interval
         order by run_at limit $2 for update skip locked",
        interval(after),
        limit
    )
    .fetch_all(connection)
    .await?;
    let waiting = rows.into_iter().map(|row| HeldSlot {
        id: SlotId(row.id),
        attempt: row.attempt,
    });
    Ok(waiting.collect())
}

/// For free slots whose job the caller found gone: raises their attempt and makes them due now, so that the old job changes nothing if it
/// turns up after all. Returns the new attempts, for which the caller enqueues jobs in the same transaction. Slots that are no longer free
/// and unsettled at the given attempt are left out.
pub async fn raise_attempts(connection: &mut Connection, slots: &[HeldSlot]) -> Result<Vec<HeldSlot>> {
    let (ids, attempts) = ids_and_attempts(slots);
    let rows = sqlx::query!(
        r#"update slot set attempt = slot.attempt + 1, run_at = now()
           from unnest($1::bigint[], $2::int[]) as held (id, attempt)
           where slot.id = held.id and slot_ts >= slots_from(held.id) and slot_ts < slots_until(held.id)
               and slot.attempt = held.attempt and lease_until is null and settled_at is null
           returning slot.id, slot.attempt"#,
        &ids,
        &attempts
    )
    .fetch_all(connection)
    .await?;
    let renewed = rows.into_iter().map(|row| HeldSlot {
        id: SlotId(row.id),
        attempt: row.attempt,
    });
    Ok(renewed.collect())
}

/// How many unsettled slots are in each state; states without any are absent.
pub async fn unsettled(executor: impl PgExecutor<'_>) -> Result<Vec<(SlotState, i64)>> {
    let rows = sqlx::query!(
        r#"select state, count(*) as "count!" from slot where settled_at is null group by state order by state"#
    )
    .fetch_all(executor)
    .await?;
    rows.into_iter()
        .map(|row| Ok((parse("slot.state", &row.state)?, row.count)))
        .collect()
}

/// How many free slots are due now, and for how many seconds the first of them has been due; 0 of both when there are none.
pub async fn backlog(executor: impl PgExecutor<'_>) -> Result<(i64, f64)> {
    let row = sqlx::query!(
        r#"select count(*) as "due!", coalesce(extract(epoch from now() - min(run_at)), 0)::float8 as "oldest!"
           from slot where lease_until is null and settled_at is null and run_at <= now()"#
    )
    .fetch_one(executor)
    .await?;
    Ok((row.due, row.oldest))
}

/// The ids and the attempts as two lists of the same order, for a statement's parameters.
fn ids_and_attempts(held: &[HeldSlot]) -> (Vec<i64>, Vec<i32>) {
    held.iter().map(|slot| (slot.id.0, slot.attempt)).unzip()
}
