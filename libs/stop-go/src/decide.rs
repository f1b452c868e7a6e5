//! The rule: slow to stop, quick to go.

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use crate::lane::{Lane, LaneState, Switch};
use crate::reading::Readings;
use crate::{Mode, Settings};

/// How long a list may differ from what is wanted before the lane counts as failing.
const PATIENCE: TimeDelta = TimeDelta::minutes(15);
/// After a go, how long a text that appears in the list counts as a change of ours that came late.
const LATE_CHANGE: TimeDelta = TimeDelta::minutes(15);
/// A lane that is captured less often may propose, but not stop by itself: it would go too late.
const LONGEST_AUTOMATIC_INTERVAL: TimeDelta = TimeDelta::hours(1);

/// A stop that was shorter counts as flapping: the next pause before a stop is twice as long.
const SHORT_STOP: TimeDelta = TimeDelta::hours(12);

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, strum::Display, strum::EnumString)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Action {
    /// Everything stays as it is.
    Keep,
    /// The text goes into the list.
    Stop,
    /// The text leaves the list.
    Go,
    /// A person is asked to approve a stop.
    Propose,
}

/// Why: the rule that decided.
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
pub enum Rule {
    /// A switch is off.
    SwitchedOff,
    /// A switch is on again.
    SwitchedOn,
    /// A person decides.
    Manual,
    /// A person keeps it stopped while a rival is there: alert.
    RivalWhileManual,
    /// A rival advertises.
    Rival,
    /// The captures leave open whether a rival advertises.
    Unsure,
    /// As `Unsure`, but the stop is too young to be ended by it.
    UnsureTooSoon,
    /// A device has no recent valid capture.
    Stale,
    /// The hour of the week is outside those allowed.
    OutsideHours,
    /// Nothing may be stopped now.
    Blackout,
    /// The day has no stop and go left.
    ToggleCap,
    /// Too many lanes, or too much of the cost, are stopped.
    StoppedCap,
    /// Kept as a control.
    Holdout,
    /// A guard is not satisfied.
    Guards,
    /// Captures are too far apart.
    IntervalTooLong,
    /// It only observes.
    Observing,
    /// Clean, and a person is asked.
    AwaitsApproval,
    /// Clean long and often enough.
    Clean,
    /// Not clean long or often enough yet.
    NotYetClean,
    /// It went a short time ago.
    Cooling,
    /// The list shows what is wanted.
    Confirmed,
    /// The list does not show what is wanted yet.
    AwaitsList,
    /// The list has not shown what is wanted for too long: alert.
    ListOverdue,
    /// What was taken out is in the list again within minutes: a change whose answer was lost came late.
    CameBack,
    /// A person, or Google, changed the list: the lane becomes manual.
    ChangedInGoogle,
    /// Recent captures are there again.
    Recovered,
}

/// What a lane does next, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Where it is from now on.
    pub state: LaneState,
    /// What is done.
    pub action: Action,
    /// The rule behind it.
    pub reason: Rule,
}

impl Lane {
    /// Follows a decision that was made at `now`.
    pub fn follow(&mut self, decision: Decision, now: DateTime<Utc>, settings: &Settings) {
        match decision.action {
            Action::Stop => {
                self.desired = true;
                self.stopped_at = Some(now);
                self.toggles_today = self.toggles_today.saturating_add(1);
            }
            Action::Go => {
                self.desired = false;
                self.toggles_today = self.toggles_today.saturating_add(1);
                let usual = TimeDelta::hours(settings.min_go_hours.into());
                let pause = self.min_go.unwrap_or(usual).max(usual);
                let was_short = self.stopped_at.is_some_and(|stopped| now - stopped < SHORT_STOP);
                self.min_go_until = Some(now + pause);
                self.min_go = was_short.then(|| (pause * 2).min(TimeDelta::hours(settings.max_go_hours.into())));
            }
            // What is found in Google stays as it is.
            Action::Keep if decision.reason == Rule::ChangedInGoogle => self.desired = self.observed == Some(true),
            Action::Propose | Action::Keep => {}
        }
        if matches!(decision.action, Action::Stop | Action::Go) {
            // A change may be on its way, so only what is read back from now on counts.
            self.observed = None;
        }
        if self.state != decision.state {
            self.state = decision.state;
            self.since = now;
        }
    }
}

/// Decides what a lane does at `now`. Deciding again without anything new changes nothing.
pub fn decide(lane: &Lane, readings: &Readings, now: DateTime<Utc>, settings: &Settings) -> Decision {
    let about = lane.circumstances;
    let finding = readings.finding(&lane.sources, now, settings);
    if lane.state == LaneState::Manual && about.switch != Switch::Lane {
        let reason = if finding.rival && lane.desired {
            Rule::RivalWhileManual
        } else {
            Rule::Manual
        };
        return Decision {
            state: LaneState::Manual,
            action: Action::Keep,
            reason,
        };
    }
    if about.switch != Switch::On {
        return go_or(lane, now, LaneState::Off, Rule::SwitchedOff);
    }
    let may_not_stop = match () {
        () if finding.rival => Some(Rule::Rival),
        () if finding.stale => Some(Rule::Stale),
        () if settings.is_blackout(now) => Some(Rule::Blackout),
        () if !settings.is_in_hours(now) => Some(Rule::OutsideHours),
        () if finding.unsure >= settings.unsure_after => Some(Rule::Unsure),
        () if about.mode == Mode::Observe => Some(Rule::Observing),
        () if about.holdout => Some(Rule::Holdout),
        () => None,
    };
    if lane.desired {
        return while_stopped(lane, may_not_stop, now, settings);
    }
    if lane.state == LaneState::Resuming && lane.observed != Some(false) {
        return go_or(lane, now, LaneState::Cooling, Rule::AwaitsList);
    }
    if lane.observed == Some(true) {
        let came_back = lane.state == LaneState::Cooling && now - lane.since <= LATE_CHANGE;
        let (state, reason) = if came_back {
            (LaneState::Resuming, Rule::CameBack)
        } else {
            (LaneState::Manual, Rule::ChangedInGoogle)
        };
        return Decision {
            state,
            action: Action::Keep,
            reason,
        };
    }
    if finding.stale {
        return Decision {
            state: LaneState::Failing,
            action: Action::Keep,
            reason: Rule::Stale,
        };
    }
    if lane.min_go_until.is_some_and(|until| now < until) {
        let reason = if lane.state == LaneState::Resuming {
            Rule::Confirmed
        } else {
            Rule::Cooling
        };
        return Decision {
            state: LaneState::Cooling,
            action: Action::Keep,
            reason,
        };
    }
    if matches!(lane.state, LaneState::Failing | LaneState::Off) && !finding.clean {
        let reason = if lane.state == LaneState::Off {
            Rule::SwitchedOn
        } else {
            Rule::Recovered
        };
        return Decision {
            state: LaneState::Watching,
            action: Action::Keep,
            reason,
        };
    }
    let keep = |state, reason| Decision {
        state,
        action: Action::Keep,
        reason,
    };
    match may_not_stop {
        Some(Rule::Observing | Rule::Holdout) | None if !finding.clean => keep(LaneState::Watching, Rule::NotYetClean),
        Some(reason @ (Rule::Observing | Rule::Holdout)) => keep(LaneState::Candidate, reason),
        Some(reason) => keep(LaneState::Watching, reason),
        None => as_candidate(lane, settings),
    }
}

/// What a lane does that has been clean long enough.
fn as_candidate(lane: &Lane, settings: &Settings) -> Decision {
    let about = lane.circumstances;
    let candidate = |action, reason| Decision {
        state: LaneState::Candidate,
        action,
        reason,
    };
    let waits = match () {
        () if !about.guards_pass => Some(Rule::Guards),
        // A stop leaves room for the go that ends it.
        () if lane.toggles_today.saturating_add(2) > settings.max_toggles
            || about.item_toggles.saturating_add(2) > settings.max_item_toggles =>
        {
            Some(Rule::ToggleCap)
        }
        () if !about.room => Some(Rule::StoppedCap),
        () => None,
    };
    if let Some(reason) = waits {
        return candidate(Action::Keep, reason);
    }
    let stop = Decision {
        state: LaneState::Stopping,
        action: Action::Stop,
        reason: Rule::Clean,
    };
    let is_slow = lane
        .sources
        .iter()
        .any(|source| source.interval > LONGEST_AUTOMATIC_INTERVAL);
    match about.mode {
        _ if about.approved => stop,
        Mode::Automatic if !is_slow => stop,
        Mode::Automatic => candidate(Action::Propose, Rule::IntervalTooLong),
        Mode::Propose => candidate(Action::Propose, Rule::AwaitsApproval),
        Mode::Observe => candidate(Action::Keep, Rule::Observing),
    }
}

/// What a lane does whose text should be in the list.
fn while_stopped(lane: &Lane, may_not_stop: Option<Rule>, now: DateTime<Utc>, settings: &Settings) -> Decision {
    let age = lane.stopped_at.map_or(TimeDelta::MAX, |stopped| now - stopped);
    let is_young = age < TimeDelta::hours(settings.min_stop_hours.into());
    let mut kept_for = None;
    match may_not_stop {
        Some(Rule::Unsure) if is_young => kept_for = Some(Rule::UnsureTooSoon),
        Some(reason) => {
            return Decision {
                state: LaneState::Resuming,
                action: Action::Go,
                reason,
            };
        }
        None => {}
    }
    let keep = |state, reason| Decision {
        state,
        action: Action::Keep,
        reason: kept_for.unwrap_or(reason),
    };
    match (lane.state, lane.observed) {
        (LaneState::Stopped, Some(false)) => Decision {
            state: LaneState::Manual,
            action: Action::Keep,
            reason: Rule::ChangedInGoogle,
        },
        (_, Some(true)) => keep(LaneState::Stopped, Rule::Confirmed),
        _ if age > PATIENCE => Decision {
            state: LaneState::Resuming,
            action: Action::Go,
            reason: Rule::ListOverdue,
        },
        _ => keep(LaneState::Stopping, Rule::AwaitsList),
    }
}

/// Takes the text out of the list, if it is there by our doing; `then` once the list does not show it.
fn go_or(lane: &Lane, now: DateTime<Utc>, then: LaneState, reason: Rule) -> Decision {
    if lane.desired {
        return Decision {
            state: LaneState::Resuming,
            action: Action::Go,
            reason,
        };
    }
    // What a person took out may be in the list until it is read back, too.
    let is_taken_out =
        lane.state == LaneState::Resuming || lane.state == LaneState::Manual && lane.stopped_at.is_some();
    if is_taken_out && lane.observed != Some(false) {
        let is_overdue = now - lane.since > PATIENCE;
        let reason = if is_overdue {
            Rule::ListOverdue
        } else {
            Rule::AwaitsList
        };
        return Decision {
            state: LaneState::Resuming,
            action: Action::Keep,
            reason,
        };
    }
    Decision {
        state: then,
        action: Action::Keep,
        reason,
    }
}

/// The first time after `now` at which the clock alone may change what [`decide`] says; `None` if only a capture or a person can.
pub fn next_event(lane: &Lane, readings: &Readings, now: DateTime<Utc>, settings: &Settings) -> Option<DateTime<Utc>> {
    let young_until = lane.stopped_at.filter(|_| lane.desired);
    let times = [
        readings.stale_at(&lane.sources, settings),
        lane.min_go_until,
        young_until.map(|stopped| stopped + TimeDelta::hours(settings.min_stop_hours.into())),
        settings.next_change(now),
    ];
    times.into_iter().flatten().filter(|time| *time > now).min()
}
