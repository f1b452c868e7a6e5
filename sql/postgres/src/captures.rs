//! Captures: what was searched, which files of the page are kept, and what was read off it.

mod stored;
mod without_ads;

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sqlx::PgExecutor;
use sqlx::types::Json;
use vocabulary::{BrandId, CaptureId, Device, Engine, KeywordType, Locale, LocalizationId, TermId, Verdict};

use crate::slots::{self, HeldSlot};
use crate::{Connection, Result};

pub use stored::{Times, by_id, last_organic_at, of_manifest, of_slot, times};
pub use without_ads::{
    CaptureQuery, FactCondition, SilentHour, SilentHourOfAll, count_silent_hours, count_silent_hours_of_all,
};

/// SHA-256 of a kept file, which is its name in the file store.
pub type Digest = [u8; 32];

/// Headers of a response as `(name, value)`.
pub type Headers = Vec<(String, String)>;

/// A capture, with the names of its term as they were when it was taken (decision D81).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capture {
    /// Its id; anyone who knows it may see the capture.
    pub id: CaptureId,
    /// The attempt of the slot that took it.
    pub attempt: i32,
    /// The term; `None` once it was deleted.
    pub term_id: Option<TermId>,
    /// The brand of the term.
    pub brand_id: Option<BrandId>,
    /// The place of the term.
    pub localization_id: Option<LocalizationId>,
    /// The words that were searched.
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
    /// When it was due; no other capture of the term and device has the same.
    pub slot_time: DateTime<Utc>,
    /// When its page was received: the time of its ads.
    pub taken_at: DateTime<Utc>,
    /// Where the search ended.
    pub final_url: String,
    /// The status of the document.
    pub http_status: Option<u16>,
    /// The headers of the document, without cookies.
    pub headers: Headers,
    /// The document as read, compressed; never served.
    pub page: Digest,
    /// Its length in bytes; `None` for captures older than this column.
    pub page_bytes: Option<u32>,
    /// The picture of the whole page (WebP), where one was taken.
    pub screenshot: Option<Digest>,
    /// When retention removed page, copy and picture; their digests stay.
    pub files_gone_at: Option<DateTime<Utc>>,
    /// What was read off the page.
    pub reading: PageReading,
    /// Whether the term asked for text ads.
    pub saves_text_ads: bool,
    /// Whether the term asked for shopping ads.
    pub saves_shopping_ads: bool,
    /// Organic results saved; `None` when none were asked for.
    pub organic_results: Option<u32>,
}

impl Capture {
    /// How many rows its ads are stored as: those of the kinds that the term asked for.
    pub const fn rows(&self) -> u32 {
        self.rows_of(&self.reading)
    }

    /// How many rows the ads of another reading of its page would be stored as: those of the kinds that the term asked for.
    pub const fn rows_of(&self, reading: &PageReading) -> u32 {
        let text = if self.saves_text_ads { reading.text_ads } else { 0 };
        let shopping = if self.saves_shopping_ads {
            reading.shopping_ads
        } else {
            0
        };
        text + shopping
    }
}

/// What one version of the reader read off a page: the verdict, the number of ads and the viewing copy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PageReading {
    /// What the page is.
    pub verdict: Verdict,
    /// Why the ads may not be all there are; `None` when nothing speaks against them.
    pub doubt: Option<String>,
    /// The version of the reader.
    pub reader_version: String,
    /// The table that read most of the page; `None` for captures older than this column.
    pub generation: Option<String>,
    /// Text ads on the page.
    pub text_ads: u32,
    /// Shopping ads on the page.
    pub shopping_ads: u32,
    /// Paid units that are no ads of ours, by kind.
    pub other_units: BTreeMap<String, u16>,
    /// The copy that is served, in which each ad element has an id.
    #[serde(with = "hex::serde")]
    pub view: Digest,
    /// Its length in bytes; `None` for captures older than this column.
    pub view_bytes: Option<u32>,
}

/// An organic result to be saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Organic {
    /// Rank, from 1.
    pub position: u32,
    /// Host of the result; `None` where the address has none.
    pub domain: Option<String>,
    /// Address of the landing page.
    pub url: String,
    /// The headline as displayed.
    pub title: String,
}

/// Writes a capture whose files are in the file store already, with its organic results, and marks its slot as captured. `false`, and nothing is
/// written, unless the attempt holds the slot and is still capturing. Call it in a transaction.
pub async fn store(
    connection: &mut Connection,
    held: HeldSlot,
    capture: &Capture,
    organic: &[Organic],
) -> Result<bool> {
    if !slots::mark_captured(&mut *connection, held).await? {
        return Ok(false);
    }
    let reading = &capture.reading;
    sqlx::query!(
        "insert into capture (id, slot_id, attempt, term_id, brand_id, localization_id, term, brand, keyword_type, engine, device,
             locale, city, region, slot_ts, taken_at, final_url, http_status, headers, page_sha256, page_bytes, screenshot_sha256,
             verdict, doubt, reader_version, generation, text_ads, shopping_ads, other_units, view_sha256, view_bytes,
             saves_text_ads, saves_shopping_ads, n_rows, organic_results)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11::text, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23,
             $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35)",
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
        Json(&capture.headers) as _,
        &capture.page[..],
        capture.page_bytes.map(u32::cast_signed),
        capture.screenshot.as_ref().map(|digest| &digest[..]),
        reading.verdict.to_string(),
        reading.doubt,
        reading.reader_version,
        reading.generation,
        reading.text_ads.cast_signed(),
        reading.shopping_ads.cast_signed(),
        Json(&reading.other_units) as _,
        &reading.view[..],
        reading.view_bytes.map(u32::cast_signed),
        capture.saves_text_ads,
        capture.saves_shopping_ads,
        capture.rows().cast_signed(),
        capture.organic_results.map(u32::cast_signed)
    )
    .execute(&mut *connection)
    .await?;
    save_organic(connection, capture, organic).await?;
    Ok(true)
}

/// Replaces the reading of a capture by that of a newer reader. Changes nothing once rows of the capture are in a manifest.
pub async fn reread(executor: impl PgExecutor<'_>, capture: CaptureId, reading: &PageReading) -> Result<()> {
    change_reading(executor, capture, reading, true).await
}

/// Replaces the reading of a capture, and its number of rows, and marks the capture as not sealed, so that it gets another entry in the chain of
/// evidence. With `unstored_only`, a capture whose rows are in a manifest is left as it is. An unknown capture is no error.
pub(crate) async fn change_reading(
    executor: impl PgExecutor<'_>,
    capture: CaptureId,
    reading: &PageReading,
    unstored_only: bool,
) -> Result<()> {
    sqlx::query!(
        "update capture set verdict = $2, doubt = $3, reader_version = $4, generation = $5, text_ads = $6, shopping_ads = $7,
             other_units = $8, view_sha256 = $9, view_bytes = $10, sealed_at = null,
             n_rows = case when saves_text_ads then $6 else 0 end + case when saves_shopping_ads then $7 else 0 end
         where id = $1 and slot_ts >= captures_from($1) and slot_ts < captures_until($1) and not ($11 and exists (select from manifest_capture where capture_id = capture.id))",
        capture.0,
        reading.verdict.to_string(),
        reading.doubt,
        reading.reader_version,
        reading.generation,
        reading.text_ads.cast_signed(),
        reading.shopping_ads.cast_signed(),
        Json(&reading.other_units) as _,
        &reading.view[..],
        reading.view_bytes.map(u32::cast_signed),
        unstored_only
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// The captures among these whose page is still kept. Anyone who knows its id may see a capture, so there is no scope.
pub async fn with_page(executor: impl PgExecutor<'_>, captures: &[CaptureId]) -> Result<BTreeSet<CaptureId>> {
    let ids: Vec<uuid::Uuid> = captures.iter().map(|capture| capture.0).collect();
    let with_page = sqlx::query_scalar!(
        "select c.id from unnest($1::uuid[]) as asked (id)
             join capture c on c.id = asked.id and c.slot_ts >= captures_from(asked.id) and c.slot_ts < captures_until(asked.id)
         where c.files_gone_at is null",
        &ids
    )
    .fetch_all(executor)
    .await?;
    Ok(with_page.into_iter().map(CaptureId).collect())
}

/// Whether a capture or failed attempt has this file as its page, viewing copy or picture, even if retention has removed the file.
pub async fn names_file(executor: impl PgExecutor<'_>, file: &Digest) -> Result<bool> {
    let named = sqlx::query_scalar!(
        r#"select exists (select from capture where $1 in (page_sha256, view_sha256, screenshot_sha256))
               or exists (select from failed_page where $1 in (page_sha256, view_sha256, screenshot_sha256)) as "named!""#,
        &file[..]
    )
    .fetch_one(executor)
    .await?;
    Ok(named)
}

/// Writes the organic results of a capture. The capture's row must exist.
async fn save_organic(connection: &mut Connection, capture: &Capture, organic: &[Organic]) -> Result<()> {
    let positions: Vec<i32> = organic.iter().map(|result| result.position.cast_signed()).collect();
    let domains: Vec<Option<String>> = organic.iter().map(|result| result.domain.clone()).collect();
    let urls: Vec<String> = organic.iter().map(|result| result.url.clone()).collect();
    let titles: Vec<String> = organic.iter().map(|result| result.title.clone()).collect();
    sqlx::query!(
        "insert into organic_result (capture_id, slot_ts, position, domain, url, title)
         select $1, $2, * from unnest($3::int[], $4::text[], $5::text[], $6::text[])",
        capture.id.0,
        capture.slot_time,
        &positions,
        &domains as &[Option<String>],
        &urls,
        &titles
    )
    .execute(connection)
    .await?;
    Ok(())
}
