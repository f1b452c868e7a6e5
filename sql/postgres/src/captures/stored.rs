//! Captures as they are stored, and the ways to find them.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use sqlx::types::Json;
use vocabulary::{BrandId, CaptureId, Device, LocalizationId, SlotId, SystemScope, TermId};

use super::{Capture, Headers, PageReading};
use crate::manifests::ManifestId;
use crate::stored::{digest, digest_some, parse};
use crate::{Error, Result};

/// A row of `capture`, before its texts are read.
struct CaptureRow {
    id: uuid::Uuid,
    attempt: i32,
    term_id: Option<i32>,
    brand_id: Option<i32>,
    localization_id: Option<i32>,
    term: String,
    brand: Option<String>,
    keyword_type: String,
    engine: String,
    device: String,
    locale: String,
    city: Option<String>,
    region: Option<String>,
    slot_ts: DateTime<Utc>,
    taken_at: DateTime<Utc>,
    final_url: String,
    http_status: Option<i16>,
    headers: Json<Headers>,
    page_sha256: Vec<u8>,
    page_bytes: Option<i32>,
    screenshot_sha256: Option<Vec<u8>>,
    files_gone_at: Option<DateTime<Utc>>,
    verdict: String,
    doubt: Option<String>,
    reader_version: String,
    generation: Option<String>,
    text_ads: i32,
    shopping_ads: i32,
    other_units: Json<BTreeMap<String, u16>>,
    view_sha256: Vec<u8>,
    view_bytes: Option<i32>,
    saves_text_ads: bool,
    saves_shopping_ads: bool,
    organic_results: Option<i32>,
}

impl TryFrom<CaptureRow> for Capture {
    type Error = Error;
    /// Reads a stored capture; [`Error::Stored`], with the column, for a text or digest that this version cannot read.
    fn try_from(row: CaptureRow) -> Result<Self> {
        Ok(Self {
            id: CaptureId(row.id),
            attempt: row.attempt,
            term_id: row.term_id.map(TermId),
            brand_id: row.brand_id.map(BrandId),
            localization_id: row.localization_id.map(LocalizationId),
            term: row.term,
            brand: row.brand,
            keyword_type: parse("capture.keyword_type", &row.keyword_type)?,
            engine: parse("capture.engine", &row.engine)?,
            device: parse("capture.device", &row.device)?,
            locale: parse("capture.locale", &row.locale)?,
            city: row.city,
            region: row.region,
            slot_time: row.slot_ts,
            taken_at: row.taken_at,
            final_url: row.final_url,
            http_status: row.http_status.map(i16::cast_unsigned),
            headers: row.headers.0,
            page: digest("capture.page_sha256", &row.page_sha256)?,
            page_bytes: row.page_bytes.map(i32::cast_unsigned),
            screenshot: digest_some("capture.screenshot_sha256", row.screenshot_sha256.as_deref())?,
            files_gone_at: row.files_gone_at,
            reading: PageReading {
                verdict: parse("capture.verdict", &row.verdict)?,
                doubt: row.doubt,
                reader_version: row.reader_version,
                generation: row.generation,
                text_ads: row.text_ads.cast_unsigned(),
                shopping_ads: row.shopping_ads.cast_unsigned(),
                other_units: row.other_units.0,
                view: digest("capture.view_sha256", &row.view_sha256)?,
                view_bytes: row.view_bytes.map(i32::cast_unsigned),
            },
            saves_text_ads: row.saves_text_ads,
            saves_shopping_ads: row.saves_shopping_ads,
            organic_results: row.organic_results.map(i32::cast_unsigned),
        })
    }
}

/// The capture with this id; `None` when there is none. Anyone who knows its id may see a capture, so there is no scope.
pub async fn by_id(executor: impl PgExecutor<'_>, capture: CaptureId) -> Result<Option<Capture>> {
    let row = sqlx::query_file_as!(CaptureRow, "queries/capture_by_id.sql", capture.0)
        .fetch_optional(executor)
        .await?;
    row.map(Capture::try_from).transpose()
}

/// The capture of a slot; `None` for a slot that has stored none.
pub async fn of_slot(executor: impl PgExecutor<'_>, _system: &SystemScope, slot: SlotId) -> Result<Option<Capture>> {
    let row = sqlx::query_file_as!(CaptureRow, "queries/capture_of_slot.sql", slot.0)
        .fetch_optional(executor)
        .await?;
    row.map(Capture::try_from).transpose()
}

/// The captures of a manifest, in the order of their rows.
pub async fn of_manifest(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    manifest: ManifestId,
) -> Result<Vec<Capture>> {
    let rows = sqlx::query_file_as!(CaptureRow, "queries/captures_of_manifest.sql", manifest.0)
        .fetch_all(executor)
        .await?;
    rows.into_iter().map(Capture::try_from).collect()
}

/// When the last capture with organic results of a term on a device was taken; `None` when there is none (decision D154).
pub async fn last_organic_at(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    term: TermId,
    device: Device,
) -> Result<Option<DateTime<Utc>>> {
    let at = sqlx::query_scalar!(
        "select max(taken_at) from capture where term_id = $1 and device = $2::text and organic_results is not null",
        term.0,
        device.to_string()
    )
    .fetch_one(executor)
    .await?;
    Ok(at)
}

/// The two times of a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// Id of the capture.
    pub capture: CaptureId,
    /// When it was due.
    pub slot_time: DateTime<Utc>,
    /// When its page was received.
    pub taken_at: DateTime<Utc>,
}

/// When these captures were due and received, in no particular order. Unknown captures are left out.
pub async fn times(executor: impl PgExecutor<'_>, _system: &SystemScope, captures: &[CaptureId]) -> Result<Vec<Times>> {
    let ids: Vec<uuid::Uuid> = captures.iter().map(|capture| capture.0).collect();
    let rows = sqlx::query!("select id, slot_ts, taken_at from capture where id = any($1)", &ids)
        .fetch_all(executor)
        .await?;
    let times = rows.into_iter().map(|row| Times {
        capture: CaptureId(row.id),
        slot_time: row.slot_ts,
        taken_at: row.taken_at,
    });
    Ok(times.collect())
}
