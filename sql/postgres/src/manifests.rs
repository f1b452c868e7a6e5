//! Manifests: which rows are stored in ClickHouse by one insert, and whether they were read back.
//!
//! A manifest is held by one worker at a time, like a slot. Only its holder may end it.

use std::collections::BTreeMap;
use std::time::Duration;

use chrono::NaiveDate;
use sqlx::PgExecutor;
use vocabulary::{CaptureId, SlotId};

use crate::slots::HeldSlot;
use crate::stored::{interval, parse};
use crate::{Connection, Result};

/// Rows a manifest can hold: the id of a stored ad is its number times this, plus the row.
pub const ROWS_LIMIT: u32 = 8_192;

/// The number of a manifest; in ClickHouse the `batch` of its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ManifestId(pub i64);

impl std::fmt::Display for ManifestId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// A capture to be put into a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ManifestPart {
    /// Its slot, as held.
    pub held: HeldSlot,
    /// Id of the capture.
    pub capture: CaptureId,
    /// Its rows, at least one.
    pub rows: u32,
}

/// A manifest to be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    /// Number of the manifest, which its batch has too.
    pub id: ManifestId,
    /// How often its insert was begun.
    pub epoch: i32,
    /// The rows of all captures.
    pub rows: u32,
    /// The captures and their first rows, in the order they were given; empty for a manifest that was taken over.
    pub captures: Vec<(CaptureId, u32)>,
}

/// State of a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString)]
#[strum(serialize_all = "lowercase")]
pub enum ManifestState {
    /// Its outcome is not known yet.
    Storing,
    /// Its rows were read back.
    Verified,
    /// It was given up; its captures go into others.
    Abandoned,
}

/// Puts captures into a new manifest of `month` (its first day), held by `worker` for the time of `lease`, and marks their slots as storing. Captures
/// whose attempt no longer holds the slot are left out; `None`, and nothing written, when none is left. Rows are numbered in the order of `parts`.
/// Call it in a transaction.
pub async fn open(
    connection: &mut Connection,
    worker: &str,
    lease: Duration,
    month: NaiveDate,
    parts: &[ManifestPart],
) -> Result<Option<Manifest>> {
    let (slots, attempts): (Vec<i64>, Vec<i32>) = parts.iter().map(|part| (part.held.id.0, part.held.attempt)).unzip();
    let held = sqlx::query_scalar!(
        "update slot set state = 'storing'
         from unnest($1::bigint[], $2::int[]) as held (id, attempt)
         where slot.id = held.id and slot_ts >= slots_from(held.id) and slot_ts < slots_until(held.id)
             and slot.attempt = held.attempt and state = 'captured' and lease_until is not null
         returning slot.id",
        &slots,
        &attempts
    )
    .fetch_all(&mut *connection)
    .await?;
    let mut captures = Vec::with_capacity(held.len());
    let (mut first_rows, mut row_counts, mut rows) = (Vec::new(), Vec::new(), 0_u32);
    for part in parts.iter().filter(|part| held.contains(&part.held.id.0)) {
        captures.push((part.capture, rows));
        first_rows.push(rows.cast_signed());
        row_counts.push(part.rows.cast_signed());
        rows += part.rows;
    }
    if captures.is_empty() {
        return Ok(None);
    }
    let id = sqlx::query_scalar!(
        "insert into manifest (month, n_rows, leased_by, lease_until) values ($1, $2, $3, now() + $4) returning id",
        month,
        rows.cast_signed(),
        worker,
        interval(lease)
    )
    .fetch_one(&mut *connection)
    .await?;
    let capture_ids: Vec<uuid::Uuid> = captures.iter().map(|(capture, _)| capture.0).collect();
    sqlx::query!(
        "insert into manifest_capture (manifest_id, capture_id, first_row, n_rows)
         select $1, * from unnest($2::uuid[], $3::int[], $4::int[])",
        id,
        &capture_ids,
        &first_rows,
        &row_counts
    )
    .execute(connection)
    .await?;
    Ok(Some(Manifest {
        id: ManifestId(id),
        epoch: 1,
        rows,
        captures,
    }))
}

/// Counts another insert of a manifest and returns its epoch, which makes the insert's token a new one. `None` when the worker no longer
/// holds the manifest.
pub async fn begin_epoch(executor: impl PgExecutor<'_>, manifest: ManifestId, worker: &str) -> Result<Option<i32>> {
    let epoch = sqlx::query_scalar!(
        "update manifest set epoch = epoch + 1 where id = $1 and leased_by = $2 returning epoch",
        manifest.0,
        worker
    )
    .fetch_optional(executor)
    .await?;
    Ok(epoch)
}

/// Extends the leases of these manifests to `lease` from now. Those that the worker no longer holds are left as they are.
pub async fn renew(
    executor: impl PgExecutor<'_>,
    worker: &str,
    manifests: &[ManifestId],
    lease: Duration,
) -> Result<()> {
    let ids: Vec<i64> = manifests.iter().map(|manifest| manifest.0).collect();
    sqlx::query!(
        "update manifest set lease_until = now() + $3 where id = any($2) and leased_by = $1",
        worker,
        &ids,
        interval(lease)
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// Gives up the lease of a manifest whose outcome is unknown, so that it is taken over and read back. Changes nothing when the worker no
/// longer holds it.
pub async fn release(executor: impl PgExecutor<'_>, manifest: ManifestId, worker: &str) -> Result<()> {
    sqlx::query!(
        "update manifest set leased_by = null, lease_until = null where id = $1 and leased_by = $2",
        manifest.0,
        worker
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// Takes over and returns, in no particular order, up to `limit` manifests in state `storing` that no worker holds any more. Their outcome is unknown
/// and has to be read back; their `captures` are empty, see [`first_rows`].
pub async fn take_over(
    executor: impl PgExecutor<'_>,
    worker: &str,
    lease: Duration,
    limit: i64,
) -> Result<Vec<Manifest>> {
    let rows = sqlx::query!(
        "with lost as (
             select id from manifest where state = 'storing' and coalesce(lease_until, '-infinity') < now()
             order by id limit $3 for update skip locked
         )
         update manifest set leased_by = $1, lease_until = now() + $2 from lost where manifest.id = lost.id
         returning manifest.id, epoch, n_rows",
        worker,
        interval(lease),
        limit
    )
    .fetch_all(executor)
    .await?;
    let taken_over = rows.into_iter().map(|row| Manifest {
        id: ManifestId(row.id),
        epoch: row.epoch,
        rows: row.n_rows.cast_unsigned(),
        captures: Vec::new(),
    });
    Ok(taken_over.collect())
}

/// Ends a manifest as verified, once all its rows were read back. `false`, and nothing changed, when the worker no longer holds it.
pub async fn verify(executor: impl PgExecutor<'_>, manifest: ManifestId, worker: &str) -> Result<bool> {
    let done = sqlx::query!(
        "update manifest set state = 'verified', settled_at = now(), leased_by = null, lease_until = null
         where id = $1 and leased_by = $2",
        manifest.0,
        worker
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Ends a manifest that has no rows in ClickHouse (any more) as abandoned. The slots of its captures become `captured`, even verified ones,
/// so that the captures can go into another manifest. `false`, and nothing changed, when the worker no longer holds it.
pub async fn abandon(connection: &mut Connection, manifest: ManifestId, worker: &str) -> Result<bool> {
    let done = sqlx::query!(
        "update manifest set state = 'abandoned', settled_at = now(), leased_by = null, lease_until = null
         where id = $1 and leased_by = $2",
        manifest.0,
        worker
    )
    .execute(&mut *connection)
    .await?;
    if done.rows_affected() == 0 {
        return Ok(false);
    }
    sqlx::query!(
        "with parts as (delete from manifest_capture where manifest_id = $1 returning capture_id)
         update slot set state = 'captured', settled_at = null from parts, capture
         where capture.id = parts.capture_id
             and capture.slot_ts >= captures_from(parts.capture_id) and capture.slot_ts < captures_until(parts.capture_id)
             and slot.id = capture.slot_id and slot.slot_ts = capture.slot_ts and slot.state in ('storing', 'verified')",
        manifest.0
    )
    .execute(connection)
    .await?;
    Ok(true)
}

/// The number of the first row of each capture of a manifest, keyed by capture. Empty for an unknown or abandoned manifest.
pub async fn first_rows(executor: impl PgExecutor<'_>, manifest: ManifestId) -> Result<BTreeMap<CaptureId, u16>> {
    let rows = sqlx::query!(
        "select capture_id, first_row from manifest_capture where manifest_id = $1",
        manifest.0
    )
    .fetch_all(executor)
    .await?;
    let first_rows = rows.into_iter().map(|row| {
        (
            CaptureId(row.capture_id),
            u16::try_from(row.first_row).unwrap_or(u16::MAX),
        )
    });
    Ok(first_rows.collect())
}

/// The manifest of a slot's capture and its state; `None` without a capture, or while it is in no manifest.
pub async fn of_slot(executor: impl PgExecutor<'_>, slot: SlotId) -> Result<Option<(ManifestId, ManifestState)>> {
    let row = sqlx::query!(
        "select m.id, m.state from capture c
             join manifest_capture mc on mc.capture_id = c.id join manifest m on m.id = mc.manifest_id
         where c.slot_id = $1 and c.slot_ts >= slots_from($1) and c.slot_ts < slots_until($1)",
        slot.0
    )
    .fetch_optional(executor)
    .await?;
    row.map(|row| Ok((ManifestId(row.id), parse("manifest.state", &row.state)?)))
        .transpose()
}

/// How many rows ClickHouse must hold of each capture in a verified manifest, ordered by capture. Captures whose month was dropped, or
/// whose ads were all deleted, are left out.
pub async fn verified_rows(executor: impl PgExecutor<'_>) -> Result<Vec<(CaptureId, u32)>> {
    let rows = sqlx::query!(
        "select mc.capture_id, mc.n_rows from manifest_capture mc join manifest m on m.id = mc.manifest_id
         where m.state = 'verified' and m.rows_gone_at is null and mc.n_rows > 0 order by mc.capture_id"
    )
    .fetch_all(executor)
    .await?;
    let counts = rows
        .into_iter()
        .map(|row| (CaptureId(row.capture_id), row.n_rows.cast_unsigned()));
    Ok(counts.collect())
}

/// The number of the newest manifest; 0 before the first.
pub async fn newest(executor: impl PgExecutor<'_>) -> Result<ManifestId> {
    let id = sqlx::query_scalar!(r#"select coalesce(max(id), 0) as "id!" from manifest"#)
        .fetch_one(executor)
        .await?;
    Ok(ManifestId(id))
}

/// How many rows ClickHouse must hold of each verified manifest numbered from `first` to `last` (both included), ordered by number.
/// Manifests whose month was dropped or that have a correction under way are left out.
pub async fn verified_between(
    executor: impl PgExecutor<'_>,
    first: ManifestId,
    last: ManifestId,
) -> Result<Vec<(ManifestId, u32)>> {
    let rows = sqlx::query!(
        "select id, n_rows from manifest
         where id between $1 and $2 and state = 'verified' and rows_gone_at is null
             and not exists (select from ad_correction where manifest_id = manifest.id and applied_at is null)
         order by id",
        first.0,
        last.0
    )
    .fetch_all(executor)
    .await?;
    let counts = rows
        .into_iter()
        .map(|row| (ManifestId(row.id), row.n_rows.cast_unsigned()));
    Ok(counts.collect())
}

/// The state of each of these manifests, in no particular order. Unknown numbers are left out.
pub async fn states(
    executor: impl PgExecutor<'_>,
    manifests: &[ManifestId],
) -> Result<Vec<(ManifestId, ManifestState)>> {
    let ids: Vec<i64> = manifests.iter().map(|manifest| manifest.0).collect();
    let rows = sqlx::query!("select id, state from manifest where id = any($1)", &ids)
        .fetch_all(executor)
        .await?;
    rows.into_iter()
        .map(|row| Ok((ManifestId(row.id), parse("manifest.state", &row.state)?)))
        .collect()
}

/// Returns verified manifests to the state `storing`, held by no worker, so that they are taken over and read back. Those in another state, or whose
/// month was dropped, stay as they are. Returns how many were reopened.
pub async fn reopen(executor: impl PgExecutor<'_>, manifests: &[ManifestId]) -> Result<u64> {
    let ids: Vec<i64> = manifests.iter().map(|manifest| manifest.0).collect();
    let done = sqlx::query!(
        "update manifest set state = 'storing', settled_at = null
         where id = any($1) and state = 'verified' and rows_gone_at is null",
        &ids
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected())
}

/// Notes for up to `limit` verified manifests of months before `month` that retention dropped their rows. Returns how many; fewer than
/// `limit` means that none is left.
pub async fn mark_rows_gone(executor: impl PgExecutor<'_>, month: NaiveDate, limit: i64) -> Result<u64> {
    let done = sqlx::query!(
        "update manifest set rows_gone_at = now() where id in (
             select id from manifest where month < $1 and rows_gone_at is null and state = 'verified' limit $2
         )",
        month,
        limit
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected())
}

/// Deletes up to `limit` manifests of months before `month` that were abandoned or whose rows are gone, with their corrections. Returns how
/// many.
pub async fn forget_before(executor: impl PgExecutor<'_>, month: NaiveDate, limit: i64) -> Result<u64> {
    let done = sqlx::query!(
        "with over as (
             select id from manifest
             where month < $1 and (state = 'abandoned' or rows_gone_at is not null)
             order by month, id limit $2
         ), parts as (
             delete from manifest_capture where manifest_id in (select id from over)
         ), corrections as (
             delete from ad_correction where manifest_id in (select id from over)
         )
         delete from manifest where id in (select id from over)",
        month,
        limit
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected())
}
