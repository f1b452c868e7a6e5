//! Failures on demand.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

/// A failure of the calls to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// The operations of the day are used up.
    DailyLimit,
    /// Too many calls in a short time.
    ShortLimit,
    /// An internal error of Google.
    ServerError,
    /// An answer that takes longer than anybody waits.
    Slow,
    /// A stream of figures that breaks off in the middle.
    CutStream,
    /// The first operation of a change is refused, the others are made.
    PartialFailure,
    /// A change is made, and its answer is lost.
    LostAnswer,
    /// Every grant is revoked at the next call.
    GrantRevoked,
    /// The version of the API has ended.
    VersionEnded,
    /// The project is not approved.
    NotApproved,
    /// The limit of Search Console is reached.
    ConsoleQuota,
}

/// How often each failure is still to happen.
#[derive(Debug, Default)]
pub struct Faults(HashMap<Fault, u32>);

impl Faults {
    /// Has a failure happen so often, from now on.
    pub fn set(&mut self, fault: Fault, times: u32) {
        self.0.insert(fault, times);
    }

    /// Whether a failure happens now; it counts then.
    pub fn takes_place(&mut self, fault: Fault) -> bool {
        let Some(left) = self.0.get_mut(&fault).filter(|left| **left > 0) else {
            return false;
        };
        *left -= 1;
        true
    }
}
