//! The unit that stops and goes: one text in one country of one Google item (decision D193).

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use crate::Mode;

/// Where a lane is.
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
pub enum LaneState {
    /// A switch is off: nothing of ours is in the list.
    Off,
    /// Ads run; captures are looked at.
    Watching,
    /// Clean long enough, and waits for a guard, a cap or a person.
    Candidate,
    /// To be stopped; the list does not show it yet.
    Stopping,
    /// Stopped: the text is in the list.
    Stopped,
    /// To go; the list still shows the text.
    Resuming,
    /// Ads run, and it may not stop yet.
    Cooling,
    /// The rule has nothing to go by, so ads run.
    Failing,
    /// A person, or a change in Google, decides.
    Manual,
}

/// A device of a term that a lane is captured with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// The number of term and device.
    pub id: u32,
    /// Between two of its captures.
    pub interval: TimeDelta,
}

/// Which switch is off, if one is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Switch {
    /// All are on.
    #[default]
    On,
    /// The automation of the product is off: what a person wants stays.
    Product,
    /// The brand or the keyword is off, or the keyword goes: nothing of ours stays in the list.
    Lane,
}

/// What a lane decides by besides its captures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own, and any of them may hold"
)]
pub struct Circumstances {
    /// What it may do by itself.
    pub mode: Mode,
    /// Which switch is off.
    pub switch: Switch,
    /// Whether every guard is satisfied.
    pub guards_pass: bool,
    /// Whether a person approved this stop.
    pub approved: bool,
    /// Whether it is kept as a control.
    pub holdout: bool,
    /// Stops and goes of its Google item today.
    pub item_toggles: u16,
    /// Whether fewer lanes, and less of the cost, are stopped than the caps say.
    pub room: bool,
}

impl Circumstances {
    /// Those of a lane that nothing keeps from stopping by itself.
    pub const UNHINDERED: Self = Self {
        mode: Mode::Automatic,
        switch: Switch::On,
        guards_pass: true,
        // A slow lane is approved by a person.
        approved: true,
        holdout: false,
        item_toggles: 0,
        room: true,
    };
}

/// A lane as it is, and what its captures come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lane {
    /// Where it is.
    pub state: LaneState,
    /// When it came into this state.
    pub since: DateTime<Utc>,
    /// Whether its text should be in the list.
    pub desired: bool,
    /// Whether its text is in the list, as last read; `None` if it was never read.
    pub observed: Option<bool>,
    /// When it was stopped last.
    pub stopped_at: Option<DateTime<Utc>>,
    /// Until when it may not stop.
    pub min_go_until: Option<DateTime<Utc>>,
    /// How long it goes after the next stop, if it differs from the settings.
    pub min_go: Option<TimeDelta>,
    /// Stops and goes today.
    pub toggles_today: u16,
    /// Where its captures come from.
    pub sources: Vec<Source>,
    /// What it decides by besides.
    pub circumstances: Circumstances,
}

impl Lane {
    /// A lane that was never decided on.
    pub fn new(since: DateTime<Utc>, sources: Vec<Source>, circumstances: Circumstances) -> Self {
        Self {
            state: LaneState::Watching,
            since,
            desired: false,
            observed: None,
            stopped_at: None,
            min_go_until: None,
            min_go: None,
            toggles_today: 0,
            sources,
            circumstances,
        }
    }
}
