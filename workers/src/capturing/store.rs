//! Step 5: the ads of a capture go to ClickHouse in a batch and are read back.

use postgres::slots::Claim;
use vocabulary::{CaptureFailure, Verdict};

use super::{Attempts, EndedAttempt, Outcome, Step};
use crate::pages::{self, ReadCapture, rows};
use crate::stop_go::SeenPage;
use crate::storing::{AWAY_WAIT, StoreEnd};

/// Stores the ads of a capture in a batch and waits until they are read back. Returns how the attempt ends: stored, with the sightings; given up if
/// ClickHouse refuses the rows; later if it is away; lost if the claim is no longer held. A capture without ads counts as stored at once, without
/// sightings. Also counts the page as read in the metrics.
pub async fn store(attempts: &Attempts, claim: &Claim, captured: ReadCapture) -> Step<EndedAttempt> {
    let ReadCapture { capture, read } = captured;
    let ads = match read.verdict_to_store() {
        Verdict::Results if read.ads.is_empty() => "none",
        Verdict::Results => "some",
        // There may be more than was read.
        _ => "doubtful",
    };
    metrics::counter!("vigie_pages_read_total", "engine" => capture.engine.to_string(), "ads" => ads).increment(1);
    let rows = rows::ad_rows(&capture, &read);
    let seen = SeenPage::new(&capture, &read);
    if rows.is_empty() {
        return Ok(EndedAttempt {
            seen,
            ..Outcome::Stored.into()
        });
    }
    let sightings = pages::sightings(&capture, &rows);
    Ok(match attempts.batches.store(claim.held, &capture, rows).await {
        StoreEnd::Verified => EndedAttempt {
            outcome: Outcome::Stored,
            sightings,
            seen,
        },
        StoreEnd::Refused => Outcome::GivenUp(CaptureFailure::Refused).into(),
        StoreEnd::Away => Outcome::Later(AWAY_WAIT).into(),
        StoreEnd::Lost => Outcome::Lost.into(),
    })
}
