//! The unpaid results that are saved with a capture.

use capture::OrganicResult;
use chrono::{DateTime, TimeDelta, Utc};
use postgres::Pool;
use postgres::captures::{self, Organic};
use postgres::terms::TermToCapture;
use vocabulary::{Device, SystemScope};

use crate::Error;

/// Between two captures whose organic results are saved, unless the term sets another delay (decision D154).
const DELAY: TimeDelta = TimeDelta::days(15);

const SCOPE: SystemScope = SystemScope::new("saving organic results");

/// The organic results to save with a capture; `None` when the term wants none saved, or some were saved on this device within its delay ([`DELAY`]
/// unless the term sets one).
pub async fn to_save(
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
        .unwrap_or(DELAY);
    let last = captures::last_organic_at(postgres, &SCOPE, term.id, device).await?;
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
