//! Takes the place of steps 1 to 4 when an earlier attempt has stored the page: reads its ads off the page again.

use analytics::ingest::stored_ads;
use postgres::actions::detection::Sighting;
use postgres::captures;
use postgres::manifests::{self, ManifestId, ManifestState};
use postgres::slots::Claim;
use vocabulary::{CaptureFailure, SlotState, SystemScope};

use super::{Attempts, EndedAttempt, Outcome, Step};
use crate::Error;
use crate::pages::{self, ReadCapture};
use crate::stop_go::SeenPage;
use crate::storing::{AWAY_WAIT, RECOVERY_WAIT};

const SCOPE: SystemScope = SystemScope::new("storing again");

/// Reads the kept page of a slot again, so that its ads can be stored; the ledger gets the new reading. Ends the attempt instead if its manifest is
/// verified already (stored, with the sightings), if the outcome of its manifest is unknown or ClickHouse is away (the slot waits), or if the page is
/// gone or unreadable (given up).
pub async fn resume(attempts: &Attempts, claim: &Claim) -> Step<ReadCapture> {
    let context = &attempts.context;
    if claim.state == SlotState::Storing {
        let Some((manifest, ManifestState::Verified)) = manifests::of_slot(&context.postgres, claim.held.id).await?
        else {
            // The worker that holds the manifest, or the next recovery, finds out how it ended.
            return Err(Outcome::Later(RECOVERY_WAIT).into());
        };
        let stored = EndedAttempt {
            outcome: Outcome::Stored,
            sightings: stored_sightings(attempts, claim, manifest).await?,
            seen: seen_page(attempts, claim).await?,
        };
        return Err(stored.into());
    }
    if attempts.storing.is_away() {
        return Err(Outcome::Later(AWAY_WAIT).into());
    }
    let unreadable = Outcome::GivenUp(CaptureFailure::Unreadable);
    let Some(capture) = captures::of_slot(&context.postgres, &SCOPE, claim.held.id).await? else {
        return Err(unreadable.into());
    };
    let Some(captured) = pages::read_again(context, capture).await? else {
        return Err(unreadable.into());
    };
    captures::reread(&context.postgres, captured.capture.id, &captured.capture.reading).await?;
    Ok(captured)
}

/// What lanes need of the kept page of a slot; `None` when the page is gone or lanes need nothing of it.
async fn seen_page(attempts: &Attempts, claim: &Claim) -> Result<Option<SeenPage>, Error> {
    let context = &attempts.context;
    let Some(capture) = captures::of_slot(&context.postgres, &SCOPE, claim.held.id).await? else {
        return Ok(None);
    };
    let again = pages::read_again(context, capture).await?;
    Ok(again.and_then(|again| SeenPage::new(&again.capture, &again.read)))
}

/// The sightings in a capture whose rows are verified in ClickHouse although its slot is not settled yet, made of those stored rows; empty when the
/// capture is gone.
async fn stored_sightings(attempts: &Attempts, claim: &Claim, manifest: ManifestId) -> Result<Vec<Sighting>, Error> {
    let context = &attempts.context;
    let Some(capture) = captures::of_slot(&context.postgres, &SCOPE, claim.held.id).await? else {
        return Ok(Vec::new());
    };
    let ads = stored_ads(&context.analytics, manifest.0.cast_unsigned(), capture.id.0).await?;
    Ok(pages::sightings(&capture, &ads))
}
