//! A simulated quarter, and what holds for any captures.

#![allow(clippy::unwrap_used, reason = "tests")]

use chrono::{DateTime, TimeDelta, Utc};
use proptest::prelude::*;
use stop_go::{
    Action, Circumstances, Lane, LaneHistory, LaneState, Mode, Reading, ReadingVerdict, Readings, Rule, Settings,
    Source, Switch, decide, dry_run, next_event,
};
use uuid::Uuid;
use vocabulary::CaptureId;

const GOOD: Circumstances = Circumstances {
    mode: Mode::Automatic,
    switch: Switch::On,
    guards_pass: true,
    approved: false,
    holdout: false,
    item_toggles: 0,
    room: true,
};

fn begin() -> DateTime<Utc> {
    DateTime::from_timestamp(1_790_000_000, 0).unwrap()
}

fn sources(count: u32) -> Vec<Source> {
    (0..count)
        .map(|id| Source {
            id,
            interval: TimeDelta::hours(1),
        })
        .collect()
}

fn reading(number: u128, source: u32, at: DateTime<Utc>, verdict: ReadingVerdict) -> Reading {
    Reading {
        source,
        at,
        verdict,
        capture: CaptureId(Uuid::from_u128(number)),
    }
}

/// A lane with a list that follows within a few seconds.
struct Simulated {
    lane: Lane,
    readings: Readings,
    settings: Settings,
}

impl Simulated {
    fn new(count: u32) -> Self {
        Self {
            lane: Lane::new(begin(), sources(count), GOOD),
            readings: Readings::default(),
            settings: Settings::default(),
        }
    }

    /// Decides until nothing changes; the list shows what is wanted after each change.
    fn settle(&mut self, now: DateTime<Utc>) -> Vec<Rule> {
        let mut rules = Vec::new();
        loop {
            let decision = decide(&self.lane, &self.readings, now, &self.settings);
            rules.push(decision.reason);
            let before = self.lane.state;
            self.lane.follow(decision, now, &self.settings);
            if decision.action == Action::Stop || decision.action == Action::Go {
                self.lane.observed = Some(self.lane.desired);
            }
            if self.lane.state == before {
                return rules;
            }
        }
    }

    fn take(&mut self, reading: &Reading) -> Vec<Rule> {
        self.readings.push(reading);
        self.settle(reading.at)
    }

    /// Makes every source clean for long enough.
    fn stop(&mut self) -> DateTime<Utc> {
        let mut now = begin();
        let mut number = 0;
        while self.lane.state != LaneState::Stopped {
            for source in self.lane.sources.clone() {
                number += 1;
                self.take(&reading(number, source.id, now, ReadingVerdict::Clean));
            }
            now += TimeDelta::hours(1);
            assert!(now < begin() + TimeDelta::days(2), "it never stops");
        }
        now
    }
}

#[test]
fn it_stops_after_six_clean_hours_on_every_device_and_not_before() {
    let mut one = Simulated::new(2);
    let stopped = one.stop() - TimeDelta::hours(1);
    assert_eq!(stopped - begin(), TimeDelta::hours(6));
    let mut half = Simulated::new(2);
    for hour in 0..24 {
        half.take(&reading(
            hour,
            0,
            begin() + TimeDelta::hours(hour.try_into().unwrap()),
            ReadingVerdict::Clean,
        ));
    }
    assert_eq!(half.lane.state, LaneState::Failing, "one device is never captured");
}

#[test]
fn one_rival_anywhere_doubt_and_silence_end_a_stop() {
    let mut by_rival = Simulated::new(2);
    let now = by_rival.stop();
    by_rival.take(&reading(900, 1, now, ReadingVerdict::Rival));
    assert_eq!(
        (by_rival.lane.state, by_rival.lane.desired),
        (LaneState::Cooling, false)
    );

    let mut by_silence = Simulated::new(2);
    let now = by_silence.stop();
    let stale = next_event(
        &by_silence.lane,
        &by_silence.readings,
        now + TimeDelta::minutes(59),
        &by_silence.settings,
    )
    .unwrap();
    assert!(by_silence.settle(now).iter().all(|rule| *rule == Rule::Confirmed));
    let event = stale.max(now + TimeDelta::hours(1) + TimeDelta::seconds(1));
    assert!(by_silence.settle(event).contains(&Rule::Stale));

    let mut by_doubt = Simulated::new(1);
    let now = by_doubt.stop();
    by_doubt.take(&reading(900, 0, now, ReadingVerdict::Unsure));
    assert!(by_doubt.lane.desired, "a young stop is not ended by doubt");
    by_doubt.take(&reading(901, 0, now + TimeDelta::hours(1), ReadingVerdict::Unsure));
    assert!(!by_doubt.lane.desired);
}

#[test]
fn a_captcha_of_eight_hours_ends_a_stop_by_staleness() {
    let mut lane = Simulated::new(1);
    let now = lane.stop();
    for hour in 0..8 {
        lane.take(&reading(
            900 + u128::try_from(hour).unwrap(),
            0,
            now + TimeDelta::hours(hour),
            ReadingVerdict::Invalid,
        ));
    }
    assert_eq!((lane.lane.state, lane.lane.desired), (LaneState::Failing, false));
}

#[test]
fn flapping_doubles_the_pause_and_keeps_to_the_cap() {
    let history = LaneHistory {
        sources: sources(1),
        readings: (0..24 * 30)
            .map(|hour| {
                let verdict = if hour % 9 == 8 {
                    ReadingVerdict::Rival
                } else {
                    ReadingVerdict::Clean
                };
                reading(hour, 0, begin() + TimeDelta::hours(hour.try_into().unwrap()), verdict)
            })
            .collect(),
    };
    let until = begin() + TimeDelta::days(30);
    let run = dry_run(&history, (begin(), until), &Settings::default());
    assert!(run.toggles > 0 && run.toggles <= 2 * 30, "{}", run.toggles);
    let pauses: Vec<_> = run
        .spans
        .iter()
        .filter(|span| span.state == LaneState::Cooling)
        .collect();
    assert!(pauses.iter().any(|span| span.until - span.from >= TimeDelta::hours(40)));
}

#[test]
fn changes_in_google_win() {
    let mut removed = Simulated::new(1);
    let now = removed.stop();
    removed.lane.observed = Some(false);
    assert!(removed.settle(now).contains(&Rule::ChangedInGoogle));
    assert_eq!((removed.lane.state, removed.lane.desired), (LaneState::Manual, false));
    let mut added = Simulated::new(1);
    added.take(&reading(1, 0, begin(), ReadingVerdict::Clean));
    added.lane.observed = Some(true);
    assert!(added.settle(begin()).contains(&Rule::ChangedInGoogle));
    assert_eq!((added.lane.state, added.lane.desired), (LaneState::Manual, true));
    assert_eq!(
        added.take(&reading(2, 0, begin() + TimeDelta::hours(1), ReadingVerdict::Rival)),
        [Rule::RivalWhileManual]
    );
}

#[test]
fn what_comes_back_right_after_a_go_is_ours_and_taken_out_again() {
    for (minutes, state) in [(14, LaneState::Resuming), (16, LaneState::Manual)] {
        let mut lane = Simulated::new(1);
        let now = lane.stop();
        lane.take(&reading(900, 0, now, ReadingVerdict::Rival));
        assert_eq!((lane.lane.state, lane.lane.desired), (LaneState::Cooling, false));
        let later = now + TimeDelta::minutes(minutes);
        lane.lane.observed = Some(true);
        lane.settle(later);
        assert_eq!(lane.lane.state, state, "after {minutes} minutes");
        lane.lane.observed = Some(false);
        lane.settle(later);
        let then = if state == LaneState::Resuming {
            LaneState::Cooling
        } else {
            LaneState::Manual
        };
        assert_eq!((lane.lane.state, lane.lane.desired), (then, state == LaneState::Manual));
    }
}

#[test]
fn switches_remove_what_is_ours() {
    for (switch, state) in [(Switch::Product, LaneState::Off), (Switch::Lane, LaneState::Off)] {
        let mut lane = Simulated::new(1);
        let now = lane.stop();
        lane.lane.circumstances.switch = switch;
        lane.settle(now);
        assert_eq!((lane.lane.state, lane.lane.desired), (state, false));
    }
}

/// A quarter of hourly captures on two devices, with a rival in some hours of each day, captchas and outages.
fn quarter(seed: u64) -> Vec<Reading> {
    let mut state = seed | 1;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut all = Vec::new();
    for hour in 0..24_i64 * 90 {
        if next() % 60 == 0 {
            continue;
        }
        for source in 0..2 {
            let at = begin() + TimeDelta::hours(hour) + TimeDelta::seconds(i64::from(source) * 40);
            let verdict = match next() % 40 {
                0 => ReadingVerdict::Invalid,
                1 => ReadingVerdict::Unsure,
                2 | 3 => ReadingVerdict::Rival,
                _ if hour % 24 > 20 && next() % 2 == 0 => ReadingVerdict::Rival,
                _ => ReadingVerdict::Clean,
            };
            all.push(reading(u128::try_from(all.len()).unwrap(), source, at, verdict));
        }
    }
    all
}

#[test]
fn in_a_quarter_no_lane_stays_stopped_after_a_rival_or_in_silence() {
    let mut stops = 0;
    for seed in 1..40 {
        let mut lane = Simulated::new(2);
        let mut now = begin();
        for reading in quarter(seed) {
            while let Some(event) =
                next_event(&lane.lane, &lane.readings, now, &lane.settings).filter(|event| *event < reading.at)
            {
                now = event;
                lane.settle(now);
            }
            now = reading.at;
            let before = lane.lane.desired;
            lane.take(&reading);
            stops += u32::from(!before && lane.lane.desired);
            if reading.verdict == ReadingVerdict::Rival {
                assert!(!lane.lane.desired, "seed {seed}: stopped after a rival at {now}");
            }
        }
    }
    assert!(stops > 100, "{stops} stops: the quarter shows nothing");
}

#[test]
fn a_quarter_of_many_lanes_is_run_within_its_time() {
    let histories: Vec<LaneHistory> = (1..=20)
        .map(|seed| LaneHistory {
            sources: sources(2),
            readings: quarter(seed),
        })
        .collect();
    let count: usize = histories.iter().map(|history| history.readings.len()).sum();
    let began = std::time::Instant::now();
    let until = begin() + TimeDelta::days(90);
    let stopped: i64 = histories
        .iter()
        .map(|history| {
            dry_run(history, (begin(), until), &Settings::default())
                .stopped
                .num_hours()
        })
        .sum();
    let nanos = began.elapsed().as_nanos() / count as u128;
    println!("{nanos} ns a reading, {stopped} h stopped");
    assert!(stopped > 0);
    // One microsecond a reading is the budget; a machine that does other things at the same time gets five.
    assert!(nanos < 5_000, "{nanos} ns a reading");
}

fn any_verdict() -> impl Strategy<Value = ReadingVerdict> {
    prop_oneof![
        12 => Just(ReadingVerdict::Clean),
        1 => Just(ReadingVerdict::Rival),
        1 => Just(ReadingVerdict::Unsure),
        1 => Just(ReadingVerdict::Invalid),
    ]
}

fn any_readings() -> impl Strategy<Value = Vec<Reading>> {
    proptest::collection::vec((0..2_u32, 1..5_400_i64, any_verdict()), 1..120).prop_map(|steps| {
        let mut at = begin();
        let mut all = Vec::new();
        for (source, seconds, verdict) in steps {
            at += TimeDelta::seconds(seconds);
            all.push(reading(u128::try_from(all.len()).unwrap(), source, at, verdict));
        }
        all
    })
}

proptest! {
    #[test]
    fn a_stopped_lane_has_recent_captures_without_a_rival(readings in any_readings(), mode in prop_oneof![Just(Mode::Observe), Just(Mode::Automatic)]) {
        let mut lane = Simulated::new(2);
        lane.lane.circumstances.mode = mode;
        for reading in &readings {
            lane.take(reading);
            if lane.lane.desired {
                prop_assert_ne!(mode, Mode::Observe);
                prop_assert_ne!(reading.verdict, ReadingVerdict::Rival);
                for source in &lane.lane.sources {
                    let last = lane.readings.last_valid(source.id).unwrap();
                    prop_assert!(reading.at - last <= lane.settings.stale_after(source.interval));
                }
            }
            prop_assert!(lane.lane.toggles_today <= 120);
        }
    }

    #[test]
    fn the_same_capture_twice_changes_nothing(readings in any_readings()) {
        let (mut once, mut twice) = (Simulated::new(2), Simulated::new(2));
        for reading in &readings {
            once.take(reading);
            twice.take(reading);
            twice.take(reading);
        }
        prop_assert_eq!(once.lane, twice.lane);
    }

    #[test]
    fn the_spans_of_a_dry_run_are_the_period_and_its_stopped_time(readings in any_readings()) {
        let until = readings.last().unwrap().at + TimeDelta::hours(3);
        let history = LaneHistory { sources: sources(2), readings };
        let run = dry_run(&history, (begin(), until), &Settings::default());
        let all: TimeDelta = run.spans.iter().map(|span| span.until - span.from).sum();
        prop_assert_eq!(all, until - begin());
        prop_assert!(run.spans.windows(2).all(|pair| pair[0].until == pair[1].from));
        let stopped: TimeDelta =
            run.spans.iter().filter(|span| span.state == LaneState::Stopped).map(|span| span.until - span.from).sum();
        prop_assert_eq!(stopped, run.stopped);
    }
}
