//! Step 1: whether a claimed slot may be searched now. Otherwise it is missed or waits.

use std::time::Duration;

use postgres::operations::pauses;
use postgres::slots::Claim;
use postgres::terms::{self, TermToCapture};
use vocabulary::{MissedReason, SystemScope, TermState};

use super::pictures::PageOrigin;
use super::{Attempts, Outcome, Step};

/// A slot is tried again after this while an administrator has paused its engine.
const PAUSED_WAIT: Duration = Duration::from_mins(1);

const SCOPE: SystemScope = SystemScope::new("admitting a search");

/// A search that may be made now, and its slot.
pub struct AdmittedSearch<'a> {
    pub claim: &'a Claim,
    pub term: TermToCapture,
    /// How its engine is reached (`browsing::Pool::route`).
    pub route: String,
}

impl AdmittedSearch<'_> {
    /// What the identity of the ads on its page depends on.
    pub fn origin(&self) -> PageOrigin {
        PageOrigin {
            engine: self.term.engine,
            device: self.claim.device,
            locale: self.term.locale.clone(),
        }
    }
}

/// Admits a search and takes its turn at the engine, for which it may wait. Otherwise ends the attempt: the slot is missed if it is superseded or its
/// term is gone or disabled; it goes back to the queue while the disk is full, ClickHouse congested, the engine paused or its turn too far away.
pub async fn admit<'a>(attempts: &Attempts, claim: &'a Claim) -> Step<AdmittedSearch<'a>> {
    let context = &attempts.context;
    if claim.is_superseded {
        return Err(Outcome::Missed(MissedReason::Superseded).into());
    }
    let term = terms::to_capture(&context.postgres, &SCOPE, claim.term).await?;
    let Some(term) = term.filter(|term| term.state == TermState::Enabled) else {
        return Err(Outcome::Missed(MissedReason::Disabled).into());
    };
    if let Some(wait) = attempts.disk.pause() {
        return Err(Outcome::Later(wait).into());
    }
    if let Some(wait) = attempts.storing.congestion().await? {
        return Err(Outcome::Later(wait).into());
    }
    if pauses::is_paused(&context.postgres, term.engine).await? {
        return Err(Outcome::Later(PAUSED_WAIT).into());
    }
    let route = context.browsers.route(term.engine, term.locale.country());
    if let Err(wait) = attempts.engines.wait_for_turn(term.engine, &route).await {
        return Err(Outcome::Later(wait).into());
    }
    Ok(AdmittedSearch { claim, term, route })
}
