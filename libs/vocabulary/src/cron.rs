//! Cron expressions of 5 fields, or of 6 with the seconds first.

use std::ops::RangeInclusive;
use std::str::FromStr;

use chrono::Weekday;
use thiserror::Error;

const MONTHS: [&str; 12] = [
    "JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC",
];
const WEEKDAYS: [&str; 7] = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];
/// Both are Sunday.
const SUNDAYS: (u32, u32) = (0, 7);

/// The text is no cron expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("is no cron expression of 5 or 6 fields, as in '0 8 * * MON'")]
pub struct CronError;

/// A cron expression: minute, hour, day, month and day of the week, from 0 or 7 for Sunday. Of a day and a day of the week, one is enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cron {
    seconds: Field,
    minutes: Field,
    hours: Field,
    days: Field,
    months: Field,
    weekdays: Field,
}

/// The values of a field, one a bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Field {
    bits: u64,
    is_any: bool,
}

impl FromStr for Cron {
    type Err = CronError;

    fn from_str(text: &str) -> Result<Self, CronError> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let (seconds, rest) = match words.as_slice() {
            rest if rest.len() == 5 => ("0", rest),
            [seconds, rest @ ..] if rest.len() == 5 => (*seconds, rest),
            _ => return Err(CronError),
        };
        let field = |text: &str, range, names: &[&str], first| Field::read(text, range, names, first).ok_or(CronError);
        let mut cron = Self {
            seconds: field(seconds, 0..=59, &[], 0)?,
            minutes: field(rest[0], 0..=59, &[], 0)?,
            hours: field(rest[1], 0..=23, &[], 0)?,
            days: field(rest[2], 1..=31, &[], 0)?,
            months: field(rest[3], 1..=12, &MONTHS, 1)?,
            weekdays: field(rest[4], SUNDAYS.0..=SUNDAYS.1, &WEEKDAYS, 0)?,
        };
        if cron.weekdays.has(SUNDAYS.1) {
            cron.weekdays.bits |= 1 << SUNDAYS.0;
        }
        Ok(cron)
    }
}

impl Cron {
    /// Whether it has times on this day of the month, in this month, on this day of the week.
    pub fn has_day(&self, day: u32, month: u32, weekday: Weekday) -> bool {
        let (by_day, by_weekday) = (self.days.has(day), self.weekdays.has(weekday.num_days_from_sunday()));
        let fits = if self.days.is_any || self.weekdays.is_any {
            by_day && by_weekday
        } else {
            by_day || by_weekday
        };
        fits && self.months.has(month)
    }

    /// Its times of a day in their order: hour, minute and second.
    pub fn times(&self) -> impl Iterator<Item = (u32, u32, u32)> + '_ {
        let minutes = move |hour| self.minutes.values().map(move |minute| (hour, minute));
        let seconds = move |(hour, minute)| self.seconds.values().map(move |second| (hour, minute, second));
        self.hours.values().flat_map(minutes).flat_map(seconds)
    }
}

impl Field {
    /// Reads a list of values, ranges and steps; `names` are other words for the values from `first` on.
    fn read(text: &str, range: RangeInclusive<u32>, names: &[&str], first: u32) -> Option<Self> {
        let value = |word: &str| {
            let place = names.iter().position(|name| name.eq_ignore_ascii_case(word));
            let value = match place {
                Some(index) => first + u32::try_from(index).ok()?,
                None if word.bytes().all(|byte| byte.is_ascii_digit()) => word.parse().ok()?,
                None => return None,
            };
            range.contains(&value).then_some(value)
        };
        let mut bits = 0;
        for part in text.split(',') {
            let (values, step) = match part.split_once('/') {
                Some((values, step)) => (values, Some(step.parse().ok().filter(|step: &u32| *step > 0)?)),
                None => (part, None),
            };
            let (from, to) = match values.split_once('-') {
                _ if values == "*" || values == "?" => (*range.start(), *range.end()),
                Some((from, to)) => (value(from)?, value(to)?),
                None if step.is_some() => (value(values)?, *range.end()),
                None => (value(values)?, value(values)?),
            };
            if from > to {
                return None;
            }
            for value in (from..=to).step_by(usize::try_from(step.unwrap_or(1)).ok()?) {
                bits |= 1 << value;
            }
        }
        Some(Self {
            bits,
            is_any: text.starts_with(['*', '?']),
        })
    }

    const fn has(self, value: u32) -> bool {
        self.bits >> value & 1 == 1
    }

    fn values(self) -> impl Iterator<Item = u32> {
        (0..u64::BITS).filter(move |value| self.has(*value))
    }
}
