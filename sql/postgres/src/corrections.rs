//! The journal of corrections of stored ads, and their effects on the ledger.

use chrono::{DateTime, NaiveDate, Utc};
use serde_json::Value;
use sqlx::PgExecutor;
use sqlx::types::Json;
use uuid::Uuid;
use vocabulary::{CaptureId, SystemScope};

use crate::manifests::ManifestId;
use crate::{Connection, Result};

/// A change to a stored ad.
#[derive(Clone, Debug, PartialEq)]
pub struct Correction {
    /// The manifest it was stored with; for a made-up ad, a number that no manifest has.
    pub manifest: ManifestId,
    /// Its row there.
    pub row: u16,
    /// The capture that it was seen in.
    pub capture: CaptureId,
    /// When it was seen, as it was stored before.
    pub seen_at: DateTime<Utc>,
    /// The corrected ad; `None` deletes it.
    pub ad: Option<Value>,
}

/// Whether all these manifests are verified and none of them is being dropped by retention. An id without a manifest, such as a made-up ad's, counts
/// as verified.
pub async fn are_settled(executor: impl PgExecutor<'_>, manifests: &[ManifestId]) -> Result<bool> {
    let ids: Vec<i64> = manifests.iter().map(|manifest| manifest.0).collect();
    let unsettled = sqlx::query_scalar!(
        r#"select exists (
               select from manifest where id = any($1) and (state <> 'verified' or rows_gone_at is not null)
           ) as "exists!""#,
        &ids
    )
    .fetch_one(executor)
    .await?;
    Ok(!unsettled)
}

/// Journals corrections that are about to be carried out. One of the same ad that was journaled before is replaced, and is open again. Call it in a
/// transaction.
pub async fn begin(connection: &mut Connection, corrections: &[Correction]) -> Result<()> {
    for correction in corrections {
        sqlx::query!(
            "insert into ad_correction (manifest_id, row_number, capture_id, slot_ts, ad) values ($1, $2, $3, $4, $5)
             on conflict (manifest_id, row_number) do update
                 set slot_ts = excluded.slot_ts, ad = excluded.ad, begun_at = now(), applied_at = null",
            correction.manifest.0,
            i32::from(correction.row),
            correction.capture.0,
            correction.seen_at,
            correction.ad.as_ref().map(Json) as _
        )
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}

/// The corrections that are begun and not applied, ordered by manifest and row. Those of manifests whose rows retention deletes are left
/// out.
pub async fn open(executor: impl PgExecutor<'_>, _system: &SystemScope) -> Result<Vec<Correction>> {
    let rows = sqlx::query_as!(
        CorrectionRow,
        r#"select a.manifest_id, a.row_number, a.capture_id, a.slot_ts, a.ad as "ad: Json<Value>"
           from ad_correction a left join manifest m on m.id = a.manifest_id
           where a.applied_at is null and m.rows_gone_at is null
           order by a.manifest_id, a.row_number"#
    )
    .fetch_all(executor)
    .await?;
    Ok(rows.into_iter().map(Correction::from).collect())
}

/// The corrections of a manifest that are applied, ordered by row; open ones are left out.
pub async fn of_manifest(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    manifest: ManifestId,
) -> Result<Vec<Correction>> {
    let rows = sqlx::query_as!(
        CorrectionRow,
        r#"select manifest_id, row_number, capture_id, slot_ts, ad as "ad: Json<Value>"
           from ad_correction where manifest_id = $1 and applied_at is not null order by row_number"#,
        manifest.0
    )
    .fetch_all(executor)
    .await?;
    Ok(rows.into_iter().map(Correction::from).collect())
}

/// A number for the next attempt to store corrections; no earlier attempt has it.
pub async fn next_try(executor: impl PgExecutor<'_>) -> Result<i64> {
    let number = sqlx::query_scalar!(r#"select nextval('ad_correction_try') as "number!""#)
        .fetch_one(executor)
        .await?;
    Ok(number)
}

/// Marks corrections as applied; call it after ClickHouse has stored them. Subtracts the deleted ads from the row counts of their manifest and of
/// their capture in it, and adds the restored ones. Repeating it changes nothing.
pub async fn apply(executor: impl PgExecutor<'_>, corrections: &[Correction]) -> Result<()> {
    let (manifests, rows): (Vec<i64>, Vec<i32>) = corrections
        .iter()
        .map(|correction| (correction.manifest.0, i32::from(correction.row)))
        .unzip();
    sqlx::query!(
        "with ended as (
             update ad_correction a set applied_at = now(), gone = a.ad is null
             from unnest($1::bigint[], $2::int[]) as done (manifest_id, row_number)
                 join ad_correction was on was.manifest_id = done.manifest_id and was.row_number = done.row_number
             where a.manifest_id = was.manifest_id and a.row_number = was.row_number and a.applied_at is null
             returning a.manifest_id, a.capture_id, (a.ad is null)::int - was.gone::int as lost
         ), parts as (
             update manifest_capture mc set n_rows = mc.n_rows - counted.lost
             from (select manifest_id, capture_id, sum(lost)::int as lost from ended group by 1, 2) as counted
             where mc.manifest_id = counted.manifest_id and mc.capture_id = counted.capture_id and counted.lost <> 0
         )
         update manifest m set n_rows = m.n_rows - counted.lost
         from (select manifest_id, sum(lost)::int as lost from ended group by 1) as counted
         where m.id = counted.manifest_id and counted.lost <> 0",
        &manifests,
        &rows
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// Deletes the corrections, applied or not, of ads seen before `day` (UTC) that changed the ad. Those that deleted an ad stay, since the ledger needs
/// them.
pub async fn forget_before(executor: impl PgExecutor<'_>, day: NaiveDate) -> Result<()> {
    sqlx::query!(
        "delete from ad_correction where ad is not null and slot_ts < $1::date::timestamp at time zone 'UTC'",
        day
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// A row of `ad_correction`, before its JSON is read.
struct CorrectionRow {
    manifest_id: i64,
    row_number: i32,
    capture_id: Uuid,
    slot_ts: DateTime<Utc>,
    ad: Option<Json<Value>>,
}

impl From<CorrectionRow> for Correction {
    /// The correction of a row of a manifest; without an ad it deletes that row. A row number that does not fit becomes `u16::MAX`.
    fn from(row: CorrectionRow) -> Self {
        Self {
            manifest: ManifestId(row.manifest_id),
            row: u16::try_from(row.row_number).unwrap_or(u16::MAX),
            capture: CaptureId(row.capture_id),
            seen_at: row.slot_ts,
            ad: row.ad.map(|ad| ad.0),
        }
    }
}
