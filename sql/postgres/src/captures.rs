//! Captures: what was searched, what was kept of the page, and what was read off it.

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use vocabulary::{
    BrandId, CaptureId, Device, Engine, KeywordType, Locale, LocalizationId, Scope, SlotId, TermId, Verdict,
};

use crate::manifests::ManifestId;
use crate::slots::{self, Held};
use crate::stored::{digest, parse};
use crate::{Connection, Error, Result};

/// SHA-256 of a kept file, which is its name in the file store.
pub type Digest = [u8; 32];

/// A capture, with the names of its term as they were when it was taken (decision D81).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capture {
    /// Its public name.
    pub id: CaptureId,
    /// The attempt of the slot that took it.
    pub attempt: i32,
    /// The term; `None` once it was deleted.
    pub term_id: Option<TermId>,
    /// The brand of the term.
    pub brand_id: Option<BrandId>,
    /// The place of the term.
    pub localization_id: Option<LocalizationId>,
    /// The words.
    pub term: String,
    /// The brand's name on screens.
    pub brand: Option<String>,
    /// What the words are about.
    pub keyword_type: KeywordType,
    /// Where it was searched.
    pub engine: Engine,
    /// On which device.
    pub device: Device,
    /// Language and country.
    pub locale: Locale,
    /// The city searched from.
    pub city: Option<String>,
    /// The targeted region.
    pub region: Option<String>,
    /// When it was due: the time of its ads.
    pub slot_time: DateTime<Utc>,
    /// When it was taken.
    pub taken_at: DateTime<Utc>,
    /// Where the search ended.
    pub final_url: String,
    /// The status of the document.
    pub http_status: Option<u16>,
    /// What the page is.
    pub verdict: Verdict,
    /// The document as read, compressed; never served.
    pub page: Digest,
    /// The copy that is served, in which each ad element has an id.
    pub view: Digest,
    /// The version of the reader.
    pub reader_version: String,
    /// Text ads on the page.
    pub text_ads: u32,
    /// Shopping ads on the page.
    pub shopping_ads: u32,
    /// Whether the term asked for text ads.
    pub saves_text_ads: bool,
    /// Whether the term asked for shopping ads.
    pub saves_shopping_ads: bool,
    /// Organic results saved; `None` when none were asked for.
    pub organic_results: Option<u32>,
}

impl Capture {
    /// Rows to be stored: the ads of the kinds the term asked for.
    pub const fn rows(&self) -> u32 {
        let text = if self.saves_text_ads { self.text_ads } else { 0 };
        let shopping = if self.saves_shopping_ads { self.shopping_ads } else { 0 };
        text + shopping
    }
}

/// An organic result to be saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Organic {
    /// Rank, from 1.
    pub position: u32,
    /// Its host.
    pub domain: Option<String>,
    /// Its address.
    pub url: String,
    /// Its headline.
    pub title: String,
}

/// Writes a capture whose files are kept, with its organic results, and marks its slot. `false`, and nothing written, when the attempt no
/// longer holds the slot.
pub async fn keep(connection: &mut Connection, held: Held, capture: &Capture, organic: &[Organic]) -> Result<bool> {
    if !slots::mark_captured(&mut *connection, held).await? {
        return Ok(false);
    }
    sqlx::query!(
        "insert into capture (id, slot_id, attempt, term_id, brand_id, localization_id, term, brand, keyword_type, engine, device,
             locale, city, region, slot_ts, taken_at, final_url, http_status, verdict, page_sha256, view_sha256,
             reader_version, text_ads, shopping_ads, saves_text_ads, saves_shopping_ads, n_rows, organic_results)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11::text, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23,
             $24, $25, $26, $27, $28)",
        capture.id.0,
        held.id.0,
        capture.attempt,
        capture.term_id.map(|id| id.0),
        capture.brand_id.map(|id| id.0),
        capture.localization_id.map(|id| id.0),
        capture.term,
        capture.brand,
        capture.keyword_type.to_string(),
        capture.engine.to_string(),
        capture.device.to_string(),
        capture.locale.to_string(),
        capture.city,
        capture.region,
        capture.slot_time,
        capture.taken_at,
        capture.final_url,
        capture.http_status.map(u16::cast_signed),
        capture.verdict.to_string(),
        &capture.page[..],
        &capture.view[..],
        capture.reader_version,
        capture.text_ads.cast_signed(),
        capture.shopping_ads.cast_signed(),
        capture.saves_text_ads,
        capture.saves_shopping_ads,
        capture.rows().cast_signed(),
        capture.organic_results.map(u32::cast_signed)
    )
    .execute(&mut *connection)
    .await?;
    save_organic(connection, capture.id, organic).await?;
    Ok(true)
}

/// Notes what a newer reader read off the kept page of a capture whose rows are not stored yet.
pub async fn reread(
    executor: impl PgExecutor<'_>,
    capture: CaptureId,
    reader_version: &str,
    text_ads: u32,
    shopping_ads: u32,
) -> Result<()> {
    sqlx::query!(
        "update capture set reader_version = $2, text_ads = $3, shopping_ads = $4,
             n_rows = case when saves_text_ads then $3 else 0 end + case when saves_shopping_ads then $4 else 0 end
         where id = $1 and not exists (select from manifest_capture where capture_id = capture.id)",
        capture.0,
        reader_version,
        text_ads.cast_signed(),
        shopping_ads.cast_signed()
    )
    .execute(executor)
    .await?;
    Ok(())
}

async fn save_organic(connection: &mut Connection, capture: CaptureId, organic: &[Organic]) -> Result<()> {
    let positions: Vec<i32> = organic.iter().map(|result| result.position.cast_signed()).collect();
    let domains: Vec<Option<String>> = organic.iter().map(|result| result.domain.clone()).collect();
    let urls: Vec<String> = organic.iter().map(|result| result.url.clone()).collect();
    let titles: Vec<String> = organic.iter().map(|result| result.title.clone()).collect();
    sqlx::query!(
        "insert into organic_result (capture_id, position, domain, url, title)
         select $1, * from unnest($2::int[], $3::text[], $4::text[], $5::text[])",
        capture.0,
        &positions,
        &domains as &[Option<String>],
        &urls,
        &titles
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// A row of `capture`, before its texts are read.
struct Row {
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
    verdict: String,
    page_sha256: Vec<u8>,
    view_sha256: Vec<u8>,
    reader_version: String,
    text_ads: i32,
    shopping_ads: i32,
    saves_text_ads: bool,
    saves_shopping_ads: bool,
    organic_results: Option<i32>,
}

impl TryFrom<Row> for Capture {
    type Error = Error;
    fn try_from(row: Row) -> Result<Self> {
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
            verdict: parse("capture.verdict", &row.verdict)?,
            page: digest("capture.page_sha256", &row.page_sha256)?,
            view: digest("capture.view_sha256", &row.view_sha256)?,
            reader_version: row.reader_version,
            text_ads: row.text_ads.cast_unsigned(),
            shopping_ads: row.shopping_ads.cast_unsigned(),
            saves_text_ads: row.saves_text_ads,
            saves_shopping_ads: row.saves_shopping_ads,
            organic_results: row.organic_results.map(i32::cast_unsigned),
        })
    }
}

/// A capture by its public name. Captures are public to whoever knows it, so no scope is asked for.
pub async fn by_id(executor: impl PgExecutor<'_>, capture: CaptureId) -> Result<Option<Capture>> {
    let row = sqlx::query_file_as!(Row, "queries/capture_by_id.sql", capture.0)
        .fetch_optional(executor)
        .await?;
    row.map(Capture::try_from).transpose()
}

/// The capture of a slot, if its page is kept.
pub async fn of_slot(executor: impl PgExecutor<'_>, _scope: &Scope, slot: SlotId) -> Result<Option<Capture>> {
    let row = sqlx::query_file_as!(Row, "queries/capture_of_slot.sql", slot.0)
        .fetch_optional(executor)
        .await?;
    row.map(Capture::try_from).transpose()
}

/// The captures of a manifest, in the order of their rows.
pub async fn of_manifest(executor: impl PgExecutor<'_>, _scope: &Scope, manifest: ManifestId) -> Result<Vec<Capture>> {
    let rows = sqlx::query_file_as!(Row, "queries/captures_of_manifest.sql", manifest.0)
        .fetch_all(executor)
        .await?;
    rows.into_iter().map(Capture::try_from).collect()
}

/// When organic results of a term on a device were saved last (decision D154).
pub async fn last_organic(
    executor: impl PgExecutor<'_>,
    _scope: &Scope,
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
