//! Reading a page: one that was just received, or the kept one of a capture.

use std::sync::Arc;

use capture::browsing::{CapturedPage, Resource};
use capture::{PageFile, ReadPage};
use postgres::captures::Capture;
use vocabulary::{CaptureFailure, Engine, Verdict};

use super::{emptiness, merchants, rows};
use crate::Error;
use crate::context::WorkerContext;

/// A capture whose page is kept, with what was read off it.
pub struct ReadCapture {
    pub capture: Capture,
    pub read: ReadPage,
}

/// Reads a page on a thread of its own, and returns the page, what was read off it, and its viewing copy.
///
/// # Errors
/// The page, when the reader panics on it.
pub async fn read(engine: Engine, page: CapturedPage) -> Result<(CapturedPage, ReadPage, String), CapturedPage> {
    let page = Arc::new(page);
    let shared = Arc::clone(&page);
    let reading = tokio::task::spawn_blocking(move || {
        let files: Vec<PageFile<'_>> = shared.resources.iter().map(file).collect();
        capture::read_and_copy(&shared.html, engine, &shared.final_url, &files)
    });
    let reading = reading.await;
    // The task has dropped its reference.
    let page = Arc::try_unwrap(page).unwrap_or_else(|shared| (*shared).clone());
    match reading {
        Ok((read, view)) => Ok((page, read, view)),
        Err(_) => Err(page),
    }
}

fn file(resource: &Resource) -> PageFile<'_> {
    PageFile {
        url: &resource.url,
        mime: &resource.mime,
        bytes: &resource.bytes,
    }
}

/// Reads the kept page of a capture again, and changes nothing stored. The result has the new reading but keeps the old viewing copy, fills in
/// merchants' domains that are known already, and says 'no ads' where the empty spell was confirmed. `None` when the page is gone or damaged, or the
/// reader panics on it.
pub async fn read_again(context: &WorkerContext, mut capture: Capture) -> Result<Option<ReadCapture>, Error> {
    let page = match context.blobs.read(&capture.page).await {
        Ok(Some(page)) => page,
        Ok(None) => return Ok(None),
        Err(error @ blobs::Error::Damaged { .. }) => {
            tracing::error!(capture = %capture.id, %error, "a kept page cannot be read");
            return Ok(None);
        }
        Err(error) => return Err(error.into()),
    };
    let engine = capture.engine;
    let reading =
        tokio::task::spawn_blocking(move || String::from_utf8(page).ok().map(|page| capture::read(&page, engine)));
    let Ok(Some(mut read)) = reading.await else {
        return Ok(None);
    };
    emptiness::confirm_as_before(&context.postgres, &capture, &mut read).await?;
    merchants::fill(&context.postgres, &mut read).await?;
    capture.reading = rows::reading(&read, capture.reading.view, capture.reading.view_bytes);
    Ok(Some(ReadCapture { capture, read }))
}

/// HTTP statuses for 'too many requests' and 'unavailable': refusals, whatever the page says.
const REFUSING: [u16; 2] = [429, 503];

/// Why a page is no result page; `None` if it is one. A captcha, a consent form or a block comes first; then the HTTP status, even of a page with
/// results: 429 and 503 count as blocked, others from 400 as HTTP errors; then an empty shell. Only a result page can mean 'no ads'.
pub fn refusal(verdict: Verdict, status: u16) -> Option<CaptureFailure> {
    match verdict {
        Verdict::Captcha => Some(CaptureFailure::Captcha),
        Verdict::Consent => Some(CaptureFailure::Consent),
        Verdict::Blocked => Some(CaptureFailure::Blocked),
        _ if REFUSING.contains(&status) => Some(CaptureFailure::Blocked),
        Verdict::HttpError => Some(CaptureFailure::HttpError),
        _ if status >= 400 => Some(CaptureFailure::HttpError),
        Verdict::Shell => Some(CaptureFailure::Shell),
        Verdict::Results | Verdict::Doubtful => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_result_pages_are_accepted() {
        assert_eq!(refusal(Verdict::Results, 200), None);
        assert_eq!(refusal(Verdict::Doubtful, 200), None);
        assert_eq!(refusal(Verdict::Results, 502), Some(CaptureFailure::HttpError));
        assert_eq!(refusal(Verdict::Blocked, 403), Some(CaptureFailure::Blocked));
        assert_eq!(refusal(Verdict::Shell, 200), Some(CaptureFailure::Shell));
    }

    #[test]
    fn statuses_429_and_503_are_refusals_whatever_the_page_says() {
        for status in [429, 503] {
            for verdict in [Verdict::Results, Verdict::HttpError, Verdict::Shell] {
                assert_eq!(
                    refusal(verdict, status),
                    Some(CaptureFailure::Blocked),
                    "{verdict} {status}"
                );
            }
            assert_eq!(refusal(Verdict::Captcha, status), Some(CaptureFailure::Captcha));
        }
    }
}
