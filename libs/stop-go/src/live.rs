//! The rule on stored lanes: what is decided on a lane is stored with the captures that it was decided by.

use std::collections::BTreeSet;
use std::str::FromStr;

use chrono::{DateTime, TimeDelta, Utc};
use postgres::stop_go::decisions::{self, StoredDecision};
use postgres::stop_go::lanes::{self, LaneGrid, LaneMember, StoredLane};
use postgres::stop_go::lists;
use postgres::stop_go::readings::{self, StoredReading};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use thiserror::Error;
use vocabulary::{Device, SystemScope, TermId, UserId};

use crate::decide::{Action, Decision, Rule, decide, next_event};
use crate::guards::{GuardFacts, GuardLine, guards};
use crate::lane::{Circumstances, Lane, LaneState, Source, Switch};
use crate::reading::{Reading, ReadingVerdict, Readings};
use crate::{Mode, Settings};

/// How far back captures are looked at: longer than the longest span of a stop.
const WINDOW: TimeDelta = TimeDelta::hours(80);
/// Captures of that window at most.
const MOST_READINGS: i64 = 5_000;
/// How long lanes are looked at for their guards.
const GUARDED: TimeDelta = TimeDelta::days(7);
/// Captures that a decision names at most.
const MOST_NAMED: usize = 60;
/// Before a stop that was refused is tried again.
const REFUSED_PAUSE: TimeDelta = TimeDelta::hours(4);
/// Before a change of a list that has not arrived is looked at again.
const LIST_CHECK: TimeDelta = TimeDelta::minutes(1);
/// Before a clean lane asks again for what stops need: grants, campaigns and caps change without it.
const NEEDS_CHECK: TimeDelta = TimeDelta::minutes(5);
/// Decisions on one lane at one time: stop, confirm, and back.
const MOST_STEPS: usize = 4;

const SCOPE: SystemScope = SystemScope::new("deciding on lanes");

/// Why a lane could not be decided on.
#[derive(Debug, Error)]
pub enum StopGoError {
    /// The database failed.
    #[error(transparent)]
    Postgres(#[from] postgres::Error),
    /// A stored value is none that this version knows.
    #[error("{what} holds '{value}', which this version does not know")]
    Stored {
        /// What it is.
        what: &'static str,
        /// What it holds.
        value: String,
    },
}

/// The switches of the product.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProductSwitches {
    /// Whether lanes may stop and go by themselves (`STOPGO_AUTOMATION`).
    pub automation: bool,
    /// Whether negative lists can be changed at all.
    pub mutations: bool,
}

/// A stored lane with all that it decides by.
#[derive(Clone, Debug)]
pub struct LiveLane {
    /// As it is stored.
    pub stored: StoredLane,
    /// As the rule sees it.
    pub lane: Lane,
    /// Its captures, summed up.
    pub readings: Readings,
    /// Its last captures.
    pub recent: Vec<StoredReading>,
    /// How it decides.
    pub settings: Settings,
    /// Which state of the settings.
    pub settings_version: i32,
    /// The keywords that stop and go together.
    pub members: Vec<LaneMember>,
}

/// The number of a source: a term on a device.
pub fn source_of(term: TermId, device: Device) -> u32 {
    let device = match device {
        Device::Desktop => 0,
        Device::Mobile => 1,
        Device::Tablet => 2,
    };
    term.0.cast_unsigned().wrapping_mul(4) + device
}

/// A stored reading as the rule sees it.
pub fn reading_of(stored: &StoredReading) -> Result<Reading, StopGoError> {
    Ok(Reading {
        source: source_of(stored.term, stored.device),
        at: stored.at,
        verdict: parse("stop_go_reading.verdict", &stored.verdict)?,
        capture: stored.capture,
    })
}

/// A grid as the rule sees it.
pub fn source_of_grid(grid: &LaneGrid) -> Source {
    Source {
        id: source_of(grid.term, grid.device),
        interval: TimeDelta::milliseconds(grid.every_millis),
    }
}

/// The settings of stored ones; what is left out has its default.
pub fn settings_of(stored: &Value) -> Result<Settings, StopGoError> {
    serde_json::from_value(stored.clone()).map_err(|_| StopGoError::Stored {
        what: "stop_go_brand.settings",
        value: stored.to_string(),
    })
}

fn parse<T: FromStr>(what: &'static str, text: &str) -> Result<T, StopGoError> {
    text.parse().map_err(|_| StopGoError::Stored {
        what,
        value: text.to_owned(),
    })
}

/// Reads a lane with all that it decides by at `now`.
pub async fn load(
    connection: &mut postgres::Connection,
    stored: StoredLane,
    switches: ProductSwitches,
    now: DateTime<Utc>,
) -> Result<LiveLane, StopGoError> {
    let members = lanes::members(&mut *connection, &SCOPE, stored.id).await?;
    let all = members.iter().map(|member| settings_of(&member.settings));
    let settings = all.collect::<Result<Vec<_>, _>>()?;
    let settings = settings.into_iter().reduce(Settings::strictest).unwrap_or_default();
    let grids = lanes::grids(&mut *connection, &SCOPE, stored.id).await?;
    let span = (now - WINDOW, now + TimeDelta::days(1));
    let recent = readings::between(&mut *connection, &SCOPE, stored.id, span, MOST_READINGS).await?;
    let summed = recent.iter().map(reading_of).collect::<Result<Vec<_>, _>>()?;
    let modes = members
        .iter()
        .map(|member| parse::<Mode>("stop_go_brand.mode", &member.mode));
    let modes = modes.collect::<Result<Vec<_>, _>>()?;
    // A lane of several brands does no more than each of them allows.
    let mode = modes.into_iter().min().unwrap_or_default();
    let in_emergency = lists::get(&mut *connection, &SCOPE, &stored.account, &stored.country)
        .await?
        .is_some_and(|list| list.emergency_at.is_some());
    let is_on = !members.is_empty() && members.iter().all(|member| member.is_on);
    let switch = match () {
        () if in_emergency || !is_on => Switch::Lane,
        // Without the automation a lane looks, and a person stops it by hand.
        () if !switches.automation && stored.desired => Switch::Product,
        () => Switch::On,
    };
    let today = now.with_timezone(&settings.zone).date_naive();
    let lane = Lane {
        state: parse("stop_go_lane.state", &stored.state)?,
        since: stored.since,
        desired: stored.desired,
        // Without a connection there is no list that could have it.
        observed: stored.google_connect.map_or(Some(false), |_| stored.observed),
        stopped_at: stored.stopped_at,
        min_go_until: stored.min_go_until,
        min_go: stored.min_go_seconds.map(TimeDelta::seconds),
        toggles_today: if stored.toggles_day == Some(today) {
            small(stored.toggles_today)
        } else {
            0
        },
        sources: grids.iter().map(source_of_grid).collect(),
        circumstances: Circumstances {
            mode: if switches.automation { mode } else { Mode::Observe },
            switch,
            guards_pass: false,
            approved: stored.approved_at.is_some_and(|approved| approved >= stored.since),
            holdout: stored.holdout || is_control(&stored, settings.holdout_percent),
            item_toggles: 0,
            room: false,
        },
    };
    Ok(LiveLane {
        readings: summed.iter().collect(),
        settings_version: members.first().map_or(1, |member| member.settings_version),
        stored,
        lane,
        recent,
        settings,
        members,
    })
}

/// What is known of a lane for its guards.
pub async fn guard_lines(
    connection: &mut postgres::Connection,
    live: &LiveLane,
    switches: ProductSwitches,
    now: DateTime<Utc>,
) -> Result<[GuardLine; 8], StopGoError> {
    let totals = readings::totals(&mut *connection, &SCOPE, live.stored.id, now - GUARDED).await?;
    let list = lists::get(&mut *connection, &SCOPE, &live.stored.account, &live.stored.country)
        .await?
        .unwrap_or_default();
    let observed = totals.first.map_or(TimeDelta::zero(), |first| now - first);
    let expected: f64 = live
        .lane
        .sources
        .iter()
        .map(|source| seconds(observed.min(GUARDED)) / seconds(source.interval).max(1.0))
        .sum();
    let percent = |part: f64, whole: f64| (whole > 0.0).then(|| (part / whole * 100.0).min(100.0));
    let facts = GuardFacts {
        grant: live.stored.has_grant && switches.mutations,
        officials: live
            .members
            .iter()
            .map(|member| u32::try_from(member.officials).unwrap_or(0))
            .min()
            .unwrap_or(0),
        observed_days: seconds(observed) / 86_400.0,
        valid_percent: percent(count(totals.valid), expected.max(count(totals.all))),
        organic_percent: percent(count(totals.organic_first), count(totals.valid)),
        campaigns_fit: list.campaigns_fit,
        pmax_percent: list.pmax_percent,
        dry_run_seen: live.stored.dry_run_seen_at.is_some(),
        has_owner: !live.members.is_empty() && live.members.iter().all(|member| member.owner.is_some()),
    };
    Ok(guards(&facts))
}

/// Decides on stored lanes at `now`, each as [`decide_stored`] does. One that has a value of a newer version is left as it is, and
/// returned with the error.
pub async fn decide_all(
    connection: &mut postgres::Connection,
    ids: &[i32],
    switches: ProductSwitches,
    now: DateTime<Utc>,
) -> Result<Vec<(i32, StopGoError)>, postgres::Error> {
    // Accounts and lanes in the order of all others that lock several.
    lanes::lock_accounts(&mut *connection, &SCOPE, ids).await?;
    let mut left = Vec::new();
    for id in ids.iter().copied().collect::<BTreeSet<_>>() {
        match decide_stored(&mut *connection, id, switches, now).await {
            Ok(_) => {}
            Err(StopGoError::Postgres(error)) => return Err(error),
            Err(error) => left.push((id, error)),
        }
    }
    Ok(left)
}

/// Decides on a stored lane at `now`, and stores what is decided. Returns what was decided last; `None` for an unknown lane. Call it in a transaction: the lane
/// stays locked until it ends.
pub async fn decide_stored(
    connection: &mut postgres::Connection,
    id: i32,
    switches: ProductSwitches,
    now: DateTime<Utc>,
) -> Result<Option<Decision>, StopGoError> {
    let Some(stored) = lanes::lock(&mut *connection, &SCOPE, id).await? else {
        return Ok(None);
    };
    let mut live = load(&mut *connection, stored, switches, now).await?;
    let mut decision = decide(&live.lane, &live.readings, now, &live.settings);
    for _ in 0..MOST_STEPS {
        if decision.reason == Rule::Guards {
            learn_what_stops_need(&mut *connection, &mut live, switches, now).await?;
            decision = decide(&live.lane, &live.readings, now, &live.settings);
        }
        let from = live.lane.state;
        let is_new = decision.action == Action::Stop || decision.action == Action::Go || decision.state != from;
        live.lane.follow(decision, now, &live.settings);
        let is_noted = is_new || live.stored.reason != decision.reason.to_string();
        live.stored.reason = decision.reason.to_string();
        if is_noted {
            note(&mut *connection, &live, from, decision, now).await?;
        }
        if !is_new {
            break;
        }
        decision = decide(&live.lane, &live.readings, now, &live.settings);
    }
    store(&mut *connection, &mut live, decision.reason, now).await?;
    Ok(Some(decision))
}

/// Finds out whether a clean lane may stop: its guards, and the caps of its account, which is locked with the lane.
async fn learn_what_stops_need(
    connection: &mut postgres::Connection,
    live: &mut LiveLane,
    switches: ProductSwitches,
    now: DateTime<Utc>,
) -> Result<(), StopGoError> {
    let lines = guard_lines(&mut *connection, live, switches, now).await?;
    let today = now.with_timezone(&live.settings.zone).date_naive();
    let toggles = lanes::toggles_of_account(&mut *connection, &SCOPE, &live.stored.account, today).await?;
    let caps = (
        live.settings.max_stopped_percent.into(),
        live.settings.max_stopped_cost_percent.into(),
    );
    let circumstances = &mut live.lane.circumstances;
    circumstances.guards_pass = lines.iter().all(|line| line.passes);
    circumstances.item_toggles = u16::try_from(toggles).unwrap_or(u16::MAX);
    circumstances.room = lanes::has_room(&mut *connection, &SCOPE, live.stored.id, caps).await?;
    Ok(())
}

async fn store(
    connection: &mut postgres::Connection,
    live: &mut LiveLane,
    reason: Rule,
    now: DateTime<Utc>,
) -> Result<(), StopGoError> {
    let lane = &live.lane;
    let next = next_event(lane, &live.readings, now, &live.settings);
    let stored = &mut live.stored;
    stored.state = lane.state.to_string();
    stored.since = lane.since;
    stored.desired = lane.desired;
    stored.observed = lane.observed;
    stored.stopped_at = lane.stopped_at;
    stored.min_go_until = lane.min_go_until;
    stored.min_go_seconds = lane.min_go.map(|pause| pause.num_seconds());
    stored.toggles_day = Some(now.with_timezone(&live.settings.zone).date_naive());
    stored.toggles_today = lane.toggles_today.into();
    if lane.state != LaneState::Candidate && lane.state != LaneState::Stopping {
        stored.approved_at = None;
    }
    let again = match (lane.state, reason) {
        (LaneState::Stopping | LaneState::Resuming, _) => Some(now + LIST_CHECK),
        (LaneState::Candidate, Rule::Guards | Rule::StoppedCap | Rule::ToggleCap) => Some(now + NEEDS_CHECK),
        _ => None,
    };
    stored.next_event_at = next.into_iter().chain(again).min();
    lanes::save(connection, &SCOPE, stored).await?;
    Ok(())
}

async fn note(
    connection: &mut postgres::Connection,
    live: &LiveLane,
    from: LaneState,
    decision: Decision,
    now: DateTime<Utc>,
) -> Result<(), StopGoError> {
    let entry = StoredDecision {
        id: 0,
        at: now,
        from_state: from.to_string(),
        to_state: live.lane.state.to_string(),
        action: decision.action.to_string(),
        rule: decision.reason.to_string(),
        readings: named(live, decision.reason),
        settings_version: live.settings_version,
        mode: live.lane.circumstances.mode.to_string(),
        user: None,
        detail: None,
        observed: live.stored.observed,
    };
    decisions::add(connection, &SCOPE, live.stored.id, &entry).await?;
    Ok(())
}

/// The captures behind a decision: those in a row for a stop, else the last one of each source.
fn named(live: &LiveLane, rule: Rule) -> Value {
    let needs_all = matches!(rule, Rule::Clean | Rule::AwaitsApproval | Rule::Observing);
    let mut seen = Vec::new();
    let behind = live.recent.iter().rev().filter(|stored| {
        let source = source_of(stored.term, stored.device);
        if needs_all {
            return live
                .readings
                .clean_since(source)
                .is_some_and(|since| stored.at >= since);
        }
        let is_last = !seen.contains(&source);
        seen.push(source);
        is_last
    });
    Value::Array(behind.take(MOST_NAMED).map(shown).collect())
}

fn shown(stored: &StoredReading) -> Value {
    json!({
        "capture": stored.capture.0, "term": stored.term, "device": stored.device.to_string(), "at": stored.at,
        "verdict": stored.verdict, "rivals": stored.rivals,
    })
}

/// What a person does with a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PersonalAct {
    /// The text is to be in the list, whatever the rule says.
    Exclude,
    /// The text is not to be in the list, whatever the rule says.
    Include,
    /// The rule decides again.
    Resume,
    /// The stop that waits is approved.
    Approve,
}

/// Stores what a person decides on a lane. `false` where it does not apply: an unknown lane, an approval of a lane that does not wait for one, or resuming one
/// that is not manual.
pub async fn act(
    connection: &mut postgres::Connection,
    id: i32,
    act: PersonalAct,
    (user, switches): (UserId, ProductSwitches),
    now: DateTime<Utc>,
) -> Result<bool, StopGoError> {
    let Some(stored) = lanes::lock(&mut *connection, &SCOPE, id).await? else {
        return Ok(false);
    };
    let mut live = load(&mut *connection, stored, switches, now).await?;
    let from = live.lane.state;
    let action = match act {
        PersonalAct::Exclude | PersonalAct::Include => {
            let wanted = act == PersonalAct::Exclude;
            live.lane.desired = wanted;
            live.stored.refused = None;
            live.lane.observed = live.lane.observed.filter(|observed| *observed == wanted);
            if wanted && from != LaneState::Stopped {
                live.lane.stopped_at = Some(now);
            }
            live.lane.state = LaneState::Manual;
            if wanted { "exclude" } else { "include" }
        }
        PersonalAct::Resume if from == LaneState::Manual => {
            live.lane.state = match (live.lane.desired, live.lane.observed) {
                (true, Some(true)) => LaneState::Stopped,
                (true, _) => LaneState::Stopping,
                (false, Some(false)) => LaneState::Watching,
                (false, _) if live.stored.checked_at.is_none() => LaneState::Watching,
                (false, _) => LaneState::Resuming,
            };
            "resume"
        }
        PersonalAct::Approve if from == LaneState::Candidate && awaits_approval(&live.stored.reason) => {
            live.stored.approved_at = Some(now);
            "approve"
        }
        PersonalAct::Resume | PersonalAct::Approve => return Ok(false),
    };
    if live.lane.state != from {
        live.lane.since = now;
    }
    let approved = live.stored.approved_at;
    store(&mut *connection, &mut live, Rule::Manual, now).await?;
    live.stored.approved_at = approved;
    lanes::save(&mut *connection, &SCOPE, &live.stored).await?;
    let entry = StoredDecision {
        id: 0,
        at: now,
        from_state: from.to_string(),
        to_state: live.lane.state.to_string(),
        action: action.to_owned(),
        rule: Rule::Manual.to_string(),
        readings: Value::Array(Vec::new()),
        settings_version: live.settings_version,
        mode: live.lane.circumstances.mode.to_string(),
        user: Some(user),
        detail: None,
        observed: live.stored.observed,
    };
    decisions::add(connection, &SCOPE, id, &entry).await?;
    Ok(true)
}

fn awaits_approval(reason: &str) -> bool {
    [Rule::AwaitsApproval, Rule::IntervalTooLong]
        .iter()
        .any(|rule| rule.to_string() == reason)
}

/// Stores that the list refuses what a lane wants. A text that is refused is no longer wanted; one that cannot be removed is still to go.
pub async fn refuse(
    connection: &mut postgres::Connection,
    id: i32,
    reason: &str,
    now: DateTime<Utc>,
) -> Result<(), postgres::Error> {
    let Some(mut stored) = lanes::lock(&mut *connection, &SCOPE, id).await? else {
        return Ok(());
    };
    let from = stored.state.clone();
    let is_news = stored.refused.as_deref() != Some(reason);
    stored.refused = Some(reason.to_owned());
    if stored.desired {
        stored.desired = false;
        if from != LaneState::Manual.to_string() {
            stored.state = LaneState::Failing.to_string();
            stored.since = now;
            // Not asked again before the pause is over.
            stored.min_go_until = Some(now + REFUSED_PAUSE);
        }
    }
    stored.next_event_at = Some(now + TimeDelta::minutes(1));
    lanes::save(&mut *connection, &SCOPE, &stored).await?;
    if !is_news {
        return Ok(());
    }
    let entry = StoredDecision {
        id: 0,
        at: now,
        from_state: from,
        to_state: stored.state,
        action: "refused".to_owned(),
        rule: Rule::AwaitsList.to_string(),
        readings: Value::Array(Vec::new()),
        settings_version: 1,
        mode: Mode::default().to_string(),
        user: None,
        detail: Some(reason.to_owned()),
        observed: stored.observed,
    };
    decisions::add(connection, &SCOPE, id, &entry).await
}

/// The verdict of several brands on one capture: the one that speaks most against a stop.
pub fn worst(verdicts: impl IntoIterator<Item = ReadingVerdict>) -> Option<ReadingVerdict> {
    verdicts.into_iter().max_by_key(|verdict| match verdict {
        ReadingVerdict::Clean => 0,
        ReadingVerdict::Invalid => 1,
        ReadingVerdict::Unsure => 2,
        ReadingVerdict::Rival => 3,
    })
}

/// Whether a lane is one of the `percent` of lanes that are kept as a control: always the same ones, and more of them with a higher share.
fn is_control(stored: &StoredLane, percent: u16) -> bool {
    let name = format!("{} {} {}", stored.account, stored.country, stored.text);
    let digest = Sha256::digest(name);
    let number = digest
        .iter()
        .take(4)
        .fold(0_u32, |number, byte| number << 8 | u32::from(*byte));
    number % 100 < u32::from(percent)
}

fn small(count: i32) -> u16 {
    u16::try_from(count).unwrap_or(u16::MAX)
}

fn seconds(span: TimeDelta) -> f64 {
    span.as_seconds_f64()
}

fn count(count: i64) -> f64 {
    f64::from(i32::try_from(count).unwrap_or(i32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_control_is_a_fixed_share_of_the_lanes_and_grows_with_it() {
        let lane = |number: u32| StoredLane {
            id: 1,
            account: "customer:1234567890".to_owned(),
            google_connect: None,
            has_grant: false,
            country: "FR".to_owned(),
            text: format!("word {number}"),
            state: "watching".to_owned(),
            since: DateTime::UNIX_EPOCH,
            reason: "not-yet-clean".to_owned(),
            desired: false,
            observed: None,
            checked_at: None,
            refused: None,
            stopped_at: None,
            min_go_until: None,
            min_go_seconds: None,
            toggles_day: None,
            toggles_today: 0,
            approved_at: None,
            dry_run_seen_at: None,
            holdout: false,
            next_event_at: None,
        };
        let controls = |percent| (0..2_000).filter(move |number| is_control(&lane(*number), percent));
        assert_eq!(controls(0).count(), 0);
        let tenth: Vec<u32> = controls(10).collect();
        assert!((150..250).contains(&tenth.len()), "{}", tenth.len());
        let fifth: Vec<u32> = controls(20).collect();
        assert!(tenth.iter().all(|number| fifth.contains(number)));
    }
}
