//! The days of the last 30 on which an advertiser was seen.

use chrono::NaiveDate;
use serde_json::{Value, json};

/// Days that are remembered.
const DAYS: u32 = 30;
const ALL: u32 = (1 << DAYS) - 1;

/// The last 30 days up to `until` with text ads and with shopping ads: bit 0 is `until`, bit n the nth day before it. Days can be added in
/// any order and repeatedly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeenDays {
    /// The newest day.
    pub until: NaiveDate,
    /// Days with text ads.
    pub text: u32,
    /// Days with shopping ads.
    pub shopping: u32,
}

impl SeenDays {
    /// The record of a single day; the flags say which kinds of ads were seen on it.
    pub fn on(day: NaiveDate, text: bool, shopping: bool) -> Self {
        Self {
            until: day,
            text: u32::from(text),
            shopping: u32::from(shopping),
        }
    }

    /// The days seen in either record, by kind, counted back from the later `until`; days more than 29 before that are dropped.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let until = self.until.max(other.until);
        let (one, two) = (self.counted_back_from(until), other.counted_back_from(until));
        Self {
            until,
            text: one.text | two.text,
            shopping: one.shopping | two.shopping,
        }
    }

    /// The same days counted back from `day`, without those more than 29 days before it. An earlier `day` changes nothing.
    #[must_use]
    pub fn counted_back_from(self, day: NaiveDate) -> Self {
        let passed = u32::try_from((day - self.until).num_days()).unwrap_or(0);
        let shift = |days: u32| days.checked_shl(passed).unwrap_or(0) & ALL;
        Self {
            until: day.max(self.until),
            text: shift(self.text),
            shopping: shift(self.shopping),
        }
    }

    /// As an action shows it: which kinds of ads are live, and on how many days any was seen (decision D56).
    pub fn presence(self) -> Value {
        json!({
            "ads": self.text != 0,
            "shopping": self.shopping != 0,
            "daysSeen30": (self.text | self.shopping).count_ones(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(number: u32) -> NaiveDate {
        NaiveDate::from_ymd_opt(2026, 1, 1).unwrap() + chrono::Days::new(number.into())
    }

    #[test]
    fn days_add_up_in_any_order_and_any_number() {
        let days = [
            (3, true, false),
            (40, false, true),
            (12, true, true),
            (40, false, true),
            (39, true, false),
        ];
        let on = |(number, text, shopping)| SeenDays::on(day(number), text, shopping);
        let forwards = days.map(on).into_iter().reduce(SeenDays::and).unwrap();
        let backwards = days.map(on).into_iter().rev().reduce(SeenDays::and).unwrap();
        assert_eq!(forwards, backwards);
        assert_eq!(
            forwards.presence(),
            json!({"ads": true, "shopping": true, "daysSeen30": 3}),
            "the third day is more than 30 days before the last"
        );
    }

    #[test]
    fn days_pass_out_of_sight() {
        let seen = SeenDays::on(day(0), true, false);
        let after = |days| {
            seen.counted_back_from(day(days)).presence()["daysSeen30"]
                .as_u64()
                .unwrap()
        };
        assert_eq!((after(0), after(29), after(30), after(300)), (1, 1, 0, 0));
    }
}
