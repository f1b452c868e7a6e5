//! Pages of attempts that failed although a page was received.

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use sqlx::types::Json;
use vocabulary::{CaptureFailure, Device, Engine, Locale, SlotId, SystemScope};

use crate::captures::{Digest, Headers};
use crate::slots::HeldSlot;
use crate::stored::{digest, digest_some, parse};
use crate::{Error, Result};

/// A page received in place of search results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedPage {
    /// The slot that failed.
    pub slot: SlotId,
    /// The attempt of the slot that received it.
    pub attempt: i32,
    /// Why it is no result page.
    pub failure: CaptureFailure,
    /// The words searched.
    pub term: String,
    /// Engine that was searched.
    pub engine: Engine,
    /// On which device.
    pub device: Device,
    /// Language and country.
    pub locale: Locale,
    /// When the page was received.
    pub taken_at: DateTime<Utc>,
    /// Where the search ended.
    pub final_url: String,
    /// The status of the document.
    pub http_status: Option<u16>,
    /// The headers of the document, without cookies.
    pub headers: Headers,
    /// The document as received; never served.
    pub page: Digest,
    /// The copy that is served.
    pub view: Digest,
    /// The picture of the whole page (WebP), where one was taken.
    pub screenshot: Option<Digest>,
    /// The version of the reader that judged it.
    pub reader_version: String,
    /// When retention removed the files.
    pub files_gone_at: Option<DateTime<Utc>>,
}

/// Writes the page of a failed attempt, whose files are in the file store already; slot and attempt are those of `held`. `false`, and nothing is
/// written, when the attempt no longer holds the slot or has stored a page before.
pub async fn store(executor: impl PgExecutor<'_>, held: HeldSlot, page: &FailedPage) -> Result<bool> {
    let done = sqlx::query!(
        "insert into failed_page (slot_id, slot_ts, attempt, failure, term, engine, device, locale, taken_at, final_url, http_status, headers,
             page_sha256, view_sha256, screenshot_sha256, reader_version)
         select id, slot_ts, attempt, $3, $4, $5, $6::text, $7, $8, $9, $10, $11, $12, $13, $14, $15 from slot
         where id = $1 and slot_ts >= slots_from($1) and slot_ts < slots_until($1) and attempt = $2 and lease_until is not null
         on conflict do nothing",
        held.id.0,
        held.attempt,
        page.failure.to_string(),
        page.term,
        page.engine.to_string(),
        page.device.to_string(),
        page.locale.to_string(),
        page.taken_at,
        page.final_url,
        page.http_status.map(u16::cast_signed),
        Json(&page.headers) as _,
        &page.page[..],
        &page.view[..],
        page.screenshot.as_ref().map(|digest| &digest[..]),
        page.reader_version
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// A row of `failed_page`, before its texts and digests are read.
struct FailedPageRow {
    slot_id: i64,
    attempt: i32,
    failure: String,
    term: String,
    engine: String,
    device: String,
    locale: String,
    taken_at: DateTime<Utc>,
    final_url: String,
    http_status: Option<i16>,
    headers: Json<Headers>,
    page_sha256: Vec<u8>,
    view_sha256: Vec<u8>,
    screenshot_sha256: Option<Vec<u8>>,
    reader_version: String,
    files_gone_at: Option<DateTime<Utc>>,
}

impl TryFrom<FailedPageRow> for FailedPage {
    type Error = Error;
    /// Reads a stored page; [`Error::Stored`], with the column, for a text or digest that this version cannot read.
    fn try_from(row: FailedPageRow) -> Result<Self> {
        Ok(Self {
            slot: SlotId(row.slot_id),
            attempt: row.attempt,
            failure: parse("failed_page.failure", &row.failure)?,
            term: row.term,
            engine: parse("failed_page.engine", &row.engine)?,
            device: parse("failed_page.device", &row.device)?,
            locale: parse("failed_page.locale", &row.locale)?,
            taken_at: row.taken_at,
            final_url: row.final_url,
            http_status: row.http_status.map(i16::cast_unsigned),
            headers: row.headers.0,
            page: digest("failed_page.page_sha256", &row.page_sha256)?,
            view: digest("failed_page.view_sha256", &row.view_sha256)?,
            screenshot: digest_some("failed_page.screenshot_sha256", row.screenshot_sha256.as_deref())?,
            reader_version: row.reader_version,
            files_gone_at: row.files_gone_at,
        })
    }
}

/// The pages that failed attempts of a slot left, in the order of the attempts. Their files may be deleted already, which `files_gone_at` says.
pub async fn of_slot(executor: impl PgExecutor<'_>, _system: &SystemScope, slot: SlotId) -> Result<Vec<FailedPage>> {
    let rows = sqlx::query_as!(
        FailedPageRow,
        r#"select slot_id, attempt, failure, term, engine, device as "device: String", locale, taken_at, final_url, http_status,
               headers as "headers: Json<Headers>", page_sha256, view_sha256, screenshot_sha256, reader_version, files_gone_at
           from failed_page
           where slot_id = $1 and slot_ts >= slots_from($1) and slot_ts < slots_until($1) order by attempt"#,
        slot.0
    )
    .fetch_all(executor)
    .await?;
    rows.into_iter().map(FailedPage::try_from).collect()
}
