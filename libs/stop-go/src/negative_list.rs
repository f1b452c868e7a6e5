//! The list of exact negative keywords that stops the lanes of one Google item and country.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use thiserror::Error;

/// Why a list was not read, or a text not changed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NegativeListError {
    /// It was refused, and asking again is no use.
    #[error("refused: {reason}")]
    Refused {
        /// What the service says.
        reason: String,
    },
    /// The service cannot be asked now.
    #[error("not available")]
    Unavailable {
        /// How long to wait before the next call.
        retry_after: Duration,
    },
    /// Whether it was done is unknown: the list has to be read.
    #[error("the outcome is unknown")]
    Unknown,
}

/// What became of one text.
pub type TextOutcome = (String, Result<(), NegativeListError>);

/// What a list covers once it is attached.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Coverage {
    /// Campaigns that it is attached to.
    pub campaigns: u32,
    /// The share of cost that Performance Max has, which no list covers, in percent (decision D199).
    pub pmax_percent: f64,
}

/// The negative list of one Google item and country. Adding a text that is there, and removing one that is not, is done.
pub trait NegativeList: Send + Sync {
    /// The texts in the list, folded as they were added.
    fn texts(&self) -> BoxFuture<'_, Result<BTreeSet<String>, NegativeListError>>;
    /// Adds texts as exact negatives, and says what became of each.
    fn add<'a>(&'a self, texts: &'a [String]) -> BoxFuture<'a, Result<Vec<TextOutcome>, NegativeListError>>;
    /// Removes texts, and says what became of each.
    fn remove<'a>(&'a self, texts: &'a [String]) -> BoxFuture<'a, Result<Vec<TextOutcome>, NegativeListError>>;
    /// Makes the list, unless it is there, and attaches it to its campaigns. Refused when a campaign serves other countries too.
    fn attach(&self) -> BoxFuture<'_, Result<Coverage, NegativeListError>>;
    /// How many of its campaigns it is still attached to, and whether these are all that it was attached to.
    fn attached(&self) -> BoxFuture<'_, Result<(u32, bool), NegativeListError>>;
    /// Detaches the list from its campaigns in one call, however many texts it has.
    fn detach(&self) -> BoxFuture<'_, Result<(), NegativeListError>>;
}

/// What a list is needed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Urgency {
    /// Ads have to show again: that may use the part of the budget that is kept for it.
    Go,
    /// Anything else: it waits when the budget is nearly used up.
    Later,
}

/// Where negative lists are found.
pub trait NegativeLists: Send + Sync {
    /// Whether lists are changed at all; if not, each change is refused with the reason.
    fn mutates(&self) -> bool;
    /// The list of a Google item (its row) and country (two letters).
    fn list(&self, item: i32, country: &str, urgency: Urgency) -> Arc<dyn NegativeList>;
}
