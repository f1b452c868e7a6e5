//! Reading kept pages again: which captures, what changes, and the journal of it.

use std::time::Duration;

use chrono::{DateTime, NaiveDate, Utc};
use serde_json::Value;
use sqlx::PgExecutor;
use sqlx::types::Json;
use vocabulary::{CaptureId, Engine, SystemScope, TermId};

use crate::captures::{self, PageReading};
use crate::manifests::ManifestId;
use crate::{Connection, Error, Pool, Result, Tx};

/// Held in shared mode while rows are inserted into ClickHouse, and exclusively while stored rows are replaced or corrected.
const LOCK: i64 = 0x0076_6967_6965_0008;

/// Begins a transaction that holds a lock while work goes on elsewhere. It is exempt from the pool's limit on idle transactions, which
/// would release the lock in the middle of the work.
async fn begin_to_hold(pool: &Pool) -> Result<Tx> {
    let mut tx = crate::begin(pool).await?;
    sqlx::query("set local idle_in_transaction_session_timeout = 0")
        .execute(&mut *tx)
        .await?;
    Ok(tx)
}

/// Waits until no stored rows are being replaced or corrected, and prevents it until the returned transaction ends. Several callers may hold this at
/// once, such as those that insert rows. An error if it takes longer than the statement timeout.
pub async fn keep_rows_in_place(pool: &Pool) -> Result<Tx> {
    let mut tx = begin_to_hold(pool).await?;
    sqlx::query!(
        r#"select 1 as "locked!" from (select pg_advisory_xact_lock_shared($1)) as held"#,
        LOCK
    )
    .fetch_one(&mut *tx)
    .await?;
    Ok(tx)
}

/// Waits until nothing stores, replaces or corrects rows, and prevents it until the returned transaction ends. One caller holds this at a time. An
/// error if it takes longer than the statement timeout.
pub async fn stop_storing(pool: &Pool) -> Result<Tx> {
    let mut tx = begin_to_hold(pool).await?;
    sqlx::query!(
        r#"select 1 as "locked!" from (select pg_advisory_xact_lock($1)) as held"#,
        LOCK
    )
    .fetch_one(&mut *tx)
    .await?;
    Ok(tx)
}

/// Like [`stop_storing`], for callers that cannot wait until a whole month is replaced: `None` when the lock was not free within
/// `patience`.
pub async fn stop_storing_within(pool: &Pool, patience: Duration) -> Result<Option<Tx>> {
    let mut tx = begin_to_hold(pool).await?;
    sqlx::query("select set_config('lock_timeout', $1, true)")
        .bind(format!("{}ms", patience.as_millis()))
        .execute(&mut *tx)
        .await?;
    let locked = sqlx::query!(
        r#"select 1 as "locked!" from (select pg_advisory_xact_lock($1)) as held"#,
        LOCK
    )
    .fetch_one(&mut *tx)
    .await
    .map_err(Error::from);
    match locked {
        Ok(_) => Ok(Some(tx)),
        Err(error) if error.lock_not_had() => Ok(None),
        Err(error) => Err(error),
    }
}

/// Which captures are read again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RereadQuery {
    /// Taken at or after.
    pub since: DateTime<Utc>,
    /// Of this term alone.
    pub term: Option<TermId>,
    /// Of this engine alone.
    pub engine: Option<Engine>,
}

/// A capture whose page is kept and whose rows, if it has any, are stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettledCapture {
    /// Id of the capture.
    pub capture: CaptureId,
    /// The manifest with its rows; `None` when it has none.
    pub manifest: Option<ManifestId>,
}

/// Up to `limit` captures to be read again, with ids greater than `after`, ordered by id. Captures whose page is gone, whose slot is not
/// verified yet, or that have a corrected ad are left out: a correction by hand takes precedence over any reading.
pub async fn settled(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    query: &RereadQuery,
    after: Option<CaptureId>,
    limit: i64,
) -> Result<Vec<SettledCapture>> {
    let rows = sqlx::query!(
        r#"select c.id, m.id as "manifest?" from capture c
               left join manifest_capture mc on mc.capture_id = c.id
               left join manifest m on m.id = mc.manifest_id
               left join slot s on s.id = c.slot_id and s.slot_ts = c.slot_ts
           where c.taken_at >= $1 and ($2::int is null or c.term_id = $2) and ($3::text is null or c.engine = $3)
               and ($4::uuid is null or c.id > $4) and c.files_gone_at is null
               and (s.id is null or s.state = 'verified')
               and case when c.n_rows > 0 then m.state = 'verified' else m.id is null end
               and not exists (select from ad_correction a where a.capture_id = c.id and a.manifest_id = m.id)
           order by c.id limit $5"#,
        query.since,
        query.term.map(|term| term.0),
        query.engine.map(|engine| engine.to_string()),
        after.map(|capture| capture.0),
        limit
    )
    .fetch_all(executor)
    .await?;
    let settled = rows.into_iter().map(|row| SettledCapture {
        capture: CaptureId(row.id),
        manifest: row.manifest.map(ManifestId),
    });
    Ok(settled.collect())
}

/// The ids of those captures that are still in the same manifest, verified or none, and have no corrected ad. The order is not defined.
pub async fn unmoved(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    captures: &[SettledCapture],
) -> Result<Vec<CaptureId>> {
    let (ids, manifests): (Vec<uuid::Uuid>, Vec<Option<i64>>) = captures
        .iter()
        .map(|settled| (settled.capture.0, settled.manifest.map(|manifest| manifest.0)))
        .unzip();
    let ids = sqlx::query_scalar!(
        r#"select given.capture as "capture!" from unnest($1::uuid[], $2::bigint[]) as given (capture, manifest)
               left join manifest_capture mc on mc.capture_id = given.capture
               left join manifest m on m.id = mc.manifest_id
           where mc.manifest_id is not distinct from given.manifest and (m.id is null or m.state = 'verified')
               and not exists (
                   select from ad_correction a where a.capture_id = given.capture and a.manifest_id = given.manifest
               )"#,
        &ids,
        &manifests as &[Option<i64>]
    )
    .fetch_all(executor)
    .await?;
    Ok(ids.into_iter().map(CaptureId).collect())
}

/// Replaces the reading of a capture by one with the same rows, and marks the capture as not sealed, so that the new reading gets an entry in the
/// chain of evidence.
pub async fn renew(executor: impl PgExecutor<'_>, capture: CaptureId, reading: &PageReading) -> Result<()> {
    captures::change_reading(executor, capture, reading, false).await
}

/// `count` numbers for new manifests, ascending, which no other caller gets.
pub async fn reserve_manifests(executor: impl PgExecutor<'_>, count: usize) -> Result<Vec<ManifestId>> {
    let ids = sqlx::query_scalar!(
        r#"select nextval(pg_get_serial_sequence('manifest', 'id')) as "id!" from generate_series(1, $1::bigint)"#,
        i64::try_from(count).unwrap_or(i64::MAX)
    )
    .fetch_all(executor)
    .await?;
    Ok(ids.into_iter().map(ManifestId).collect())
}

/// What reading a page again changes.
#[derive(Clone, Debug, PartialEq)]
pub struct RereadChange {
    /// Id of the capture.
    pub capture: CaptureId,
    /// The reader that had read it.
    pub old_reader_version: String,
    /// What its row becomes.
    pub reading: PageReading,
    /// Ads that were not stored.
    pub gained: Vec<Value>,
    /// Ads that were stored and are no longer read.
    pub lost: Vec<Value>,
    /// Ads that were stored differently.
    pub changed: Vec<Value>,
    /// The manifest of its new rows, and how many there are; `None` where none is left.
    pub manifest: Option<(ManifestId, u32)>,
}

/// Journals changes that are about to be carried out in ClickHouse. Call it in a transaction.
pub async fn begin(connection: &mut Connection, changes: &[RereadChange]) -> Result<()> {
    for change in changes {
        sqlx::query!(
            "insert into reread_journal (capture_id, old_reader_version, new_reader_version, gained, lost, changed, reading,
                 manifest_id, n_rows)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
            change.capture.0,
            change.old_reader_version,
            change.reading.reader_version,
            Json(&change.gained) as _,
            Json(&change.lost) as _,
            Json(&change.changed) as _,
            Json(&change.reading) as _,
            change.manifest.map(|(manifest, _)| manifest.0),
            change.manifest.map_or(0, |(_, rows)| rows.cast_signed())
        )
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}

/// A journaled change of a capture's reading that is not completed yet.
#[derive(Clone, Debug, PartialEq)]
pub struct Open {
    /// Its number in the journal.
    pub id: i64,
    /// Id of the capture.
    pub capture: CaptureId,
    /// When its page was received: the time of its rows, and so their month.
    pub seen_at: DateTime<Utc>,
    /// What its row becomes.
    pub reading: PageReading,
    /// The manifest with its present rows.
    pub old_manifest: Option<ManifestId>,
    /// The manifest of its new rows, and how many there are.
    pub manifest: Option<(ManifestId, u32)>,
}

/// The changes that are begun and not applied, in the order of their numbers. Those of captures whose month was dropped are left out.
pub async fn open(executor: impl PgExecutor<'_>, _system: &SystemScope) -> Result<Vec<Open>> {
    let rows = sqlx::query!(
        r#"select j.id, j.capture_id, c.taken_at, j.reading as "reading: Json<PageReading>", mc.manifest_id as "old_manifest?",
               j.manifest_id, j.n_rows
           from reread_journal j join capture c on c.id = j.capture_id
                   and c.slot_ts >= captures_from(j.capture_id) and c.slot_ts < captures_until(j.capture_id)
               left join manifest_capture mc on mc.capture_id = c.id
           where j.applied_at is null order by j.id"#
    )
    .fetch_all(executor)
    .await?;
    let open = rows.into_iter().map(|row| Open {
        id: row.id,
        capture: CaptureId(row.capture_id),
        seen_at: row.taken_at,
        reading: row.reading.0,
        old_manifest: row.old_manifest.map(ManifestId),
        manifest: row.manifest_id.map(|id| (ManifestId(id), row.n_rows.cast_unsigned())),
    });
    Ok(open.collect())
}

/// Deletes changes that never reached ClickHouse from the journal; applied ones stay.
pub async fn forget(executor: impl PgExecutor<'_>, changes: &[Open]) -> Result<()> {
    let ids: Vec<i64> = changes.iter().map(|change| change.id).collect();
    sqlx::query!(
        "delete from reread_journal where id = any($1) and applied_at is null",
        &ids
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// Deletes from the journal the changes that were applied before `day` (UTC).
pub async fn forget_before(executor: impl PgExecutor<'_>, _system: &SystemScope, day: NaiveDate) -> Result<()> {
    sqlx::query!(
        "delete from reread_journal where applied_at < $1::date::timestamp at time zone 'UTC'",
        day
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// Completes changes whose rows are in ClickHouse: captures get their new readings, leave their old manifests and enter the new ones, which are made
/// here as verified. Call it in a transaction.
pub async fn apply(connection: &mut Connection, changes: &[Open]) -> Result<()> {
    for change in changes {
        captures::change_reading(&mut *connection, change.capture, &change.reading, false).await?;
        take_out_of_manifest(&mut *connection, change.capture).await?;
    }
    put_into_manifests(&mut *connection, changes).await?;
    let ids: Vec<i64> = changes.iter().map(|change| change.id).collect();
    sqlx::query!("update reread_journal set applied_at = now() where id = any($1)", &ids)
        .execute(connection)
        .await?;
    Ok(())
}

/// Takes a capture and its rows out of its manifest, which is abandoned when no capture is left in it. Changes nothing for a capture in
/// none.
async fn take_out_of_manifest(connection: &mut Connection, capture: CaptureId) -> Result<()> {
    sqlx::query!(
        "with part as (delete from manifest_capture where capture_id = $1 returning manifest_id, n_rows)
         update manifest set
             n_rows = manifest.n_rows - part.n_rows,
             state = case when exists (
                 select from manifest_capture mc where mc.manifest_id = manifest.id and mc.capture_id <> $1
             ) then state else 'abandoned' end
         from part where manifest.id = part.manifest_id",
        capture.0
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Makes the new manifests of these changes, verified and in the month (UTC) of the first of their captures, and numbers the captures' rows
/// in the order of the changes. Changes without a manifest are skipped.
async fn put_into_manifests(connection: &mut Connection, changes: &[Open]) -> Result<()> {
    let mut first_rows = std::collections::BTreeMap::<i64, (NaiveDate, u32)>::new();
    let mut parts = Vec::new();
    for change in changes {
        let Some((manifest, rows)) = change.manifest else {
            continue;
        };
        let month = change.seen_at.date_naive();
        let (_, next) = first_rows.entry(manifest.0).or_insert((month, 0));
        parts.push((manifest.0, change.capture.0, *next, rows));
        *next += rows;
    }
    for (manifest, (month, rows)) in &first_rows {
        sqlx::query!(
            "insert into manifest (id, month, n_rows, state, settled_at) overriding system value
             values ($1, date_trunc('month', $2::date)::date, $3, 'verified', now())",
            manifest,
            month,
            rows.cast_signed()
        )
        .execute(&mut *connection)
        .await?;
    }
    for (manifest, capture, first_row, rows) in parts {
        sqlx::query!(
            "insert into manifest_capture (manifest_id, capture_id, first_row, n_rows) values ($1, $2, $3, $4)",
            manifest,
            capture,
            first_row.cast_signed(),
            rows.cast_signed()
        )
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}
