//! The chain of evidence: one entry for each reading of a capture, each with a digest over the one before (see migration 0007).

use chrono::NaiveDate;
use serde_json::Value;
use sqlx::PgExecutor;
use vocabulary::{CaptureId, SystemScope};

use crate::captures::Digest;
use crate::stored::digest;
use crate::{Connection, Result};

/// Only one process at a time appends to the chain.
const LOCK: i64 = 0x0076_6967_6965_0007;

/// One link of the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainEntry {
    /// The day it was sealed, in UTC.
    pub day: NaiveDate,
    /// Its position in that day, from 1.
    pub position: i32,
    /// The capture it speaks of.
    pub capture: CaptureId,
    /// SHA-256 over the digest before and the manifest.
    pub digest: Digest,
    /// What it states.
    pub manifest: Value,
}

/// An entry, and whether it is the newest of its capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The entry of the chain.
    pub entry: ChainEntry,
    /// `false` once the page of the capture was read again, which makes a newer entry.
    pub is_newest: bool,
}

/// Takes the lock of the chain until this transaction ends; every process that appends has to hold it. `false`, without waiting, when
/// another transaction has it.
pub async fn lock(connection: &mut Connection) -> Result<bool> {
    let locked = sqlx::query_scalar!(r#"select pg_try_advisory_xact_lock($1) as "locked!""#, LOCK)
        .fetch_one(connection)
        .await?;
    Ok(locked)
}

/// Makes this transaction read-only, with one snapshot for all its queries. Call it before the first query of the transaction.
pub async fn see_one_state(connection: &mut Connection) -> Result<()> {
    sqlx::query!("set transaction isolation level repeatable read, read only")
        .execute(connection)
        .await?;
    Ok(())
}

/// Today in UTC, by the clock of the database.
pub async fn today(executor: impl PgExecutor<'_>) -> Result<NaiveDate> {
    let day = sqlx::query_scalar!(r#"select (now() at time zone 'utc')::date as "day!""#)
        .fetch_one(executor)
        .await?;
    Ok(day)
}

/// Locks and returns up to `limit` captures whose present reading is not sealed, that is, not in the chain yet, oldest first. Waits for captures that
/// another transaction has locked. The returned ones stay locked until this transaction ends.
pub async fn lock_unsealed(executor: impl PgExecutor<'_>, _system: &SystemScope, limit: i64) -> Result<Vec<CaptureId>> {
    let ids = sqlx::query_scalar!(
        "select id from capture where sealed_at is null order by taken_at, id limit $1 for update",
        limit
    )
    .fetch_all(executor)
    .await?;
    Ok(ids.into_iter().map(CaptureId).collect())
}

/// Adds entries at the end of the chain, sets number of entries and last digest of their days, and marks the captures as sealed. The caller holds the
/// [`lock`] and has computed positions and digests; call it in the same transaction.
pub async fn append(connection: &mut Connection, entries: &[ChainEntry]) -> Result<()> {
    let days: Vec<NaiveDate> = entries.iter().map(|entry| entry.day).collect();
    let positions: Vec<i32> = entries.iter().map(|entry| entry.position).collect();
    let captures: Vec<uuid::Uuid> = entries.iter().map(|entry| entry.capture.0).collect();
    let digests: Vec<Vec<u8>> = entries.iter().map(|entry| entry.digest.to_vec()).collect();
    let manifests: Vec<Value> = entries.iter().map(|entry| entry.manifest.clone()).collect();
    sqlx::query!(
        "insert into evidence_entry (day, position, capture_id, digest, manifest)
         select * from unnest($1::date[], $2::int[], $3::uuid[], $4::bytea[], $5::jsonb[])",
        &days,
        &positions,
        &captures,
        &digests,
        &manifests
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query!(
        "insert into evidence_day (day, entries, digest)
         select distinct on (day) * from unnest($1::date[], $2::int[], $3::bytea[]) as entry (day, position, digest)
         order by day, position desc
         on conflict (day) do update set entries = excluded.entries, digest = excluded.digest",
        &days,
        &positions,
        &digests
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query!(
        "update capture set sealed_at = now() from unnest($1::uuid[]) as entry (capture_id)
         where id = capture_id and slot_ts >= captures_from(capture_id) and slot_ts < captures_until(capture_id)",
        &captures
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// A row of `evidence_entry`, before its digest is read.
struct ChainRow {
    day: NaiveDate,
    position: i32,
    capture_id: uuid::Uuid,
    digest: Vec<u8>,
    manifest: Value,
}

impl TryFrom<ChainRow> for ChainEntry {
    type Error = crate::Error;
    /// Reads a stored entry; [`crate::Error::Stored`], with the column, for a digest of another length than 32 bytes.
    fn try_from(row: ChainRow) -> Result<Self> {
        Ok(Self {
            day: row.day,
            position: row.position,
            capture: CaptureId(row.capture_id),
            digest: digest("evidence_entry.digest", &row.digest)?,
            manifest: row.manifest,
        })
    }
}

/// What is kept of a day of the chain for good; the day's entries are dropped with their month.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Day {
    /// The day, in UTC.
    pub day: NaiveDate,
    /// How many entries the day has.
    pub entries: i32,
    /// The digest of the last of them.
    pub digest: Digest,
    /// Whether only this is kept of it.
    pub is_digest_only: bool,
}

/// The days of the chain, ascending, or only `day`, each with its number of entries and its digest. `is_digest_only` says that retention has deleted
/// the entries. Days without entries are absent.
pub async fn days(executor: impl PgExecutor<'_>, _system: &SystemScope, day: Option<NaiveDate>) -> Result<Vec<Day>> {
    let rows = sqlx::query!(
        r#"select day, entries, digest, exists (
               select from month_dropped where parent = 'evidence_entry' and month = date_trunc('month', day)::date
           ) as "is_digest_only!"
           from evidence_day where $1::date is null or day = $1 order by day"#,
        day
    )
    .fetch_all(executor)
    .await?;
    let days = rows.into_iter().map(|row| {
        Ok(Day {
            day: row.day,
            entries: row.entries,
            digest: digest("evidence_day.digest", &row.digest)?,
            is_digest_only: row.is_digest_only,
        })
    });
    days.collect()
}

/// Day, position (the number of entries of that day) and digest of the last entry of the chain or, with `before`, of the last one on an earlier day.
/// `None` when there is no such entry.
pub async fn last_entry(
    executor: impl PgExecutor<'_>,
    before: Option<NaiveDate>,
) -> Result<Option<(NaiveDate, i32, Digest)>> {
    let row = sqlx::query!(
        "select day, entries, digest from evidence_day
         where day < coalesce($1, 'infinity'::date) order by day desc limit 1",
        before
    )
    .fetch_optional(executor)
    .await?;
    row.map(|row| Ok((row.day, row.entries, digest("evidence_day.digest", &row.digest)?)))
        .transpose()
}

/// The first days of the months whose captures were dropped, ascending. Captures missing from these months are no fault.
pub async fn months_without_captures(executor: impl PgExecutor<'_>, _system: &SystemScope) -> Result<Vec<NaiveDate>> {
    Ok(
        sqlx::query_scalar!("select month from month_dropped where parent = 'capture' order by month")
            .fetch_all(executor)
            .await?,
    )
}

/// The newest entry of a capture; `None` when it was never sealed, or its month was dropped. Anyone who knows its id may see a capture, so there is
/// no scope.
pub async fn of_capture(executor: impl PgExecutor<'_>, capture: CaptureId) -> Result<Option<ChainEntry>> {
    let row = sqlx::query_as!(
        ChainRow,
        "select day, position, capture_id, digest, manifest from evidence_entry
         where capture_id = $1 order by day desc, position desc limit 1",
        capture.0
    )
    .fetch_optional(executor)
    .await?;
    row.map(ChainEntry::try_from).transpose()
}

/// The digest that an entry's own digest continues: of the entry before it, on an earlier day if it is the first of its day. `None` for the
/// first entry of the chain.
pub async fn digest_before(executor: impl PgExecutor<'_>, entry: &ChainEntry) -> Result<Option<Digest>> {
    let before = sqlx::query_scalar!(
        r#"select coalesce(
               (select digest from evidence_entry where day = $1 and position = $2 - 1),
               (select digest from evidence_day where day < $1 order by day desc limit 1)
           ) as digest"#,
        entry.day,
        entry.position
    )
    .fetch_one(executor)
    .await?;
    before.map(|bytes| digest("evidence_entry.digest", &bytes)).transpose()
}

/// Up to `limit` entries behind a day and position, in the order of the chain; without them, from its beginning. With `day`, only those of that day.
pub async fn after(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    position: Option<(NaiveDate, i32)>,
    day: Option<NaiveDate>,
    limit: i64,
) -> Result<Vec<Checked>> {
    let (from_day, from_position) = position.unzip();
    let rows = sqlx::query!(
        r#"select day, position, capture_id, digest, manifest,
               not exists (select from evidence_entry later where later.capture_id = entry.capture_id
                   and (later.day, later.position) > (entry.day, entry.position)) as "is_newest!"
           from evidence_entry entry
           where ($1::date is null or (day, position) > ($1, $2::int)) and ($3::date is null or day = $3)
           order by day, position limit $4"#,
        from_day,
        from_position,
        day,
        limit
    )
    .fetch_all(executor)
    .await?;
    let entries = rows.into_iter().map(|row| {
        let stored = ChainRow {
            day: row.day,
            position: row.position,
            capture_id: row.capture_id,
            digest: row.digest,
            manifest: row.manifest,
        };
        Ok(Checked {
            entry: stored.try_into()?,
            is_newest: row.is_newest,
        })
    });
    entries.collect()
}

/// Captures marked as sealed (with `day`, on that UTC day) that have no entry in the chain, oldest first: the entry was removed.
pub async fn without_entry(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    day: Option<NaiveDate>,
) -> Result<Vec<CaptureId>> {
    let ids = sqlx::query_scalar!(
        "select id from capture where sealed_at is not null
             and ($1::date is null or (sealed_at at time zone 'utc')::date = $1)
             and not exists (select from evidence_entry where capture_id = capture.id)
         order by taken_at, id",
        day
    )
    .fetch_all(executor)
    .await?;
    Ok(ids.into_iter().map(CaptureId).collect())
}

/// Whether a capture is marked as sealed, so that its present reading is in the chain of evidence; `None` for an unknown capture.
pub async fn is_sealed(executor: impl PgExecutor<'_>, capture: CaptureId) -> Result<Option<bool>> {
    let sealed = sqlx::query_scalar!(
        r#"select sealed_at is not null as "sealed!" from capture
           where id = $1 and slot_ts >= captures_from($1) and slot_ts < captures_until($1)"#,
        capture.0
    )
    .fetch_optional(executor)
    .await?;
    Ok(sealed)
}
