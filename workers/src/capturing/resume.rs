//! Instead of steps 1 to 4, when an earlier attempt has stored the page: its ads are read off it again.

use analytics::ingest::stored_ads;
use postgres::actions::detection::Sighting;
use postgres::captures;
use postgres::manifests::{self, ManifestId, ManifestState};
use postgres::slots::Claim;
use vocabulary::{CaptureFailure, SlotState, SystemScope};

use super::{Attempts, EndedAttempt, Outcome, Step};
use crate::Error;
use crate::pages::{self, ReadCapture};
use crate::storing::{AWAY_WAIT, RECOVERY_WAIT};

const SCOPE: SystemScope = SystemScope::new("storing again");

/// The capture to store. Ends the attempt if its rows were read back already, or if a manifest with an unknown outcome has them.
pub async fn resume(attempts: &Attempts, claim: &Claim) -> Step<ReadCapture> {
    let context = &attempts.context;
    if claim.state == SlotState::Storing {
        let Some((manifest, ManifestState::Verified)) = manifests::of_slot(&context.postgres, claim.held.id).await?
        else {
            // The worker that holds the manifest, or the next recovery, finds out what became of it.
            return Err(Outcome::Later(RECOVERY_WAIT).into());
        };
        let stored = EndedAttempt {
            outcome: Outcome::Stored,
            sightings: sightings(attempts, claim, manifest).await?,
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

/// The sightings of a capture whose rows were read back while its slot was not settled, as ClickHouse has them.
async fn sightings(attempts: &Attempts, claim: &Claim, manifest: ManifestId) -> Result<Vec<Sighting>, Error> {
    let context = &attempts.context;
    let Some(capture) = captures::of_slot(&context.postgres, &SCOPE, claim.held.id).await? else {
        return Ok(Vec::new());
    };
    let ads = stored_ads(&context.analytics, manifest.0.cast_unsigned(), capture.id.0).await?;
    let ads = ads.iter().map(|ad| (ad.domain.as_str(), ad.kind.as_str()));
    Ok(pages::sightings(&capture, ads))
}
