//! Giving the stored ads of a term to its present brand.

use analytics::ingest;
use postgres::reattributions::{self, BeginOutcome};
use postgres::rereading;
use vocabulary::{SystemScope, TermId};

use crate::{Error, Stores};

const SCOPE: SystemScope = SystemScope::new("reattributing ads");

/// What came of a reattribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reattributed {
    /// So many captures, and ads in so many months, were moved.
    Moved {
        /// Captures.
        captures: u64,
        /// Months.
        months: usize,
    },
    /// There is no such term.
    NoTerm,
    /// No administrator has this address.
    NoAdministrator,
}

/// Moves all that was captured of a term to its present brand and type, on behalf of an administrator. From the journal on it is brought to
/// its end, if not by this call.
pub async fn reattribute(stores: &Stores, term: TermId, by: &str) -> Result<Reattributed, Error> {
    let alone = rereading::stop_storing(&stores.postgres).await?;
    let mut tx = postgres::begin(&stores.postgres).await?;
    let begun = reattributions::begin(&mut tx, &SCOPE, term, by).await?;
    let captures = match begun {
        BeginOutcome::Captures(captures) => captures,
        BeginOutcome::NoTerm => return Ok(Reattributed::NoTerm),
        BeginOutcome::NoAdministrator => return Ok(Reattributed::NoAdministrator),
    };
    tx.commit().await.map_err(postgres::Error::from)?;
    let months = converge(stores).await?;
    drop(alone);
    Ok(Reattributed::Moved { captures, months })
}

/// Brings reattributions that were interrupted to their end. Answers in how many months ads were moved; 0 as a rule.
pub async fn recover(stores: &Stores) -> Result<usize, Error> {
    if reattributions::open(&stores.postgres, &SCOPE).await?.is_empty() {
        return Ok(0);
    }
    let _alone = rereading::stop_storing(&stores.postgres).await?;
    let months = converge(stores).await?;
    tracing::warn!(months, "a reattribution that was interrupted is brought to its end");
    Ok(months)
}

/// Moves ads month by month. What was moved before is not touched again. The caller keeps others from changing rows.
async fn converge(stores: &Stores) -> Result<usize, Error> {
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
