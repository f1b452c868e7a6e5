//! From a claimed slot to a kept page: search, judge, keep both files, record.

use std::time::Duration;

use capture::browsing::{CaptureError, CapturedPage, Place, SearchRequest};
use capture::{OrganicResult, ReadPage};
use chrono::{DateTime, TimeDelta, Utc};
use records::captures::{self, Capture, Headers, Organic};
use records::slots::Claim;
use records::terms::{self, TermToCapture};
use vocabulary::{CaptureFailure, MissedReason, Scope, TermState, Verdict};

use crate::attempt::{Attempts, Outcome};
use crate::{Error, rows};

/// Organic results are saved again after this, where the term says nothing (decision D154).
const ORGANIC_DELAY: TimeDelta = TimeDelta::days(15);
/// A page that could not be written (full disk) is captured again after this.
const RETRY_KEEPING: Duration = Duration::from_mins(1);

const SCOPE: Scope = Scope::system("capturing");

/// A capture whose page is kept, with what was read off it.
pub struct Taken {
    pub capture: Capture,
    pub read: ReadPage,
}

/// Captures the slot's search and keeps the page. The inner error is how the attempt ends without one.
pub async fn take(attempts: &Attempts, claim: &Claim) -> Result<Result<Taken, Outcome>, Error> {
    if claim.is_superseded {
        return Ok(Err(Outcome::Missed(MissedReason::Superseded)));
    }
    let term = terms::to_capture(&attempts.parts.records, &SCOPE, claim.term).await?;
    let Some(term) = term.filter(|term| term.state == TermState::Enabled) else {
        return Ok(Err(Outcome::Missed(MissedReason::Disabled)));
    };
    if let Some(wait) = attempts.storing.is_congested().await? {
        return Ok(Err(Outcome::Later(wait)));
    }
    if let Err(wait) = attempts.engines.enter(term.engine).await {
        return Ok(Err(Outcome::Later(wait)));
    }
    let taken_at = attempts.parts.clock.now();
    let page = match attempts.parts.browsers.capture(request(claim, &term)).await {
        Ok(page) => page,
        Err(CaptureError::ShuttingDown) => return Ok(Err(Outcome::Later(Duration::ZERO))),
        Err(error) => {
            tracing::warn!(slot = %claim.held.id, %error, "not captured");
            return Ok(Err(failed(attempts, &term, error.failure()).await));
        }
    };
    judge_and_keep(attempts, claim, term, page, taken_at).await
}

async fn judge_and_keep(
    attempts: &Attempts,
    claim: &Claim,
    term: TermToCapture,
    page: CapturedPage,
    taken_at: DateTime<Utc>,
) -> Result<Result<Taken, Outcome>, Error> {
    let (engine, base) = (term.engine, page.final_url.clone());
    // A reader that panics on a page ends this attempt, not the worker.
    let reading = tokio::task::spawn_blocking(move || {
        let (read, view) = capture::read_and_copy(&page.html, engine, &base);
        (page, read, view)
    });
    let Ok((page, read, view)) = reading.await else {
        tracing::error!(slot = %claim.held.id, "the reader broke down on this page");
        return Ok(Err(failed(attempts, &term, CaptureFailure::Unreadable).await));
    };
    if let Some(failure) = refusal(read.judged(), page.status) {
        return Ok(Err(failed(attempts, &term, failure).await));
    }
    attempts.engines.answered(engine).await;

    let organic = organic(attempts, claim, &term, &read.organic, taken_at).await?;
    let (page_bytes, view_bytes) = (size(&page.html), size(&view));
    let kept = async {
        let document = attempts.parts.blobs.keep(page.html.into_bytes()).await?;
        Ok::<_, blobs::Error>((document, attempts.parts.blobs.keep(view.into_bytes()).await?))
    };
    let (document, view) = match kept.await {
        Ok(digests) => digests,
        Err(error) => {
            tracing::error!(slot = %claim.held.id, %error, "the page could not be kept");
            return Ok(Err(Outcome::Later(RETRY_KEEPING)));
        }
    };
    let capture = Capture {
        id: claim.capture,
        attempt: claim.held.attempt,
        term_id: Some(term.id),
        brand_id: term.brand,
        localization_id: Some(term.localization),
        term: term.term,
        brand: term.brand_label,
        keyword_type: term.keyword_type,
        engine: term.engine,
        device: claim.device,
        locale: term.locale,
        city: term.city,
        region: term.region,
        slot_time: claim.slot_time,
        taken_at,
        final_url: page.final_url.into(),
        http_status: Some(page.status),
        headers: without_cookies(page.headers),
        page: document,
        page_bytes: Some(page_bytes),
        screenshot: None,
        files_gone_at: None,
        reading: rows::reading(&read, view, view_bytes),
        saves_text_ads: !term.options.disable_save_ads,
        saves_shopping_ads: term.options.save_shopping_ads,
        organic_results: organic
            .as_ref()
            .map(|results| u32::try_from(results.len()).unwrap_or(u32::MAX)),
    };
    let mut tx = attempts.parts.records.begin().await.map_err(records::Error::from)?;
    if !captures::keep(&mut tx, claim.held, &capture, &organic.unwrap_or_default()).await? {
        return Ok(Err(Outcome::Lost));
    }
    tx.commit().await.map_err(records::Error::from)?;
    Ok(Ok(Taken { capture, read }))
}

fn request(claim: &Claim, term: &TermToCapture) -> SearchRequest {
    let place = term.region.as_ref().or(term.city.as_ref()).map(|place| Place {
        canonical_name: match &term.country_name {
            Some(country) => format!("{place},{country}"),
            None => place.clone(),
        },
        coordinates: None,
        time_zone: None,
    });
    SearchRequest {
        engine: term.engine,
        device: claim.device,
        term: term.term.clone(),
        locale: term.locale.clone(),
        place,
        screenshot: false,
        resources: false,
        deadline: None,
    }
}

/// Why a page is no answer; such a page never means 'no ads'.
fn refusal(verdict: Verdict, status: u16) -> Option<CaptureFailure> {
    match verdict {
        Verdict::Captcha => Some(CaptureFailure::Captcha),
        Verdict::Consent => Some(CaptureFailure::Consent),
        Verdict::Blocked => Some(CaptureFailure::Blocked),
        Verdict::HttpError => Some(CaptureFailure::HttpError),
        _ if status >= 400 => Some(CaptureFailure::HttpError),
        Verdict::Shell => Some(CaptureFailure::Shell),
        Verdict::Results | Verdict::Doubtful => None,
    }
}

fn size(text: &str) -> u32 {
    u32::try_from(text.len()).unwrap_or(u32::MAX)
}

/// What a response set on the browser is no part of the evidence.
fn without_cookies(mut headers: Headers) -> Headers {
    headers.retain(|(name, _)| !name.eq_ignore_ascii_case("set-cookie"));
    headers
}

async fn failed(attempts: &Attempts, term: &TermToCapture, failure: CaptureFailure) -> Outcome {
    attempts.engines.failed(term.engine, failure).await;
    Outcome::Failed(failure)
}

/// The organic results to be saved; `None` when the term asks for none now.
async fn organic(
    attempts: &Attempts,
    claim: &Claim,
    term: &TermToCapture,
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
    let last = captures::last_organic(&attempts.parts.records, &SCOPE, term.id, claim.device).await?;
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
}
