//! From a claimed slot to a kept page: search, judge, keep both files, record.

use std::sync::Arc;
use std::time::Duration;

use capture::browsing::{CaptureError, CapturedPage, OpenPage, Resource};
use capture::{OrganicResult, PageFile, ReadPage};
use chrono::{DateTime, TimeDelta, Utc};
use postgres::Pool;
use postgres::captures::{self, Capture, Organic};
use postgres::operations::pauses;
use postgres::slots::Claim;
use postgres::terms::{self, TermToCapture};
use vocabulary::{CaptureFailure, Device, Engine, MissedReason, SystemScope, TermState, Verdict};

use crate::attempt::{Attempts, Outcome};
use crate::emptiness::{self, TermSearch};
use crate::failed_page::NO_VIEW;
use crate::record::{self, ReceivedDocument};
use crate::search::search_for;
use crate::{Error, failed_page, merchants, page_files, pictures};

/// Organic results are saved again after this, where the term says nothing (decision D154).
const ORGANIC_DELAY: TimeDelta = TimeDelta::days(15);
/// A slot of an engine that an administrator has stopped asks again after this.
const PAUSED_WAIT: Duration = Duration::from_mins(1);

const SCOPE: SystemScope = SystemScope::new("capturing");

/// A capture whose page is kept, with what was read off it.
pub struct ReadCapture {
    pub capture: Capture,
    pub read: ReadPage,
}

/// Captures the slot's search and keeps the page. The inner error is how the attempt ends without one.
pub async fn capture_page(attempts: &Attempts, claim: &Claim) -> Result<Result<ReadCapture, Outcome>, Error> {
    if claim.is_superseded {
        return Ok(Err(Outcome::Missed(MissedReason::Superseded)));
    }
    let term = terms::to_capture(&attempts.parts.postgres, &SCOPE, claim.term).await?;
    let Some(term) = term.filter(|term| term.state == TermState::Enabled) else {
        return Ok(Err(Outcome::Missed(MissedReason::Disabled)));
    };
    if let Some(wait) = attempts.disk.pause() {
        return Ok(Err(Outcome::Later(wait)));
    }
    if let Some(wait) = attempts.storing.is_congested().await? {
        return Ok(Err(Outcome::Later(wait)));
    }
    if pauses::is_paused(&attempts.parts.postgres, term.engine).await? {
        return Ok(Err(Outcome::Later(PAUSED_WAIT)));
    }
    if let Err(wait) = attempts.engines.enter(term.engine, &way(attempts, &term)).await {
        return Ok(Err(Outcome::Later(wait)));
    }
    let answer = attempts
        .parts
        .browsers
        .capture_and_hold(search_for(&term, claim.device))
        .await;
    let taken_at = attempts.parts.clock.now();
    match answer {
        Ok((page, held)) => judge_and_keep(attempts, claim, &term, CapturedTab { page, held, taken_at }).await,
        Err(CaptureError::ShuttingDown) => Ok(Err(Outcome::Later(Duration::ZERO))),
        Err(error) => {
            tracing::warn!(slot = %claim.held.id, %error, "not captured");
            let failure = error.failure();
            if let Some(mut page) = error.into_page() {
                let screenshot = page.screenshot.take().filter(|_| attempts.pictures.of_failures());
                let read = read(term.engine, page).await;
                let (page, view) = read.map_or_else(|page| (page, NO_VIEW.to_owned()), |(page, _, view)| (page, view));
                keep_failed(attempts, claim, &term, (failure, page, view, screenshot), taken_at).await;
            }
            Ok(Err(failed(attempts, &term, failure).await))
        }
    }
}

/// A captured page, still in its tab.
struct CapturedTab {
    page: CapturedPage,
    held: OpenPage,
    taken_at: DateTime<Utc>,
}

async fn judge_and_keep(
    attempts: &Attempts,
    claim: &Claim,
    term: &TermToCapture,
    received: CapturedTab,
) -> Result<Result<ReadCapture, Outcome>, Error> {
    let CapturedTab { page, held, taken_at } = received;
    let parts = &attempts.parts;
    let place = pictures::PageOrigin {
        engine: term.engine,
        device: claim.device,
        locale: term.locale.clone(),
    };
    let (page, mut read, view) = match read(term.engine, page).await {
        Ok(read) => read,
        Err(page) => {
            tracing::error!(slot = %claim.held.id, "the reader broke down on this page");
            let failure = CaptureFailure::Unreadable;
            let failed_page = (failure, page, NO_VIEW.to_owned(), None);
            keep_failed(attempts, claim, term, failed_page, taken_at).await;
            return Ok(Err(failed(attempts, term, failure).await));
        }
    };
    let screenshot = attempts.pictures.crop(held, &place, &read).await;
    if let Some(failure) = refusal(read.judged(), page.status) {
        keep_failed(attempts, claim, term, (failure, page, view, screenshot), taken_at).await;
        return Ok(Err(failed(attempts, term, failure).await));
    }
    let way = way(attempts, term);
    if read.verdict == Verdict::Results {
        attempts.engines.answered(term.engine, &way).await;
    }
    merchants::fill(&parts.postgres, &mut read).await?;

    let organic = organic(&parts.postgres, term, claim.device, &read.organic, taken_at).await?;
    let kept = match page_files::store(&parts.blobs, page.html, view, screenshot).await {
        Ok(kept) => kept,
        Err(error) => {
            return Ok(Err(Outcome::Later(attempts.disk.refused_page(&error))));
        }
    };
    attempts.disk.kept_page();
    let search = TermSearch {
        term,
        device: claim.device,
        way: &way,
        at: taken_at,
    };
    let mut tx = postgres::begin(&parts.postgres).await?;
    let spell = emptiness::settle(&mut tx, &attempts.engines, search, &mut read).await?;
    if read.judged() == Verdict::Doubtful {
        metrics::counter!("vigie_captures_doubtful_total", "engine" => term.engine.to_string()).increment(1);
    }
    let document = ReceivedDocument {
        final_url: page.final_url,
        status: page.status,
        headers: page.headers,
        taken_at,
    };
    let capture = record::capture_record(claim, term, document, &read, &kept, organic.as_deref());
    if !captures::store(&mut tx, claim.held, &capture, &organic.unwrap_or_default()).await? {
        return Ok(Err(Outcome::Lost));
    }
    tx.commit().await.map_err(postgres::Error::from)?;
    if let Some(spell) = spell {
        emptiness::judge(&parts.postgres, &attempts.engines, search, &read, spell).await?;
    }
    attempts.pictures.note(&place, &read).await;
    merchants::learn(&parts.postgres, &read, taken_at).await?;
    Ok(Ok(ReadCapture { capture, read }))
}

/// Reads a page and makes its viewing copy. The page alone when the reader breaks down on it: that ends the attempt, not the worker.
pub async fn read(engine: Engine, page: CapturedPage) -> Result<(CapturedPage, ReadPage, String), CapturedPage> {
    let page = Arc::new(page);
    let shared = Arc::clone(&page);
    let reading = tokio::task::spawn_blocking(move || {
        let files: Vec<PageFile<'_>> = shared.resources.iter().map(file).collect();
        capture::read_and_copy(&shared.html, engine, &shared.final_url, &files)
    });
    let reading = reading.await;
    // The other owner ended with its task.
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

async fn keep_failed(
    attempts: &Attempts,
    claim: &Claim,
    term: &TermToCapture,
    (failure, page, view, screenshot): (CaptureFailure, CapturedPage, String, Option<Vec<u8>>),
    taken_at: DateTime<Utc>,
) {
    let received = failed_page::FailedResponse {
        failure,
        page,
        view,
        screenshot,
        taken_at,
    };
    failed_page::store(&attempts.parts, claim, term, received).await;
}

/// Statuses that say 'too often' or 'not now': a refusal, whatever stands on the page.
const REFUSING: [u16; 2] = [429, 503];

/// Why a page is no answer; such a page never means 'no ads'.
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

/// The way the searches of a term take to the engine.
fn way(attempts: &Attempts, term: &TermToCapture) -> String {
    attempts.parts.browsers.route(term.engine, term.locale.country())
}

async fn failed(attempts: &Attempts, term: &TermToCapture, failure: CaptureFailure) -> Outcome {
    attempts
        .engines
        .failed(term.engine, &way(attempts, term), failure)
        .await;
    Outcome::Failed(failure)
}

/// The organic results to be saved; `None` when the term asks for none now.
pub async fn organic(
    postgres: &Pool,
    term: &TermToCapture,
    device: Device,
    results: &[OrganicResult],
    now: DateTime<Utc>,
) -> Result<Option<Vec<Organic>>, Error> {
    if !term.options.save_organic_results {
        return Ok(None);
    }
    let delay = term
        .options
        .delay_for_organic_results
        .and_then(TimeDelta::try_milliseconds)
        .unwrap_or(ORGANIC_DELAY);
    let last = captures::last_organic(postgres, &SCOPE, term.id, device).await?;
    if last.is_some_and(|last| now - last < delay) {
        return Ok(None);
    }
    let saved = results.iter().map(|result| Organic {
        position: result.position.into(),
        domain: Some(result.domain.to_string()),
        url: result.url.clone(),
        title: result.title.clone(),
    });
    Ok(Some(saved.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_result_pages_are_answers() {
        assert_eq!(refusal(Verdict::Results, 200), None);
        assert_eq!(refusal(Verdict::Doubtful, 200), None);
        assert_eq!(refusal(Verdict::Results, 502), Some(CaptureFailure::HttpError));
        assert_eq!(refusal(Verdict::Blocked, 403), Some(CaptureFailure::Blocked));
        assert_eq!(refusal(Verdict::Shell, 200), Some(CaptureFailure::Shell));
    }

    #[test]
    fn too_often_and_not_now_are_refusals_whatever_stands_on_the_page() {
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
