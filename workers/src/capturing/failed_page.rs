//! Keeping the page of a failed attempt.

use capture::READER_VERSION;
use capture::browsing::CapturedPage;
use chrono::{DateTime, Utc};
use postgres::failed_pages;
use vocabulary::CaptureFailure;

use super::admit::AdmittedSearch;
use crate::Error;
use crate::context::WorkerContext;
use crate::pages::{files, record};

/// Shown in place of a page on which the reader broke down.
const NO_VIEW: &str = "<!doctype html><meta charset=\"utf-8\"><title>–</title><p>–</p>";

/// A page that is no result page, and why.
pub struct FailedPage {
    pub failure: CaptureFailure,
    pub page: CapturedPage,
    /// The viewing copy; `None` where the reader broke down on the page.
    pub view: Option<String>,
    pub screenshot: Option<Vec<u8>>,
    pub taken_at: DateTime<Utc>,
}

/// Stores the files and the record of the page of a failed attempt. The attempt ends the same way without them, so an error is only logged.
pub async fn keep(context: &WorkerContext, search: &AdmittedSearch<'_>, failed: FailedPage) {
    if let Err(error) = try_keep(context, search, failed).await {
        tracing::warn!(slot = %search.claim.held.id, %error, "the page of a failed attempt could not be kept");
    }
}

/// Stores the files (an empty viewing copy if there is none), then the record, which is left out if the attempt no longer holds the slot; the files
/// stay then.
async fn try_keep(context: &WorkerContext, search: &AdmittedSearch<'_>, failed: FailedPage) -> Result<(), Error> {
    let AdmittedSearch { claim, term, .. } = search;
    let page = failed.page;
    let view = failed.view.unwrap_or_else(|| NO_VIEW.to_owned());
    let files = files::store(&context.blobs, page.html, view, failed.screenshot).await?;
    let record = failed_pages::FailedPage {
        slot: claim.held.id,
        attempt: claim.held.attempt,
        failure: failed.failure,
        term: term.term.clone(),
        engine: term.engine,
        device: claim.device,
        locale: term.locale.clone(),
        taken_at: failed.taken_at,
        final_url: page.final_url.into(),
        http_status: record::http_status(page.status),
        headers: page.headers,
        page: files.page,
        view: files.view,
        screenshot: files.screenshot,
        reader_version: READER_VERSION.to_owned(),
        files_gone_at: None,
    };
    failed_pages::store(&context.postgres, claim.held, &record).await?;
    Ok(())
}
