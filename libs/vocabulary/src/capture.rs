//! How captures end.

use serde::{Deserialize, Serialize};

/// What a captured page is. Only `Results` answers the search; every other verdict is a failed capture and never means 'no ads'.
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
pub enum Verdict {
    /// A result page, with or without ads.
    Results,
    /// Results were read, but an independent count of ad labels disagrees.
    Doubtful,
    /// The engine asks for a captcha.
    Captcha,
    /// The engine asks for cookie consent.
    Consent,
    /// The engine refuses to answer.
    Blocked,
    /// A page skeleton without results (its scripts did not run).
    Shell,
    /// An HTTP error page.
    HttpError,
}

impl Verdict {
    /// Whether ads read off this page may be stored: it is `Results` or `Doubtful`.
    pub const fn is_results(self) -> bool {
        matches!(self, Self::Results | Self::Doubtful)
    }
}

/// Why a slot ended without results, as stored in the ledger and shown to operators.
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
pub enum CaptureFailure {
    /// The page asked for a captcha.
    Captcha,
    /// Consent could not be answered.
    Consent,
    /// The engine refused.
    Blocked,
    /// The page stayed an empty shell.
    Shell,
    /// The engine answered an HTTP error.
    HttpError,
    /// The page was not complete within the deadline.
    Timeout,
    /// The engine could not be reached.
    Network,
    /// The page is over the size limit.
    TooLarge,
    /// Too many redirects.
    Redirects,
    /// The browser died or could not be started.
    Browser,
    /// The page could not be read.
    Unreadable,
    /// Three claims of this slot were lost; its input is in quarantine.
    Poison,
    /// The ad store refused the rows of this capture.
    Refused,
    /// The engine is paused (circuit breaker or operator).
    Paused,
}

/// The life of a slot: one due run of a term on a device.
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
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum SlotState {
    /// A job is (to be) in the queue.
    Queued,
    /// A worker holds the lease and captures.
    Capturing,
    /// The page is kept; its ads are read.
    Captured,
    /// Its rows are in a manifest that is being stored.
    Storing,
    /// Its rows were read back from ClickHouse: the count is right.
    Verified,
    /// Ended without results, with a reason.
    Failed,
    /// Never run, with a reason.
    Missed,
}

/// Why a due slot was never run, as stored in the ledger and shown to operators.
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
pub enum MissedReason {
    /// No process was there to claim it in time.
    Downtime,
    /// The next slot of the term was due before this one could be run.
    Superseded,
    /// The term was paused, archived or made impossible to search before it could be run.
    Disabled,
}
