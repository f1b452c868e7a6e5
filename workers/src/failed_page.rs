//! Keeping the page of an attempt that received no answer to its search.

use capture::READER_VERSION;
use capture::browsing::CapturedPage;
use chrono::{DateTime, Utc};
use postgres::failed_pages::{self, FailedPage};
use postgres::slots::Claim;
use postgres::terms::TermToCapture;
use vocabulary::CaptureFailure;

use crate::context::WorkerContext;
use crate::page_files;

/// Shown in place of a page on which the reader broke down.
pub const NO_VIEW: &str = "<!doctype html><meta charset=\"utf-8\"><title>–</title><p>–</p>";

/// What was received, and why it is no answer.
pub struct FailedResponse {
    pub failure: CaptureFailure,
    pub page: CapturedPage,
    /// The viewing copy.
    pub view: String,
    pub screenshot: Option<Vec<u8>>,
    pub taken_at: DateTime<Utc>,
}

/// Keeps it. The attempt ends as it would without: a page that cannot be kept is only told of.
pub async fn store(parts: &WorkerContext, claim: &Claim, term: &TermToCapture, received: FailedResponse) {
    if let Err(error) = try_keep(parts, claim, term, received).await {
        tracing::warn!(slot = %claim.held.id, %error, "the page of a failed attempt could not be kept");
    }
}

async fn try_keep(
    parts: &WorkerContext,
    claim: &Claim,
    term: &TermToCapture,
    received: FailedResponse,
) -> Result<(), crate::Error> {
    let page = received.page;
    let kept = page_files::store(&parts.blobs, page.html, received.view, received.screenshot).await?;
    let failed = FailedPage {
        slot: claim.held.id,
        attempt: claim.held.attempt,
        failure: received.failure,
        term: term.term.clone(),
        engine: term.engine,
        device: claim.device,
        locale: term.locale.clone(),
        taken_at: received.taken_at,
        final_url: page.final_url.into(),
        http_status: status(page.status),
        headers: page.headers,
        page: kept.page,
        view: kept.view,
        screenshot: kept.screenshot,
        reader_version: READER_VERSION.to_owned(),
        files_gone_at: None,
    };
    failed_pages::store(&parts.postgres, claim.held, &failed).await?;
    Ok(())
}

/// The status of a document; `None` where the browser saw none.
pub fn status(status: u16) -> Option<u16> {
    (100..600).contains(&status).then_some(status)
}
