//! When a digest alert is sent next (decision D146).

use std::str::FromStr;

use chrono::{DateTime, Datelike, Days, LocalResult, Months, NaiveDate, NaiveDateTime, TimeDelta, TimeZone, Utc};
use thiserror::Error;

use crate::cron::{Cron, CronError};

/// Units of a frequency at most: longer waits are a mistake.
const MOST_UNITS: u32 = 1_000;
/// Longer than any gap that a zone has made in its clocks: Samoa left out a day.
const LONGEST_GAP: TimeDelta = TimeDelta::hours(25);
/// Days that are looked through for the next one of a cron expression: the 29th of February may be eight years away.
const LONGEST_WAIT_DAYS: u64 = 8 * 366;

/// Why a schedule cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum AlertScheduleError {
    /// The cron expression is malformed.
    #[error(transparent)]
    Cron(#[from] CronError),
    /// The cron expression names a day that no calendar has.
    #[error("names a day that never comes")]
    Never,
    /// The frequency is malformed.
    #[error("is a number of hours, days, weeks or months, as in '7 days', of 1 to {MOST_UNITS}")]
    Frequency,
}

impl AlertScheduleError {
    /// The field of the alert that is wrong.
    pub const fn field(self) -> &'static str {
        match self {
            Self::Cron(_) | Self::Never => "cron",
            Self::Frequency => "frequency",
        }
    }
}

/// The unit of a frequency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Hours,
    Days,
    Months,
}

/// The times at which an alert is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AlertSchedule {
    /// The times of a cron expression, on the clock of a zone.
    Cron(Box<Cron>),
    /// At a fixed interval from a start.
    Every(Every),
}

/// So many units, counted from a start: hours by the clock that never changes, days and months by the calendar of a zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Every {
    count: u32,
    unit: Unit,
    start: DateTime<Utc>,
}

impl AlertSchedule {
    /// The schedule of an alert: its cron expression, else its frequency from `start`. Blank texts count as absent; without either it is every 7 days.
    pub fn read(cron: Option<&str>, frequency: Option<&str>, start: DateTime<Utc>) -> Result<Self, AlertScheduleError> {
        let given = |text: Option<&str>| text.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
        if let Some(cron) = given(cron) {
            let cron = Self::Cron(Box::new(Cron::from_str(&cron)?));
            let ever = cron.next(&Utc, DateTime::UNIX_EPOCH);
            return ever.map(|_| cron).ok_or(AlertScheduleError::Never);
        }
        let frequency = given(frequency).unwrap_or_else(|| "7 days".to_owned());
        Every::read(&frequency, start)
            .map(Self::Every)
            .ok_or(AlertScheduleError::Frequency)
    }

    /// The first time after `now`, however many were missed. A time that the clocks of the zone leave out is taken just after the gap, one that comes
    /// twice the first time alone. `None` when there is none within eight years.
    pub fn next(&self, zone: &impl TimeZone, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        match self {
            Self::Cron(cron) => next_of_cron(cron, zone, now),
            Self::Every(every) => every.next(zone, now),
        }
    }
}

impl Every {
    fn read(text: &str, start: DateTime<Utc>) -> Option<Self> {
        let mut words = text.split_whitespace();
        let count: u32 = words.next()?.parse().ok()?;
        let (factor, unit) = match words.next()?.to_ascii_lowercase().as_str() {
            "hour" | "hours" => (1, Unit::Hours),
            "day" | "days" => (1, Unit::Days),
            "week" | "weeks" => (7, Unit::Days),
            "month" | "months" => (1, Unit::Months),
            _ => return None,
        };
        let is_whole = words.next().is_none() && (1..=MOST_UNITS).contains(&count);
        is_whole.then_some(Self {
            count: count * factor,
            unit,
            start,
        })
    }

    /// The time after `steps` steps from the start.
    fn after(self, steps: u32, zone: &impl TimeZone) -> Option<DateTime<Utc>> {
        let units = self.count.checked_mul(steps)?;
        let local = self.start.with_timezone(zone).naive_local();
        match self.unit {
            Unit::Hours => self.start.checked_add_signed(TimeDelta::try_hours(units.into())?),
            Unit::Days => instant(zone, local.checked_add_days(Days::new(units.into()))?),
            Unit::Months => instant(zone, local.checked_add_months(Months::new(units))?),
        }
    }

    fn next(self, zone: &impl TimeZone, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let passed = (now - self.start).num_hours();
        // Longer than the unit ever is, so that the first guess is never too late.
        let longest = match self.unit {
            Unit::Hours => 1,
            Unit::Days => 25,
            Unit::Months => 31 * 24 + 1,
        };
        let guess = passed / (longest * i64::from(self.count));
        let mut steps = u32::try_from(guess.max(1) - 1).ok()?;
        loop {
            let time = self.after(steps, zone)?;
            if time > now {
                return Some(time);
            }
            steps += 1;
        }
    }
}

/// The first time of a cron expression after `now` on the clock of a zone.
fn next_of_cron(cron: &Cron, zone: &impl TimeZone, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let today = now.with_timezone(zone).date_naive();
    let days = (0..=LONGEST_WAIT_DAYS).filter_map(|days| today.checked_add_days(Days::new(days)));
    let fitting = days.filter(|day: &NaiveDate| cron.has_day(day.day(), day.month(), day.weekday()));
    for day in fitting {
        for (hour, minute, second) in cron.times() {
            let time = day
                .and_hms_opt(hour, minute, second)
                .and_then(|local| instant(zone, local));
            if time.is_some_and(|time| time > now) {
                return time;
            }
        }
    }
    None
}

/// The instant of a local time: the first of two, and the end of the gap for one that the clocks leave out.
fn instant(zone: &impl TimeZone, local: NaiveDateTime) -> Option<DateTime<Utc>> {
    match zone.from_local_datetime(&local) {
        LocalResult::Single(time) | LocalResult::Ambiguous(time, _) => Some(time.to_utc()),
        LocalResult::None => {
            let minutes = 1..=LONGEST_GAP.num_minutes();
            let whole =
                local
                    .date()
                    .and_hms_opt(chrono::Timelike::hour(&local), chrono::Timelike::minute(&local), 0)?;
            minutes
                .filter_map(|minutes| {
                    zone.from_local_datetime(&(whole + TimeDelta::minutes(minutes)))
                        .earliest()
                })
                .map(|time| time.to_utc())
                .next()
        }
    }
}

#[cfg(test)]
mod tests {
    use chrono_tz::Europe::Paris;
    use proptest::prelude::*;

    use super::*;

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    fn next(cron: &str, frequency: &str, start: &str, now: &str) -> Option<DateTime<Utc>> {
        let schedule = AlertSchedule::read(Some(cron), Some(frequency), at(start)).unwrap();
        schedule.next(&Paris, at(now))
    }

    #[test]
    fn a_cron_expression_wins_over_a_frequency_and_is_read_on_the_clock_of_the_zone() {
        let start = "2026-01-01T06:00:00Z";
        for (cron, expected) in [
            ("0 8 * * MON", "2026-11-30T07:00:00Z"),
            ("0 8 * * 1", "2026-11-30T07:00:00Z"),
            ("30 0 8 * * 1-5", "2026-11-25T07:00:30Z"),
            ("*/20 * * * *", "2026-11-24T10:20:00Z"),
            ("0 8 1 * MON", "2026-11-30T07:00:00Z"),
            ("0 8 29 2 *", "2028-02-29T07:00:00Z"),
            ("0 0 * * 7", "2026-11-28T23:00:00Z"),
        ] {
            let found = next(cron, "1 hours", start, "2026-11-24T10:00:00Z");
            assert_eq!(found, Some(at(expected)), "{cron}");
        }
        assert_eq!(
            next(" ", "3 hours", start, "2026-11-24T10:00:00Z"),
            Some(at("2026-11-24T12:00:00Z"))
        );
    }

    #[test]
    fn a_frequency_keeps_the_hour_of_its_start_when_the_clocks_change() {
        let start = "2026-10-20T06:00:00Z";
        assert_eq!(
            next("", "7 days", start, "2026-10-20T06:00:00Z"),
            Some(at("2026-10-27T07:00:00Z"))
        );
        assert_eq!(
            next("", "1 week", start, "2026-11-20T06:00:00Z"),
            Some(at("2026-11-24T07:00:00Z"))
        );
        assert_eq!(
            next("", "1 months", "2026-01-31T07:00:00Z", "2026-02-01T00:00:00Z"),
            Some(at("2026-02-28T07:00:00Z"))
        );
        assert_eq!(
            next("", "1 months", "2026-01-31T07:00:00Z", "2026-03-01T00:00:00Z"),
            Some(at("2026-03-31T06:00:00Z"))
        );
        assert_eq!(next("", "7 days", start, "2026-10-01T00:00:00Z"), Some(at(start)));
    }

    #[test]
    fn where_the_clocks_change_a_time_is_neither_lost_nor_taken_twice() {
        let start = "2026-01-01T06:00:00Z";
        assert_eq!(
            next("30 2 * * *", "", start, "2026-03-28T12:00:00Z"),
            Some(at("2026-03-29T01:00:00Z"))
        );
        assert_eq!(
            next("30 2 * * *", "", start, "2026-03-29T01:00:00Z"),
            Some(at("2026-03-30T00:30:00Z"))
        );
        assert_eq!(
            next("30 2 * * *", "", start, "2026-10-24T12:00:00Z"),
            Some(at("2026-10-25T00:30:00Z"))
        );
        assert_eq!(
            next("30 2 * * *", "", start, "2026-10-25T00:30:00Z"),
            Some(at("2026-10-26T01:30:00Z"))
        );
    }

    #[test]
    fn what_cannot_be_read_is_refused_by_field() {
        for cron in [
            "8",
            "61 * * * *",
            "* * * * FOO",
            "* * * * * * *",
            "*/0 * * * *",
            "5-1 * * * *",
            "0 0 31 2 *",
        ] {
            let error = AlertSchedule::read(Some(cron), None, DateTime::UNIX_EPOCH).unwrap_err();
            assert_eq!(error.field(), "cron", "{cron}");
        }
        for frequency in [
            "days",
            "0 days",
            "7 years",
            "7 days ago",
            "-1 days",
            "1001 hours",
            "99999999999 days",
        ] {
            let error = AlertSchedule::read(None, Some(frequency), DateTime::UNIX_EPOCH).unwrap_err();
            assert_eq!(error.field(), "frequency", "{frequency}");
        }
        assert!(AlertSchedule::read(None, None, DateTime::UNIX_EPOCH).is_ok());
    }

    proptest! {
        /// The next time comes after now, and there is none between the two.
        #[test]
        fn the_next_time_is_the_first_after_now(
            minute in 0u32..60, hour in 0u32..24, count in 1u32..40, unit in 0usize..4, seconds in 1_700_000_000i64..1_900_000_000,
            part in 0u32..1_000,
        ) {
            let now = DateTime::from_timestamp(seconds, 0).unwrap();
            let start = at("2023-01-31T01:30:00Z");
            let frequency = format!("{count} {}", ["hours", "days", "weeks", "months"][unit]);
            let cron = format!("{minute} {hour} * * *");
            for schedule in [
                AlertSchedule::read(None, Some(&frequency), start).unwrap(),
                AlertSchedule::read(Some(&cron), None, start).unwrap(),
            ] {
                let next = schedule.next(&Paris, now).unwrap();
                prop_assert!(next > now);
                let between = now + (next - now - TimeDelta::seconds(1)) * i32::try_from(part).unwrap() / 1_000;
                prop_assert_eq!(schedule.next(&Paris, between), Some(next));
            }
        }
    }
}
