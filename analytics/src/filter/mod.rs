//! What narrows a list: conditions on named fields, as callers write them.

mod comparison;
mod condition;
mod field;

pub use comparison::Comparison;
pub use condition::{Condition, ConditionError, Fact, Operator};
pub use field::Field;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

use crate::statement::Conditions;

/// Conditions that must all hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filters(Vec<Condition>);

impl Filters {
    /// Filters that every ad meets.
    pub const fn none() -> Self {
        Self(Vec::new())
    }

    /// Adds a condition.
    pub fn push(&mut self, condition: Condition) {
        self.0.push(condition);
    }

    /// Whether there is a condition on this field.
    pub fn names(&self, field: Field) -> bool {
        self.0.iter().any(|condition| condition.field() == field)
    }

    /// The brands that the first condition on brands allows; `None` if there is none, or only some that exclude.
    pub fn brands(&self) -> Option<Vec<u32>> {
        self.0.iter().find_map(Condition::brands)
    }

    /// The conditions without those on the date, and the seconds since 1970 that those allow together: all that the store can hold if there are none,
    /// an empty range if they contradict each other.
    pub(crate) fn without_date(&self) -> (Self, std::ops::RangeInclusive<i64>) {
        let (mut from, mut to) = (0, i64::from(u32::MAX));
        let mut others = Vec::new();
        for condition in &self.0 {
            match condition.instants() {
                Some((first, last)) => {
                    from = from.max(first.unwrap_or(from));
                    to = to.min(last.unwrap_or(to));
                }
                None => others.push(condition.clone()),
            }
        }
        (Self(others), from..=to)
    }

    /// The first and the last instant that the conditions on the date allow together; `None` is an open end. The first is after the last if the
    /// conditions contradict each other.
    pub fn instants(&self) -> (Option<DateTime<Utc>>, Option<DateTime<Utc>>) {
        let mut ends = (None::<i64>, None::<i64>);
        for (from, to) in self.0.iter().filter_map(Condition::instants) {
            ends.0 = ends.0.max(from);
            ends.1 = ends.1.into_iter().chain(to).min();
        }
        let instant = |seconds: Option<i64>| seconds.and_then(DateTime::from_timestamp_secs);
        (instant(ends.0), instant(ends.1))
    }

    /// What to compare the period of the conditions with, as of `now` (see [`Comparison::between`]); `None` if they do not name both ends, or nothing
    /// of the period is over.
    pub fn comparison(&self, zone: Tz, now: DateTime<Utc>) -> Option<Comparison> {
        let (Some(from), Some(to)) = self.instants() else {
            return None;
        };
        Comparison::between(from, to, zone, now)
    }

    /// The conditions of both filters, which must all hold.
    #[must_use]
    pub fn and(&self, others: &Self) -> Self {
        Self(self.0.iter().chain(&others.0).cloned().collect())
    }

    /// The same conditions on another period, both ends included: those on the date are replaced.
    #[must_use]
    pub fn within(&self, from: DateTime<Utc>, to: DateTime<Utc>) -> Self {
        let mut moved = self.without_date().0;
        moved.push(Condition::seen_between(Some(from), Some(to)));
        moved
    }

    /// The conditions on what was searched, among them those on the date, without those on the ads that were found.
    pub(crate) fn of_captures(&self) -> Self {
        self.0
            .iter()
            .filter(|condition| condition.field().is_of_capture())
            .cloned()
            .collect()
    }

    /// The conditions on what was searched as facts, for the store of captures. Left out are those on ads and on the date, which [`Self::instants`]
    /// has.
    pub fn facts_of_captures(&self) -> Vec<Fact> {
        let conditions = self.0.iter().filter(|condition| condition.field().is_of_capture());
        conditions.filter_map(Condition::fact).collect()
    }

    /// Adds all conditions as SQL.
    pub(crate) fn add_to(&self, conditions: &mut Conditions) {
        for condition in &self.0 {
            condition.add_to(conditions);
        }
    }
}

impl FromIterator<Condition> for Filters {
    fn from_iter<I: IntoIterator<Item = Condition>>(conditions: I) -> Self {
        Self(conditions.into_iter().collect())
    }
}
