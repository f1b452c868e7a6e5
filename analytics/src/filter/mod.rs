//! What narrows a list: conditions on named fields, as callers write them.

mod condition;
mod field;

pub use condition::{BadCondition, Condition, Operator};
pub use field::Field;

use crate::statement::Conditions;

/// Conditions that must all hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filters(Vec<Condition>);

impl Filters {
    /// No condition.
    pub const fn none() -> Self {
        Self(Vec::new())
    }

    /// Adds a condition.
    pub fn push(&mut self, condition: Condition) {
        self.0.push(condition);
    }

    /// Whether a field has a condition.
    pub fn names(&self, field: Field) -> bool {
        self.0.iter().any(|condition| condition.field() == field)
    }

    /// The brands that conditions ask for, where one does.
    pub(crate) fn brands(&self) -> Option<Vec<u32>> {
        self.0.iter().find_map(Condition::brands)
    }

    /// The conditions without those on the date, and the instants that those allow, in seconds since 1970.
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
