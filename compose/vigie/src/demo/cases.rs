//! The cases of the demonstration: ads are found day after day, and users and Vigie itself process them. Everything written could have
//! happened in this order.

use chrono::{DateTime, Datelike, Days, NaiveDate, TimeDelta, Utc, Weekday};
use postgres::actions::events::{self, Applied};
use postgres::actions::list::{self, ActionRow, ActionsQuery, Sort};
use runtime::settings::Actions;
use vocabulary::ActionEvent::{self, Accept, Ignore, Manual, Refuse, Remind, Request, StopSeeing, StopWork};
use vocabulary::ActionStatus::{self, Inprogress, New, Reappearance, Refused, Reminded, Requested};
use vocabulary::{ActionId, CaseMailKind, Scope, SystemScope};

use super::people::{EventActor, Participants};
use super::{DemoError, outreach};

/// Most cases that are processed; others stay as they are.
const MOST_CASES: i64 = 10_000;
/// First working hour of a day.
const OPENING_HOUR: u32 = 8;
/// Hours of a working day.
const WORKING_HOURS: u32 = 9;
const THOUSAND: u32 = 1_000;

const SCOPE: SystemScope = SystemScope::new("demonstration data");

/// What happens to cases that have had a status for some days.
struct CaseProgress {
    of: ActionStatus,
    /// Days since the status began.
    after: i64,
    event: ActionEvent,
    /// Cases per thousand on a working day.
    share: u32,
    actor: EventActor,
}

/// Makes an entry of [`HABITS`]: on a working day, `event` happens to `share` in a thousand of the cases that have had the status `of` for `after`
/// days or longer.
const fn habit(of: ActionStatus, after: i64, event: ActionEvent, share: u32, actor: EventActor) -> CaseProgress {
    CaseProgress {
        of,
        after,
        event,
        share,
        actor,
    }
}

const HABITS: [CaseProgress; 16] = [
    habit(New, 1, Request, 14, EventActor::Company),
    habit(New, 1, Ignore, 5, EventActor::Company),
    habit(New, 2, Manual, 3, EventActor::Staff),
    habit(Reappearance, 1, Request, 60, EventActor::Company),
    habit(Reappearance, 1, Ignore, 25, EventActor::Company),
    habit(Requested, 1, Manual, 250, EventActor::Staff),
    habit(Requested, 3, Refuse, 20, EventActor::Staff),
    habit(Inprogress, 4, Accept, 80, EventActor::Staff),
    habit(Inprogress, 3, Refuse, 30, EventActor::Staff),
    habit(Inprogress, 7, Remind, 200, EventActor::Vigie),
    habit(Inprogress, 5, StopWork, 15, EventActor::Staff),
    habit(Reminded, 3, Accept, 100, EventActor::Staff),
    habit(Reminded, 5, Refuse, 60, EventActor::Staff),
    habit(Reminded, 8, StopWork, 60, EventActor::Staff),
    habit(Refused, 6, StopWork, 15, EventActor::Staff),
    habit(Refused, 10, Ignore, 10, EventActor::Company),
];

/// Processes cases day by day.
pub(super) struct Cases<'a> {
    pub(super) pool: &'a postgres::Pool,
    pub(super) participants: &'a Participants,
    pub(super) rules: Actions,
    pub(super) seed: u64,
    /// Nothing happens after it.
    pub(super) now: DateTime<Utc>,
}

impl Cases<'_> {
    /// Processes the cases of all brands on one day (UTC), in a transaction of its own: at midnight those disappear that have not been seen for long,
    /// then, within working hours and before `now`, [`HABITS`] apply to others. Does nothing on weekends.
    pub(super) async fn pass_day(&self, day: NaiveDate) -> Result<(), DemoError> {
        if matches!(day.weekday(), Weekday::Sat | Weekday::Sun) {
            return Ok(());
        }
        let midnight = super::midnight(day);
        let cases = self.all().await?;
        let silent = midnight - TimeDelta::days(self.rules.disappear_days.into());
        let is_gone = |case: &&ActionRow| {
            case.last_view.is_some_and(|last| last < silent) && case.status.after(StopSeeing).is_some()
        };
        let gone: Vec<ActionId> = cases.iter().filter(is_gone).map(|case| case.id).collect();
        let mut tx = postgres::begin(self.pool).await?;
        apply_event(&mut tx, &SCOPE, StopSeeing, &gone, midnight).await?;
        for (position, habit) in HABITS.iter().enumerate() {
            let affected = cases.iter().filter(|case| !gone.contains(&case.id));
            let affected = affected.filter(|case| self.chosen(case, day) == Some(position));
            let mut groups = std::collections::BTreeMap::<usize, Vec<ActionId>>::new();
            for case in affected {
                let member = self.draw_of(case, "member", day, 2);
                let group = self.participants.choose(habit.actor, case.brand, member as usize);
                groups.entry(group).or_default().push(case.id);
            }
            for (participant, group) in groups {
                let minute = self.minute(&[&habit.event.to_string(), &participant.to_string()], day);
                let at = midnight + TimeDelta::minutes(minute);
                if at <= self.now {
                    let scope = self.participants.scope(participant);
                    let rest = self.write(&mut tx, scope, (habit.event, group), &cases, at).await?;
                    apply_event(&mut tx, scope, habit.event, &rest, at).await?;
                }
            }
        }
        tx.commit().await.map_err(postgres::Error::from)?;
        Ok(())
    }

    /// Writes the mails of an event that is one, where the advertiser can be written to; returns the cases of the group to which the event happens
    /// without a mail: a notification may go by other means.
    async fn write(
        &self,
        connection: &mut postgres::Connection,
        scope: &Scope,
        (event, group): (ActionEvent, Vec<ActionId>),
        cases: &[ActionRow],
        at: DateTime<Utc>,
    ) -> Result<Vec<ActionId>, DemoError> {
        let kind = match event {
            Manual => CaseMailKind::Notification,
            Remind => CaseMailKind::Reminder,
            _ => return Ok(group),
        };
        let mut rest = Vec::new();
        for id in group {
            let case = cases.iter().find(|case| case.id == id && self.is_written_to(case));
            let is_written = match case {
                Some(case) => {
                    let to = outreach::contacts_of(connection, case).await?;
                    outreach::write(connection, scope, case, (kind, &to), at).await?
                }
                None => false,
            };
            // A reminder that a limit holds was not sent, and is none.
            let is_held = case.is_some() && kind == CaseMailKind::Reminder;
            if !is_written && !is_held {
                rest.push(id);
            }
        }
        Ok(rest)
    }

    /// Whether the addresses of an advertiser were found: those of two in three.
    fn is_written_to(&self, case: &ActionRow) -> bool {
        let master = case.advertiser.as_ref().map(|(_, master)| master.as_str());
        self.draw(&["addresses", master.unwrap_or_default()], NaiveDate::MIN, 3) > 0
    }

    /// Draws which habit applies to a case on a day, among those for its status and age, by their shares; returns the index in [`HABITS`]. `None`
    /// when none does, or when the case has no date of its status. The same for the same case, day and seed.
    fn chosen(&self, case: &ActionRow, day: NaiveDate) -> Option<usize> {
        let since = case.last_status?.date_naive();
        let age = (day - since).num_days();
        let mut drawn = self.draw_of(case, "habit", day, THOUSAND);
        for (position, habit) in HABITS.iter().enumerate() {
            if habit.of != case.status || age < habit.after {
                continue;
            }
            if drawn < habit.share {
                return Some(position);
            }
            drawn -= habit.share;
        }
        None
    }

    /// Lists the cases of all brands, also those not of the demonstration, ordered by domain; at most [`MOST_CASES`].
    async fn all(&self) -> Result<Vec<ActionRow>, DemoError> {
        let query = ActionsQuery {
            conditions: Vec::new(),
            sort: Sort::Domain,
            descending: false,
            limit: MOST_CASES,
            offset: 0,
        };
        Ok(list::page(self.pool, &SCOPE, &query, None).await?)
    }

    /// Draws a time within working hours, in minutes after midnight; the same for the same arguments.
    fn minute(&self, of: &[&str], day: NaiveDate) -> i64 {
        let minutes = self.draw(of, day, WORKING_HOURS * 60);
        (OPENING_HOUR * 60 + minutes).into()
    }

    /// Draws a number under `below` for a case from its brand, domain, country and engine, the purpose `what` and the day; the same for the same
    /// arguments.
    fn draw_of(&self, case: &ActionRow, what: &str, day: NaiveDate, below: u32) -> u32 {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let brand = case.brand.map_or_else(String::new, |brand| brand.to_string());
        let (domain, country, engine) = (text(&case.domain), text(&case.country), text(&case.engine));
        self.draw(&[what, &brand, &domain, &country, &engine], day, below)
    }

    /// Draws a number under `below`, which must not be 0, from the texts, the day and the seed alone: the same arguments give the same number.
    fn draw(&self, of: &[&str], day: NaiveDate, below: u32) -> u32 {
        const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
        const FNV_PRIME: u64 = 0x0100_0000_01b3;
        let day = day.num_days_from_ce().unsigned_abs();
        let bytes = of.iter().flat_map(|part| part.bytes().chain([0xff]));
        let bytes = bytes.chain(day.to_le_bytes()).chain(self.seed.to_le_bytes());
        let hash = bytes.fold(FNV_OFFSET, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(FNV_PRIME)
        });
        // The low bits of this hash are weak.
        u32::try_from((hash >> 32) % u64::from(below)).unwrap_or(0)
    }
}

/// Applies an event to all cases of a group at the given time; the caller commits. If one of them is out of scope or does not allow the event,
/// changes none and logs a warning, without an error.
async fn apply_event(
    connection: &mut postgres::Connection,
    scope: &Scope,
    event: ActionEvent,
    group: &[ActionId],
    at: DateTime<Utc>,
) -> Result<(), DemoError> {
    if !group.is_empty() {
        let applied = events::apply(connection, scope, event, group, at).await?;
        if applied != Applied::All {
            tracing::warn!(%event, ?applied, "cases of the demonstration are left as they are");
        }
    }
    Ok(())
}

/// Iterates over the days from `first` to `last`, both included.
pub(super) fn days(first: NaiveDate, last: NaiveDate) -> impl Iterator<Item = NaiveDate> {
    first.iter_days().take_while(move |day| *day <= last)
}

/// The day `days` days earlier.
pub(super) fn days_before(day: NaiveDate, days: u32) -> NaiveDate {
    day - Days::new(days.into())
}
