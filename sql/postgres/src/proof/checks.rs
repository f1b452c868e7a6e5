//! Captures that look whether the ads of an advertiser who agreed are gone.

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use vocabulary::{ActionId, Device, Scope, SlotId, SystemScope, TermId};

use crate::scoped::ScopeLists;
use crate::stored::parse;
use crate::term_dues::DueSlot;
use crate::{Connection, Result};

/// Days after an acceptance on which it is checked.
pub const DAYS: [i32; 5] = [1, 3, 7, 14, 30];

/// Terms of a case that are searched for a check: those it was seen on last.
const MOST_TERMS: i64 = 3;
/// Hours after which a check that was not made is dropped.
const CAUGHT_UP_HOURS: f64 = 168.0;
/// Hours for which a check waits for a capture of the grid, unless it is late by as many already.
const NEAR_HOURS: f64 = 24.0;

/// A check that is due.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DueCheck {
    /// The accepted case.
    pub action: ActionId,
    /// When it was accepted.
    pub accepted: DateTime<Utc>,
    /// Which of [`DAYS`]: the latest that is due.
    pub day: i32,
    /// Runs of the grids of its terms since then, done or under way.
    pub captured: Vec<SlotId>,
    /// Grids of its terms without any.
    pub missing: Vec<(TermId, Device)>,
}

/// Up to `limit` checks of accepted cases that are due at `now` and not made, the longest due first. One whose grids are captured soon anyhow is left
/// out until they were.
pub async fn due(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    now: DateTime<Utc>,
    limit: i64,
) -> Result<Vec<DueCheck>> {
    let rows = sqlx::query!(
        r#"with due as (
               select a.id, a.accepted_date as accepted, max(d.day) as day, a.accepted_date + max(d.day) * interval '1 day' as due_at
               from action a cross join unnest($2::int[]) as d (day)
               where a.status = 'accepted' and a.accepted_date + d.day * interval '1 day' <= $1
                   and a.accepted_date + d.day * interval '1 day' > $1 - $4 * interval '1 hour'
                   and not exists (select from acceptance_check k
                       where k.action_id = a.id and k.accepted_at = a.accepted_date and k.day >= d.day)
               group by a.id
           ), grid as (
               select due.id, g.term_id, g.device, g.next_slot, (
                   select s.id from slot s
                   where s.term_id = g.term_id and s.device = g.device and s.slot_ts >= due.due_at and s.slot_ts <= $1
                       and (s.state = 'verified' or s.settled_at is null)
                   order by s.slot_ts limit 1
               ) as slot_id
               from due
                   cross join lateral (
                       select x.term_id from action_term x where x.action_id = due.id order by x.last_seen desc, x.term_id limit $3
                   ) seen
                   join term_due g on g.term_id = seen.term_id
           )
           select due.id, due.accepted as "accepted!", due.day as "day!",
               array_remove(array_agg(grid.slot_id order by grid.term_id, grid.device), null) as "captured!: Vec<i64>",
               coalesce(array_agg(grid.term_id order by grid.term_id, grid.device) filter (where grid.term_id is not null and grid.slot_id is null), '{}')
                   as "terms!: Vec<i32>",
               coalesce(array_agg(grid.device::text order by grid.term_id, grid.device) filter (where grid.term_id is not null and grid.slot_id is null),
                   '{}') as "devices!: Vec<String>"
           from due left join grid on grid.id = due.id
           group by due.id, due.accepted, due.day, due.due_at
           having due.due_at <= $1 - $5 * interval '1 hour'
               or not coalesce(bool_or(grid.slot_id is null and grid.next_slot <= $1 + $5 * interval '1 hour'), false)
           order by due.due_at, due.id limit $6"#,
        now,
        &DAYS[..],
        MOST_TERMS,
        CAUGHT_UP_HOURS,
        NEAR_HOURS,
        limit
    )
    .fetch_all(executor)
    .await?;
    rows.into_iter()
        .map(|row| {
            let missing = row.terms.into_iter().zip(row.devices);
            let missing: Result<Vec<_>> = missing
                .map(|(term, device)| Ok((TermId(term), parse("term_due.device", &device)?)))
                .collect();
            Ok(DueCheck {
                action: ActionId(row.id),
                accepted: row.accepted,
                day: row.day,
                captured: row.captured.into_iter().map(SlotId).collect(),
                missing: missing?,
            })
        })
        .collect()
}

/// How many captures were planned for checks since an instant.
pub async fn planned_since(executor: impl PgExecutor<'_>, _system: &SystemScope, since: DateTime<Utc>) -> Result<u64> {
    let planned = sqlx::query_scalar!(
        r#"select count(*) as "count!" from acceptance_check k join acceptance_check_slot s on s.check_id = k.id
           where k.planned_at > $1 and s.is_extra"#,
        since
    );
    Ok(planned.fetch_one(executor).await?.unsigned_abs())
}

/// Records a check as made at `now`, and writes a slot due then for each grid that it misses; the caller enqueues their jobs in the same transaction.
/// A check that is recorded already changes nothing.
pub async fn make(
    connection: &mut Connection,
    _system: &SystemScope,
    check: &DueCheck,
    now: DateTime<Utc>,
) -> Result<Vec<DueSlot>> {
    let recorded = sqlx::query_scalar!(
        "insert into acceptance_check (action_id, accepted_at, day, planned_at) values ($1, $2, $3, $4)
         on conflict (action_id, accepted_at, day) do nothing returning id",
        check.action.0,
        check.accepted,
        check.day,
        now
    )
    .fetch_optional(&mut *connection)
    .await?;
    let Some(recorded) = recorded else {
        return Ok(Vec::new());
    };
    let terms: Vec<i32> = check.missing.iter().map(|(term, _)| term.0).collect();
    let devices: Vec<String> = check.missing.iter().map(|(_, device)| device.to_string()).collect();
    let captured: Vec<i64> = check.captured.iter().map(|slot| slot.0).collect();
    let queued = sqlx::query_scalar!(
        r#"with grid as (
               select term, device, date_trunc('milliseconds', $4::timestamptz) as at from unnest($2::int[], $3::text[]) as grid (term, device)
           ), queued as (
               insert into slot (term_id, device, slot_ts, run_at) select term, device::device, at, $4 from grid
               on conflict (term_id, device, slot_ts) do nothing
               returning id
           ), noted as (
               insert into acceptance_check_slot (check_id, slot_id, is_extra)
               select $1::bigint, id, true from queued
               union all
               select $1::bigint, id, false from unnest($5::bigint[]) as captured (id)
               union all
               -- Planned for the check of another case.
               select $1::bigint, s.id, false from grid join slot s on s.term_id = grid.term and s.device = grid.device::device and s.slot_ts = grid.at
           )
           select id as "id!" from queued order by id"#,
        recorded,
        &terms,
        &devices,
        now,
        &captured
    )
    .fetch_all(connection)
    .await?;
    let queued = queued.into_iter().map(|id| DueSlot {
        id: SlotId(id),
        attempt: 0,
    });
    Ok(queued.collect())
}

/// A check that was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MadeCheck {
    /// When the advertiser had agreed.
    pub accepted: DateTime<Utc>,
    /// Days after that.
    pub day: i32,
    /// When its captures were planned.
    pub planned: DateTime<Utc>,
    /// Captures in addition to the grids.
    pub extra: u32,
    /// Of all its captures, those with a page.
    pub valid: u32,
    /// Those that are not over.
    pub waiting: u32,
    /// Those without a page.
    pub failed: u32,
}

/// The checks of an action, of all its acceptances, in their order; none for an action that the scope does not see. Captures that retention has
/// forgotten count as nothing.
pub async fn of_action(executor: impl PgExecutor<'_>, scope: &Scope, action: ActionId) -> Result<Vec<MadeCheck>> {
    let bounds = ScopeLists::from_scope(scope);
    let rows = sqlx::query!(
        r#"select k.accepted_at, k.day, k.planned_at, count(*) filter (where x.is_extra) as "extra!",
               count(*) filter (where s.state = 'verified') as "valid!",
               count(*) filter (where s.id is not null and s.settled_at is null) as "waiting!",
               count(*) filter (where s.state in ('failed', 'missed')) as "failed!"
           from acceptance_check k
               join action a on a.id = k.action_id
               left join acceptance_check_slot x on x.check_id = k.id
               left join slot s on s.id = x.slot_id and s.slot_ts >= slots_from(x.slot_id) and s.slot_ts < slots_until(x.slot_id)
           where a.id = $2 and ($1::int[] is null or a.brand_id = any($1))
           group by k.id order by k.accepted_at, k.day"#,
        bounds.brands as Option<Vec<i32>>,
        action.0
    )
    .fetch_all(executor)
    .await?;
    let count = |count: i64| u32::try_from(count).unwrap_or(u32::MAX);
    let checks = rows.into_iter().map(|row| MadeCheck {
        accepted: row.accepted_at,
        day: row.day,
        planned: row.planned_at,
        extra: count(row.extra),
        valid: count(row.valid),
        waiting: count(row.waiting),
        failed: count(row.failed),
    });
    Ok(checks.collect())
}
