//! Going on where an earlier attempt stopped: the page is kept, its ads are read off it again.

use analytics::ingest::stored_ads;
use postgres::actions::detection::Sighting;
use postgres::captures::{self, Capture};
use postgres::manifests::{self, ManifestId};
use postgres::slots::Claim;
use vocabulary::{CaptureFailure, SlotState, SystemScope};

use crate::attempt::{Attempts, EndedAttempt, Outcome};
use crate::context::WorkerContext;
use crate::page::ReadCapture;
use crate::storing::{AWAY_WAIT, RECOVERY_WAIT};
use crate::{Error, emptiness, merchants, rows, sightings};

const SCOPE: SystemScope = SystemScope::new("storing again");

/// What is to be stored of a slot whose page is kept. The inner error is how the attempt ends without storing.
pub async fn resume(attempts: &Attempts, claim: &Claim) -> Result<Result<ReadCapture, EndedAttempt>, Error> {
    let postgres = &attempts.parts.postgres;
    if claim.state == SlotState::Storing {
        return Ok(Err(match manifests::of_slot(postgres, claim.held.id).await? {
            Some((manifest, manifests::ManifestState::Verified)) => EndedAttempt {
                outcome: Outcome::Stored,
                seen: seen(attempts, claim, manifest).await?,
            },
            // Whoever holds the manifest, or the next tick, finds out what became of it.
            _ => Outcome::Later(RECOVERY_WAIT).into(),
        }));
    }
    if attempts.storing.is_away() {
        return Ok(Err(Outcome::Later(AWAY_WAIT).into()));
    }
    let Some(capture) = captures::of_slot(postgres, &SCOPE, claim.held.id).await? else {
        return Ok(Err(Outcome::GivenUp(CaptureFailure::Unreadable).into()));
    };
    Ok(match read_again(&attempts.parts, capture).await? {
        Some(taken) => {
            note_counts(attempts, &taken).await?;
            Ok(taken)
        }
        None => Err(Outcome::GivenUp(CaptureFailure::Unreadable).into()),
    })
}

/// What a capture saw whose rows were read back, but whose slot was not settled: as the store holds it.
async fn seen(attempts: &Attempts, claim: &Claim, manifest: ManifestId) -> Result<Vec<Sighting>, Error> {
    let Some(capture) = captures::of_slot(&attempts.parts.postgres, &SCOPE, claim.held.id).await? else {
        return Ok(Vec::new());
    };
    let ads = stored_ads(&attempts.parts.analytics, manifest.0.cast_unsigned(), capture.id.0).await?;
    Ok(sightings::sightings(
        &capture,
        ads.iter().map(|ad| (ad.domain.as_str(), ad.kind.as_str())),
    ))
}

/// Reads the kept page of a capture again; its viewing copy stays as it is. `None` when the page is gone or damaged, or the reader breaks
/// down on it.
pub async fn read_again(parts: &WorkerContext, mut capture: Capture) -> Result<Option<ReadCapture>, Error> {
    let page = match parts.blobs.read(&capture.page).await {
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
    emptiness::recall(&parts.postgres, &capture, &mut read).await?;
    merchants::fill(&parts.postgres, &mut read).await?;
    capture.reading = rows::reading(&read, capture.reading.view, capture.reading.view_bytes);
    Ok(Some(ReadCapture { capture, read }))
}

async fn note_counts(attempts: &Attempts, taken: &ReadCapture) -> Result<(), Error> {
    let capture = &taken.capture;
    captures::reread(&attempts.parts.postgres, capture.id, &capture.reading).await?;
    Ok(())
}
