//! The record of a capture.

use capture::ReadPage;
use chrono::{DateTime, Utc};
use postgres::captures::{Capture, Headers, Organic};
use postgres::slots::Claim;
use postgres::terms::TermToCapture;
use url::Url;
use vocabulary::Engine;

use super::files::PageFiles;
use super::rows;

/// The HTTP response of a page.
pub struct ReceivedDocument {
    pub final_url: Url,
    pub status: u16,
    pub headers: Headers,
    pub taken_at: DateTime<Utc>,
}

/// The record of a page that was read and whose files are stored, with the values that the term has now. `organic` are the unpaid results to save
/// with it; only their number is recorded, `None` if none are due.
pub fn capture_record(
    claim: &Claim,
    term: &TermToCapture,
    document: ReceivedDocument,
    read: &ReadPage,
    files: &PageFiles,
    organic: Option<&[Organic]>,
) -> Capture {
    Capture {
        id: claim.capture,
        attempt: claim.held.attempt,
        term_id: Some(term.id),
        brand_id: term.brand,
        localization_id: Some(term.localization),
        term: term.term.clone(),
        brand: term.brand_label.clone(),
        keyword_type: term.keyword_type,
        engine: term.engine,
        device: claim.device,
        locale: term.locale.clone(),
        city: city(term, read),
        region: term.region.clone(),
        slot_time: claim.slot_time,
        taken_at: document.taken_at,
        final_url: document.final_url.into(),
        http_status: http_status(document.status),
        headers: document.headers,
        page: files.page,
        page_bytes: Some(files.page_bytes),
        screenshot: files.screenshot,
        files_gone_at: None,
        reading: rows::reading(read, files.view, Some(files.view_bytes)),
        saves_text_ads: !term.options.disable_save_ads,
        saves_shopping_ads: term.options.save_shopping_ads,
        organic_results: organic.map(|results| u32::try_from(results.len()).unwrap_or(u32::MAX)),
    }
}

/// The city in the rows of a capture; `None` if it is not known. Google searches in the city of the request; Bing chooses one itself, so it is taken
/// from the page, if the page names it.
fn city(term: &TermToCapture, read: &ReadPage) -> Option<String> {
    match term.engine {
        Engine::Google => term.city.clone(),
        Engine::Bing => read.place.clone(),
    }
}

/// The HTTP status of a document; `None` unless it is from 100 to 599: the browser saw none.
pub fn http_status(status: u16) -> Option<u16> {
    (100..600).contains(&status).then_some(status)
}
