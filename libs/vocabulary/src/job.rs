//! The jobs that run on a schedule.

use serde::{Deserialize, Serialize};

/// A job that runs on a schedule, in one process at a time (decision D151).
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    strum::Display,
    strum::EnumString,
    strum::VariantArray,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Job {
    /// Adds up the results of closed days.
    SealDays,
    /// Compares the added up days with the results.
    CheckRollUps,
    /// Compares the ledger with the stored results, both ways, and mends what differs.
    Reconcile,
    /// Deletes results and pages whose retention is over (decision D145).
    Retention,
    /// Counts the views of brands, company accounts and tags (decision D72).
    RefreshTotals,
    /// Closes the cases of advertisers that are no longer seen (decision D54).
    Disappear,
    /// Counts the views of the cases of advertisers (decision D48).
    Prioritize,
    /// Requests the monthly searches of terms with the automatic frequency again (decision D93).
    RefreshSearchStats,
    /// Writes the first mail in the cases of brands that notify every advertiser (decision D47).
    Notify,
    /// Sends the reminders that are due, and blocks the cases whose cycle is over (decision D46).
    Remind,
    /// Plans captures of accepted cases that look whether the advertisers have stopped.
    CheckAccepted,
    /// Checks the grants of Google, and reads its figures of the last days again.
    RefreshFigures,
    /// Compares negative lists in Google with what lanes want.
    CompareLists,
    /// Keeps what the ads of each day show about the advertisers behind them.
    LinkAdvertisers,
}

/// How a run of a job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, strum::Display, strum::EnumString)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum JobOutcome {
    /// It did what it is for.
    Done,
    /// It could not, and says why.
    Failed,
    /// Its process ended before it did.
    Interrupted,
}
