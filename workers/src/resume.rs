//! Going on where an earlier attempt stopped: the page is kept, its ads are read off it again.

use records::captures::{self, Capture};
use records::manifests;
use records::slots::Claim;
use vocabulary::{CaptureFailure, Scope, SlotState};

use crate::attempt::{Attempts, Outcome};
use crate::page::Taken;
use crate::parts::Parts;
use crate::storing::{AWAY_WAIT, RECOVERY_WAIT};
use crate::{Error, merchants, rows};

const SCOPE: Scope = Scope::system("storing again");

/// What is to be stored of a slot whose page is kept. The inner error is how the attempt ends without storing.
pub async fn resume(attempts: &Attempts, claim: &Claim) -> Result<Result<Taken, Outcome>, Error> {
    let records = &attempts.parts.records;
    if claim.state == SlotState::Storing {
        return Ok(Err(match manifests::of_slot(records, claim.held.id).await? {
            Some((_, manifests::State::Verified)) => Outcome::Stored,
            // Whoever holds the manifest, or the next tick, finds out what became of it.
            _ => Outcome::Later(RECOVERY_WAIT),
        }));
    }
    if attempts.storing.is_away() {
        return Ok(Err(Outcome::Later(AWAY_WAIT)));
    }
    let Some(capture) = captures::of_slot(records, &SCOPE, claim.held.id).await? else {
        return Ok(Err(Outcome::GivenUp(CaptureFailure::Unreadable)));
    };
    Ok(match read_again(&attempts.parts, capture).await? {
        Some(taken) => {
            note_counts(attempts, &taken).await?;
            Ok(taken)
        }
        None => Err(Outcome::GivenUp(CaptureFailure::Unreadable)),
    })
}

/// Reads the kept page of a capture again; its viewing copy stays as it is. `None` when the page is gone or damaged, or the reader breaks
/// down on it.
pub async fn read_again(parts: &Parts, mut capture: Capture) -> Result<Option<Taken>, Error> {
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
    merchants::fill(&parts.records, &mut read).await?;
    capture.reading = rows::reading(&read, capture.reading.view, capture.reading.view_bytes);
    Ok(Some(Taken { capture, read }))
}

async fn note_counts(attempts: &Attempts, taken: &Taken) -> Result<(), Error> {
    let capture = &taken.capture;
    captures::reread(&attempts.parts.records, capture.id, &capture.reading).await?;
    Ok(())
}
