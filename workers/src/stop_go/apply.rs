//! Making negative lists what lanes want: the list is read before and after each change, what a person changed in Google wins, and what has to go goes first.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use futures::{StreamExt, stream};
use postgres::Pool;
use postgres::stop_go::lanes;
use postgres::stop_go::lists::{self, LaneToChange, ListToChange, StoredList};
use stop_go::live;
use stop_go::{NegativeList, NegativeListError, NegativeLists, TextOutcome, Urgency};
use tokio::time::timeout;
use vocabulary::SystemScope;

use super::{StopGo, decide};
use crate::Error;

/// Lists that are changed at the same time.
const LISTS_AT_ONCE: usize = 8;
/// Lists of one round.
const MOST_LISTS: i64 = 200;
/// Texts of one call.
const TEXTS_AT_ONCE: usize = 500;
/// How long a call may take; then its outcome is unknown.
const CALL_LIMIT: Duration = Duration::from_secs(30);
/// Before a list that did not answer is asked again: a lane may have to go.
const AGAIN: TimeDelta = TimeDelta::seconds(10);
/// The longest wait that a list may ask for.
const LONGEST_WAIT: TimeDelta = TimeDelta::minutes(1);
/// Before a list whose campaigns do not fit is asked again.
const SET_UP_AGAIN: TimeDelta = TimeDelta::hours(1);
/// Before a list that was refused to be detached is asked again.
const DETACH_AGAIN: TimeDelta = TimeDelta::minutes(5);
/// Before a list is attached again whose campaigns a person changed in Google: an emergency that is begun and ended does it at once.
const CHANGED_AGAIN: TimeDelta = TimeDelta::days(3_650);
/// From a go to the reading that finds what came late; the rule takes it for ours until a few minutes later.
const READ_AFTER_GO: TimeDelta = TimeDelta::minutes(5);
/// A list that was read since then is not read again at night.
const COMPARED_AGAIN: TimeDelta = TimeDelta::hours(12);

const IN_EMERGENCY: &str = "everything is let go by hand; end the emergency first";
const CHANGED: &str = "its campaigns were changed in Google; begin and end an emergency to attach it again";

const SCOPE: SystemScope = SystemScope::new("changing negative lists");

/// Sets up the lists that may be needed, and changes those that differ from what their lanes want. Does nothing without a connection. Returns how many lists
/// were looked at.
pub async fn apply(pool: &Pool, stop_go: &StopGo, now: DateTime<Utc>) -> Result<usize, Error> {
    let Some(all) = &stop_go.lists else { return Ok(0) };
    let to_change = lists::to_change(pool, &SCOPE, now, MOST_LISTS).await?;
    let mut to_set_up = if all.mutates() {
        lists::to_set_up(pool, &SCOPE, now, MOST_LISTS).await?
    } else {
        Vec::new()
    };
    // One that is changed is set up on the way.
    to_set_up.retain(|list| {
        let is_same = |other: &ListToChange| (&other.account, &other.country) == (&list.account, &list.country);
        !to_change.iter().any(is_same)
    });
    let work = to_change
        .into_iter()
        .map(|list| (list, Work::Change))
        .chain(to_set_up.into_iter().map(|list| (list, Work::SetUp)));
    work_on(pool, stop_go, all, work.collect(), now).await
}

/// Compares the lists that may have texts with what is known of them, because a person may have changed them in Google: those not read for
/// [`COMPARED_AGAIN`]. Does nothing without a connection. Returns how many lists were looked at.
pub async fn compare(pool: &Pool, stop_go: &StopGo, now: DateTime<Utc>) -> Result<usize, Error> {
    let Some(all) = &stop_go.lists else { return Ok(0) };
    let due = lists::to_compare(pool, &SCOPE, now - COMPARED_AGAIN).await?;
    let work = due.into_iter().map(|list| (list, Work::Compare)).collect();
    work_on(pool, stop_go, all, work, now).await
}

/// Reads the lists of lanes that went [`READ_AFTER_GO`] ago once more: a text whose adding had no answer may have come late. Does nothing without a
/// connection. Returns how many lists were looked at.
pub async fn read_after_goes(pool: &Pool, stop_go: &StopGo, now: DateTime<Utc>) -> Result<usize, Error> {
    let Some(all) = &stop_go.lists else { return Ok(0) };
    let due = lists::to_read_after_goes(pool, &SCOPE, READ_AFTER_GO, now).await?;
    let work = due.into_iter().map(|list| (list, Work::Compare)).collect();
    work_on(pool, stop_go, all, work, now).await
}

/// What is done with a list.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Work {
    Change,
    SetUp,
    Compare,
}

async fn work_on(
    pool: &Pool,
    stop_go: &StopGo,
    all: &Arc<dyn NegativeLists>,
    work: Vec<(ListToChange, Work)>,
    now: DateTime<Utc>,
) -> Result<usize, Error> {
    let count = work.len();
    let mut done = stream::iter(work)
        .map(|(list, work)| change_one(pool, stop_go, all, (list, work), now))
        .buffer_unordered(LISTS_AT_ONCE);
    while let Some(changed) = done.next().await {
        if let Err(error) = changed {
            tracing::warn!(%error, "a negative list could not be changed");
        }
    }
    Ok(count)
}

async fn change_one(
    pool: &Pool,
    stop_go: &StopGo,
    all: &Arc<dyn NegativeLists>,
    (to_change, work): (ListToChange, Work),
    now: DateTime<Utc>,
) -> Result<(), Error> {
    // Held while the list is changed: one worker a customer.
    let mut lock = postgres::begin(pool).await?;
    if !lists::try_lock(&mut lock, &SCOPE, &to_change.account).await? {
        return Ok(());
    }
    let urgency = if to_change.must_go { Urgency::Go } else { Urgency::Later };
    let one = OneList {
        pool,
        stop_go,
        mutates: all.mutates(),
        list: all.list(to_change.google_connect, &to_change.country, urgency),
        of: &to_change,
        now,
    };
    match work {
        Work::Change => one.change().await?,
        Work::SetUp => one.set_up().await?,
        Work::Compare => one.compare().await?,
    }
    lock.commit().await.map_err(postgres::Error::from)?;
    Ok(())
}

/// A list that is being changed.
struct OneList<'a> {
    pool: &'a Pool,
    stop_go: &'a StopGo,
    /// Whether changes are sent at all.
    mutates: bool,
    list: Arc<dyn NegativeList>,
    of: &'a ListToChange,
    now: DateTime<Utc>,
}

impl OneList<'_> {
    fn key(&self) -> (&str, &str) {
        (&self.of.account, &self.of.country)
    }

    async fn known(&self) -> Result<StoredList, Error> {
        let known = lists::get(self.pool, &SCOPE, &self.of.account, &self.of.country).await?;
        Ok(known.unwrap_or_default())
    }

    /// Attaches the list to its campaigns, and notes what these are.
    async fn set_up(&self) -> Result<(), Error> {
        let known = self.known().await?;
        let found = match in_time(self.list.attach()).await {
            Ok(coverage) => StoredList {
                attached: true,
                campaigns_fit: Some(true),
                campaigns: i32::try_from(coverage.campaigns).ok(),
                pmax_percent: Some(coverage.pmax_percent),
                refused: None,
                ask_after: None,
                ..known
            },
            Err(NegativeListError::Refused { reason }) => StoredList {
                attached: false,
                campaigns_fit: Some(false),
                refused: Some(reason),
                ask_after: Some(self.now + SET_UP_AGAIN),
                ..known
            },
            Err(error) => StoredList {
                ask_after: Some(self.now + wait_of(&error)),
                ..known
            },
        };
        lists::save(self.pool, &SCOPE, self.key(), &found, self.now).await?;
        // Their guards ask for the campaigns.
        for (lane, _) in lanes::of_account(self.pool, &SCOPE, &self.of.account).await? {
            decide(self.pool, self.stop_go, lane, self.now).await?;
        }
        Ok(())
    }

    /// Detaches the list in an emergency, and makes it what its lanes want.
    async fn change(&self) -> Result<(), Error> {
        let known = self.known().await?;
        if known.emergency_at.is_some() && known.attached && known.ask_after.is_none_or(|after| after <= self.now) {
            self.detach(known).await?;
        }
        let Some(news) = self.observe().await? else {
            return Ok(());
        };
        // What has to go waits for no decision.
        let mut is_answered = true;
        let wanted = lists::lanes_to_change(self.pool, &SCOPE, &self.of.account, &self.of.country).await?;
        let gone: Vec<_> = wanted.into_iter().filter(|lane| !lane.desired).collect();
        for some in gone.chunks(TEXTS_AT_ONCE) {
            is_answered &= self.change_texts(some, false).await?;
        }
        self.decide_on(news).await?;
        let wanted = lists::lanes_to_change(self.pool, &SCOPE, &self.of.account, &self.of.country).await?;
        let added: Vec<_> = wanted.into_iter().filter(|lane| lane.desired).collect();
        if !added.is_empty() {
            is_answered &= self.add(&added).await?;
        }
        is_answered &= self.read().await?;
        if !is_answered {
            lists::put_off(self.pool, &SCOPE, self.key(), self.now + AGAIN, self.now).await?;
        }
        Ok(())
    }

    /// Adds texts, once the list is attached to campaigns; where it cannot be, they are refused. `false` if a text has no answer.
    async fn add(&self, lanes: &[LaneToChange]) -> Result<bool, Error> {
        let mut known = self.known().await?;
        let may_set_up = known.emergency_at.is_none() && known.ask_after.is_none_or(|after| after <= self.now);
        if self.mutates && !known.attached && may_set_up {
            self.set_up().await?;
            known = self.known().await?;
        }
        if self.mutates && !known.attached {
            let emergency = known.emergency_at.map(|_| IN_EMERGENCY.to_owned());
            let Some(reason) = emergency.or(known.refused) else {
                return Ok(false);
            };
            self.refuse(lanes, &reason).await?;
            return Ok(true);
        }
        let mut is_answered = true;
        for some in lanes.chunks(TEXTS_AT_ONCE) {
            is_answered &= self.change_texts(some, true).await?;
        }
        Ok(is_answered)
    }

    /// Notes on each lane that what it wants is refused.
    async fn refuse(&self, lanes: &[LaneToChange], reason: &str) -> Result<(), Error> {
        for lane in lanes {
            let mut tx = postgres::begin(self.pool).await?;
            live::refuse(&mut tx, lane.id, reason, self.now).await?;
            tx.commit().await.map_err(postgres::Error::from)?;
        }
        Ok(())
    }

    /// Reads the list and its campaigns. Campaigns that a person changed stay as they are, and nothing is stopped with them.
    async fn compare(&self) -> Result<(), Error> {
        if !self.read().await? {
            return Ok(());
        }
        let known = self.known().await?;
        if !known.attached {
            return Ok(());
        }
        let Ok((campaigns, is_whole)) = in_time(self.list.attached()).await else {
            return Ok(());
        };
        if is_whole {
            return Ok(());
        }
        let found = StoredList {
            attached: campaigns > 0,
            campaigns_fit: Some(false),
            campaigns: i32::try_from(campaigns).ok(),
            refused: Some(CHANGED.to_owned()),
            ask_after: Some(self.now + CHANGED_AGAIN),
            ..known
        };
        Ok(lists::save(self.pool, &SCOPE, self.key(), &found, self.now).await?)
    }

    async fn detach(&self, known: StoredList) -> Result<(), Error> {
        let found = match in_time(self.list.detach()).await {
            Ok(()) => StoredList {
                attached: false,
                ask_after: None,
                ..known
            },
            Err(NegativeListError::Refused { reason }) => StoredList {
                ask_after: Some(self.now + DETACH_AGAIN),
                refused: Some(reason),
                ..known
            },
            Err(error) => StoredList {
                ask_after: Some(self.now + wait_of(&error)),
                ..known
            },
        };
        Ok(lists::save(self.pool, &SCOPE, self.key(), &found, self.now).await?)
    }

    /// Reads the list, notes what is found, and decides on the lanes for which that is new. `false` if the list does not answer.
    async fn read(&self) -> Result<bool, Error> {
        let Some(news) = self.observe().await? else {
            return Ok(false);
        };
        self.decide_on(news).await?;
        Ok(true)
    }

    /// Reads the list and notes what is found; the lanes for which that is new, `None` if the list does not answer.
    async fn observe(&self) -> Result<Option<Vec<i32>>, Error> {
        let texts = match in_time(self.list.texts()).await {
            Ok(texts) => texts,
            Err(error) => {
                tracing::warn!(account = self.of.account, country = self.of.country, %error, "a negative list cannot be read");
                if let NegativeListError::Refused { reason } = &error {
                    let waiting = lists::lanes_to_change(self.pool, &SCOPE, &self.of.account, &self.of.country).await?;
                    self.refuse(&waiting, reason).await?;
                }
                lists::put_off(self.pool, &SCOPE, self.key(), self.now + wait_of(&error), self.now).await?;
                return Ok(None);
            }
        };
        let texts: Vec<String> = texts.into_iter().collect::<BTreeSet<_>>().into_iter().collect();
        Ok(Some(
            lists::observe(self.pool, &SCOPE, self.key(), &texts, self.now).await?,
        ))
    }

    async fn decide_on(&self, lanes: Vec<i32>) -> Result<(), Error> {
        for lane in lanes {
            decide(self.pool, self.stop_go, lane, self.now).await?;
        }
        Ok(())
    }

    /// Adds or removes texts. A refusal makes a lane want what is there; what is unknown is found out by the next reading. `false` if a text has no answer.
    async fn change_texts(&self, lanes: &[LaneToChange], adds: bool) -> Result<bool, Error> {
        let texts: Vec<String> = lanes.iter().map(|lane| lane.text.clone()).collect();
        let changed = if adds {
            in_time(self.list.add(&texts)).await
        } else {
            in_time(self.list.remove(&texts)).await
        };
        let outcomes: Vec<TextOutcome> = match changed {
            Ok(outcomes) => outcomes,
            Err(error) => texts.into_iter().map(|text| (text, Err(error.clone()))).collect(),
        };
        let mut is_answered = true;
        for (text, outcome) in outcomes {
            let Some(lane) = lanes.iter().find(|lane| lane.text == text) else {
                continue;
            };
            match outcome {
                Ok(()) => metrics::counter!("vigie_lane_changes_total", "adds" => adds.to_string()).increment(1),
                Err(NegativeListError::Refused { reason }) => {
                    self.refuse(std::slice::from_ref(lane), &reason).await?;
                    is_answered &= adds;
                }
                Err(NegativeListError::Unavailable { .. } | NegativeListError::Unknown) => is_answered = false,
            }
        }
        Ok(is_answered)
    }
}

/// How long to wait after a failure.
fn wait_of(error: &NegativeListError) -> TimeDelta {
    match error {
        NegativeListError::Unavailable { retry_after } => TimeDelta::from_std(*retry_after)
            .unwrap_or(LONGEST_WAIT)
            .clamp(AGAIN, LONGEST_WAIT),
        NegativeListError::Refused { .. } | NegativeListError::Unknown => AGAIN,
    }
}

/// The answer of a call; unknown if it takes too long.
async fn in_time<T>(call: impl Future<Output = Result<T, NegativeListError>>) -> Result<T, NegativeListError> {
    timeout(CALL_LIMIT, call)
        .await
        .unwrap_or(Err(NegativeListError::Unknown))
}
