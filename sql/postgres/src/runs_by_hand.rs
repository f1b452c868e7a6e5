//! Runs that somebody asks for outside the grids of terms, and their quota.

use chrono::{DateTime, Utc};
use vocabulary::{Scope, SlotId, TermId, UserId};

use crate::scoped::ScopeLists;
use crate::term_dues::DueSlot;
use crate::{Connection, Result};

/// The first key of the lock that a user's requests wait for: the quota counts before it writes.
const LOCK: i32 = 0x7275_6e73;

/// What came of a request to run terms now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunRequest {
    /// Slots were written as queued; the caller enqueues their jobs in the same transaction.
    Queued(QueuedRuns),
    /// It asks for more than the quota has left; nothing was written.
    OverQuota {
        /// Runs asked for.
        asked: u64,
        /// Runs that the quota has left.
        left: u64,
    },
}

/// The runs of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueuedRuns {
    /// The database's time, which is the time of the slots.
    pub at: DateTime<Utc>,
    /// The slots, one a term and device.
    pub due: Vec<DueSlot>,
    /// Grids that have a run waiting or under way and get no other.
    pub under_way: u64,
    /// Terms that have no grid: they are paused, or lack words, an engine or a place.
    pub not_captured: u64,
}

/// Writes a slot due now for every grid of the visible terms among `terms` that has no run waiting or under way. A user gets at most `quota` of them
/// in an hour; a request for more writes none. Call it in a transaction: it locks the user's other requests out until the end.
pub async fn request(
    connection: &mut Connection,
    scope: &Scope,
    user: UserId,
    terms: &[TermId],
    quota: u64,
) -> Result<RunRequest> {
    let bounds = ScopeLists::from_scope(scope);
    let ids: Vec<i32> = terms.iter().map(|term| term.0).collect();
    sqlx::query!("select pg_advisory_xact_lock($1, $2)", LOCK, user.0)
        .fetch_one(&mut *connection)
        .await?;
    let found = sqlx::query!(
        r#"with visible as (
               select t.id from term t
               where t.id = any($3) and ($1::int[] is null or t.brand_id = any($1) or t.id = any($2))
           ), grid as (
               select d.term_id, d.device, exists (
                   select from slot s where s.term_id = d.term_id and s.device = d.device and s.settled_at is null
                       and s.slot_ts > now() - interval '2 days'
               ) as is_under_way
               from term_due d join visible on visible.id = d.term_id
               order by d.term_id, d.device
           ), quota as (
               select count(*) as used from run_by_hand where user_id = $4 and asked_at > now() - interval '1 hour'
           )
           select now() as "at!", quota.used as "used!",
               (select count(*) from grid where is_under_way) as "under_way!",
               (select count(*) from visible where not exists (select from grid where grid.term_id = visible.id)) as "not_captured!",
               array(select term_id from grid where not is_under_way) as "terms!: Vec<i32>",
               array(select device::text from grid where not is_under_way) as "devices!: Vec<String>"
           from quota"#,
        bounds.brands as Option<Vec<i32>>,
        bounds.terms as Option<Vec<i32>>,
        &ids,
        user.0
    )
    .fetch_one(&mut *connection)
    .await?;
    let asked = u64::try_from(found.terms.len()).unwrap_or(u64::MAX);
    let left = quota.saturating_sub(found.used.unsigned_abs());
    if asked > left {
        return Ok(RunRequest::OverQuota { asked, left });
    }
    let due = sqlx::query_scalar!(
        r#"with queued as (
               insert into slot (term_id, device, slot_ts)
               select grid.term_id, grid.device, date_trunc('milliseconds', now())
               from unnest($1::int[], $2::text[]) as grid (term_id, device)
               on conflict (term_id, device, slot_ts) do nothing
               returning id
           ), forgotten as (
               delete from run_by_hand where user_id = $3 and asked_at <= now() - interval '1 hour'
           ), noted as (
               insert into run_by_hand (slot_id, user_id) select id, $3 from queued
           )
           select id as "id!" from queued order by id"#,
        &found.terms,
        &found.devices,
        user.0
    )
    .fetch_all(connection)
    .await?;
    Ok(RunRequest::Queued(QueuedRuns {
        at: found.at,
        due: due
            .into_iter()
            .map(|id| DueSlot {
                id: SlotId(id),
                attempt: 0,
            })
            .collect(),
        under_way: found.under_way.unsigned_abs(),
        not_captured: found.not_captured.unsigned_abs(),
    }))
}
