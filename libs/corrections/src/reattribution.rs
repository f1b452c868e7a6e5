//! Giving the stored ads of a term to its present brand.

use analytics::ingest;
use postgres::reattributions::{self, BeginOutcome};
use postgres::rereading;
use vocabulary::{SystemScope, TermId};

use crate::{Error, Stores};

const SCOPE: SystemScope = SystemScope::new("reattributing ads");

/// The result of a reattribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reattributed {
    /// Ads were moved.
    Moved {
        /// Captures whose ads were moved.
        captures: u64,
        /// Months that have such ads.
        months: usize,
    },
    /// There is no such term.
    NoTerm,
    /// No administrator has this address.
    NoAdministrator,
}

/// Gives all captures and stored ads of a term the brand and keyword type that it has now, audited under the administrator with this e-mail address;
/// without such a term or administrator changes nothing. Waits for the lock on stored rows. Once journaled, an interrupted move is completed by
/// [`recover`] or by the next move, whose months then include it.
pub async fn reattribute(stores: &Stores, term: TermId, administrator: &str) -> Result<Reattributed, Error> {
    let lock = rereading::stop_storing(&stores.postgres).await?;
    let mut tx = postgres::begin(&stores.postgres).await?;
    let outcome = reattributions::begin(&mut tx, &SCOPE, term, administrator).await?;
    let captures = match outcome {
        BeginOutcome::Captures(captures) => captures,
        BeginOutcome::NoTerm => return Ok(Reattributed::NoTerm),
        BeginOutcome::NoAdministrator => return Ok(Reattributed::NoAdministrator),
    };
    tx.commit().await.map_err(postgres::Error::from)?;
    let months = carry_out_open(stores).await?;
    drop(lock);
    Ok(Reattributed::Moved { captures, months })
}

/// Completes interrupted reattributions and returns in how many months, summed over the terms, ads were moved. If there are any, waits for the lock
/// on stored rows and holds it meanwhile; else takes no lock.
pub async fn recover(stores: &Stores) -> Result<usize, Error> {
    if reattributions::open(&stores.postgres, &SCOPE).await?.is_empty() {
        return Ok(0);
    }
    let _lock = rereading::stop_storing(&stores.postgres).await?;
    let months = carry_out_open(stores).await?;
    tracing::warn!(months, "a reattribution that was interrupted is brought to its end");
    Ok(months)
}

/// For each open entry of the journal, gives the ads of its term to the journaled brand and closes the entry. Returns in how many months, summed over
/// the terms, ads were moved; months that are done are not touched again. The caller holds the lock on stored rows.
async fn carry_out_open(stores: &Stores) -> Result<usize, Error> {
    let mut months = 0;
    for open in reattributions::open(&stores.postgres, &SCOPE).await? {
        let owner = ingest::Owner {
            brand: open.brand.map_or(0, |brand| brand.0.unsigned_abs()),
            keyword_type: open.keyword_type.clone(),
        };
        months += ingest::reattribute(&stores.analytics, open.term.0.unsigned_abs(), &owner).await?;
        reattributions::end(&stores.postgres, &open).await?;
    }
    Ok(months)
}
