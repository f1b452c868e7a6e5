//! What would have happened: the rule over stored captures of a past period.

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use crate::Settings;
use crate::decide::{Action, Rule, decide, next_event};
use crate::lane::{Circumstances, Lane, LaneState, Source};
use crate::reading::{Reading, ReadingVerdict, Readings};

/// From a decision to the change in Google: what a rival is there for after its capture, at most.
const APPLY_DELAY: TimeDelta = TimeDelta::seconds(60);

/// The captures of a lane in a period.
#[derive(Clone, Debug, Default)]
pub struct LaneHistory {
    /// Where they come from.
    pub sources: Vec<Source>,
    /// They, in the order of their times.
    pub readings: Vec<Reading>,
}

/// A span in which a lane was in one state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// When the lane came into this state.
    pub from: DateTime<Utc>,
    /// When the lane left it.
    pub until: DateTime<Utc>,
    /// The state that it was in.
    pub state: LaneState,
    /// Why it began.
    pub reason: Rule,
}

/// What would have happened to a lane that stops by itself, with every guard satisfied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DryRun {
    /// States, one after the other, without gaps.
    pub spans: Vec<Span>,
    /// How long the lane was stopped.
    pub stopped: TimeDelta,
    /// Stops and goes.
    pub toggles: u32,
    /// Time in which a rival was seen while the lane was stopped: from its capture to the change in Google.
    pub harm: TimeDelta,
    /// The most time that a rival may have been there unseen while the lane was stopped: from the capture before to that with the rival.
    pub unseen: TimeDelta,
    /// Goes that a rival caused.
    pub rival_goes: u32,
}

/// Runs the rule over the captures of a lane from `from` to `until`.
pub fn dry_run(history: &LaneHistory, (from, until): (DateTime<Utc>, DateTime<Utc>), settings: &Settings) -> DryRun {
    let mut run = Running {
        lane: Lane::new(from, history.sources.clone(), Circumstances::UNHINDERED),
        readings: Readings::default(),
        settings,
        result: DryRun::default(),
        begun: (from, Rule::NotYetClean),
        day: from.with_timezone(&settings.zone).date_naive(),
    };
    let mut now = from;
    for reading in history
        .readings
        .iter()
        .filter(|reading| (from..until).contains(&reading.at))
    {
        run.pass_time(&mut now, reading.at);
        run.take(reading);
        now = reading.at;
    }
    run.pass_time(&mut now, until);
    run.close(until);
    run.result
}

/// A dry run under way.
struct Running<'a> {
    lane: Lane,
    readings: Readings,
    settings: &'a Settings,
    result: DryRun,
    begun: (DateTime<Utc>, Rule),
    day: chrono::NaiveDate,
}

impl Running<'_> {
    /// Lets the clock run to `until` and decides whenever it alone may change something.
    fn pass_time(&mut self, now: &mut DateTime<Utc>, until: DateTime<Utc>) {
        while let Some(event) =
            next_event(&self.lane, &self.readings, *now, self.settings).filter(|event| *event < until)
        {
            *now = event;
            self.step(event);
        }
    }

    fn take(&mut self, reading: &Reading) {
        let before = self.readings.last_valid(reading.source);
        self.readings.push(reading);
        if reading.verdict == ReadingVerdict::Rival
            && let Some(stopped) = self.lane.stopped_at.filter(|_| self.lane.desired)
        {
            let unseen_from = before.map_or(stopped, |before| before.max(stopped));
            self.result.unseen += (reading.at - unseen_from).max(TimeDelta::zero());
            self.result.harm += APPLY_DELAY;
        }
        self.step(reading.at);
    }

    /// Decides until nothing changes; the list follows at once.
    fn step(&mut self, now: DateTime<Utc>) {
        let day = now.with_timezone(&self.settings.zone).date_naive();
        if day != self.day {
            self.day = day;
            self.lane.toggles_today = 0;
        }
        // Stop, confirm; go, confirm: no more than four steps without anything new.
        for _ in 0..4 {
            let decision = decide(&self.lane, &self.readings, now, self.settings);
            let (before, stopped_at) = (self.lane.state, self.lane.stopped_at);
            self.lane.follow(decision, now, self.settings);
            match decision.action {
                Action::Stop => {
                    self.result.toggles += 1;
                    self.lane.observed = Some(true);
                }
                Action::Go => {
                    self.result.toggles += 1;
                    self.result.rival_goes += u32::from(decision.reason == Rule::Rival);
                    self.result.stopped += stopped_at.map_or(TimeDelta::zero(), |stopped| now - stopped);
                    self.lane.observed = Some(false);
                }
                Action::Propose | Action::Keep => {}
            }
            if self.lane.state == before {
                return;
            }
            self.end_span(before, now, decision.reason);
        }
    }

    fn end_span(&mut self, state: LaneState, now: DateTime<Utc>, next: Rule) {
        let (from, reason) = self.begun;
        if from < now {
            self.result.spans.push(Span {
                from,
                until: now,
                state,
                reason,
            });
            self.begun = (now, next);
        }
        if !matches!(next, Rule::Confirmed) {
            self.begun.1 = next;
        }
    }

    fn close(&mut self, until: DateTime<Utc>) {
        if let Some(stopped) = self.lane.stopped_at.filter(|_| self.lane.desired) {
            self.result.stopped += until - stopped;
        }
        self.end_span(self.lane.state, until, Rule::Confirmed);
    }
}
