//! Step 3: the page is read, and its picture taken if the setting asks for one. A page that is no result page ends the attempt and is kept
//! as a failed one.

use capture::ReadPage;
use capture::browsing::CapturedPage;
use chrono::{DateTime, Utc};
use vocabulary::{CaptureFailure, Verdict};

use super::admit::AdmittedSearch;
use super::failed_page::{self, FailedPage};
use super::search::ReceivedPage;
use super::{Attempts, Step};
use crate::pages;

/// A result page, with what was read off it.
pub struct ResultPage {
    pub page: CapturedPage,
    pub read: ReadPage,
    /// The viewing copy.
    pub view: String,
    pub screenshot: Option<Vec<u8>>,
    pub taken_at: DateTime<Utc>,
}

/// Reads a received page, takes its picture if the setting asks for one, and closes the tab. Ends the attempt as failed, with the page kept, if the
/// reader panics on it or it is no result page. A page on which something was found counts as a success of the engine.
pub async fn judge(attempts: &Attempts, search: &AdmittedSearch<'_>, received: ReceivedPage) -> Step<ResultPage> {
    let ReceivedPage { page, tab, taken_at } = received;
    let context = &attempts.context;
    let (page, read, view) = match pages::read(search.term.engine, page).await {
        Ok(read) => read,
        Err(page) => {
            tracing::error!(slot = %search.claim.held.id, "the reader broke down on this page");
            let failure = CaptureFailure::Unreadable;
            let failed = FailedPage {
                failure,
                page,
                view: None,
                screenshot: None,
                taken_at,
            };
            failed_page::keep(context, search, failed).await;
            return Err(attempts.fail(search, failure).await);
        }
    };
    let screenshot = attempts.pictures.take(tab, &search.origin(), &read).await;
    if let Some(failure) = pages::refusal(read.verdict_to_store(), page.status) {
        let failed = FailedPage {
            failure,
            page,
            view: Some(view),
            screenshot,
            taken_at,
        };
        failed_page::keep(context, search, failed).await;
        return Err(attempts.fail(search, failure).await);
    }
    if read.verdict == Verdict::Results {
        attempts.engines.note_results(search.term.engine, &search.route).await;
    }
    Ok(ResultPage {
        page,
        read,
        view,
        screenshot,
        taken_at,
    })
}
