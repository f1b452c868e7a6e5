//! What a period is compared with: as much time of the one before it, like for like.

use chrono::{DateTime, Datelike, Days, Months, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, TimeZone, Utc};
use chrono_tz::Tz;

/// Ends of periods are written to the second, and belong to them.
const SECOND: TimeDelta = TimeDelta::seconds(1);
/// Clocks are put forward by whole quarters of an hour.
const QUARTER: TimeDelta = TimeDelta::minutes(15);
/// The longest that a clock was ever put forward: a day was left out where the date line moved.
const QUARTERS_OF_A_DAY: usize = 96;

/// As much of a period as is over, and the time that it is compared with. Both ends are included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// The first instant of the period.
    pub from: DateTime<Utc>,
    /// The last one that is over.
    pub until: DateTime<Utc>,
    /// The day, in the time zone of the comparison, that is not over at `now`; `None` if the whole period is over.
    pub unfinished_day: Option<NaiveDate>,
    /// The first instant of the earlier time.
    pub earlier_from: DateTime<Utc>,
    /// Its last one.
    pub earlier_until: DateTime<Utc>,
}

impl Comparison {
    /// Finds what to compare the period from `from` to `to`, both included, with. Only what is over at `now` is compared. Days are those of the zone.
    ///
    /// - One day: the day before.
    /// - A month or a year: as many days from the start of the one before; if that one is too short, its last days.
    /// - Other whole days: as many days before them.
    /// - Anything else: as many seconds before it.
    ///
    /// While the last of whole days is not over, the earlier time ends at the same time of day. `None` if the period has not begun, ends before it
    /// begins, or lies outside the years of the calendar.
    pub fn between(from: DateTime<Utc>, to: DateTime<Utc>, zone: Tz, now: DateTime<Utc>) -> Option<Self> {
        if from > to || from > now {
            return None;
        }
        let until = to.min(now);
        let is_running = now < to;
        let (earlier_from, earlier_until) = if let Some(span) = Span::between(from, to, zone) {
            span.earlier(from, is_running.then(|| now.with_timezone(&zone).naive_local()), zone)?
        } else {
            let length = to - from + SECOND;
            (
                from.checked_sub_signed(length)?,
                until.checked_sub_signed(length)?.min(from - SECOND),
            )
        };
        Some(Self {
            from,
            until,
            unfinished_day: is_running.then(|| now.with_timezone(&zone).date_naive()),
            earlier_from,
            earlier_until,
        })
    }

    /// The earlier time and the period, in seconds since 1970, both ends included; instants before 1970 count as its start.
    pub(crate) fn times(&self) -> [(i64, i64); 2] {
        [(self.earlier_from, self.earlier_until), (self.from, self.until)]
            .map(|(from, until)| (from.timestamp().max(0), until.timestamp().max(0)))
    }
}

/// Whole days of a time zone, both ends included.
#[derive(Clone, Copy)]
struct Span {
    first: NaiveDate,
    last: NaiveDate,
}

impl Span {
    /// The days from `from` to `to`; `None` unless `from` is the first second of a day in the zone and `to` the last second of a day.
    fn between(from: DateTime<Utc>, to: DateTime<Utc>, zone: Tz) -> Option<Self> {
        let (first, last) = (
            from.with_timezone(&zone).date_naive(),
            to.with_timezone(&zone).date_naive(),
        );
        let is_whole = day_start(first, zone)? == from && day_start(last.succ_opt()?, zone)? - SECOND == to;
        is_whole.then_some(Self { first, last })
    }

    /// The first and the last instant of the earlier time, which ends before `from`, the first instant of the span. `running` is the local time now
    /// if the last day is not over: the earlier time then ends at that time of day. `None` outside the years of the calendar.
    fn earlier(
        self,
        from: DateTime<Utc>,
        running: Option<NaiveDateTime>,
        zone: Tz,
    ) -> Option<(DateTime<Utc>, DateTime<Utc>)> {
        let last = running.map_or(self.last, |clock| clock.date());
        let over = days_between(self.first, last)?;
        let ends = |first: NaiveDate| {
            let last = first.checked_add_days(over)?;
            let next = match running {
                Some(clock) => instant_of_clock(last.and_time(clock.time()), zone)?,
                None => day_start(last.succ_opt()?, zone)? - SECOND,
            };
            Some((day_start(first, zone)?, next))
        };
        let aligned = ends(self.first_before()?)?;
        if aligned.1 < from {
            return Some(aligned);
        }
        ends(
            self.first
                .checked_sub_days(days_between(self.first, last.succ_opt()?)?)?,
        )
    }

    /// The day on which the earlier time begins: for a whole calendar month or year that of the one before, else as many days before `first` as the
    /// span has. `None` outside the years of the calendar.
    fn first_before(self) -> Option<NaiveDate> {
        let Self { first, last } = self;
        let next = last.succ_opt()?;
        for months in [1, 12] {
            let begins = first.day() == 1 && (months == 1 || first.month() == 1);
            if begins && first.checked_add_months(Months::new(months))? == next {
                return first.checked_sub_months(Months::new(months));
            }
        }
        first.checked_sub_days(days_between(first, next)?)
    }
}

/// The days from `first` to `last`, without the latter; `None` if it is before `first`.
fn days_between(first: NaiveDate, last: NaiveDate) -> Option<Days> {
    u64::try_from((last - first).num_days()).ok().map(Days::new)
}

/// The first instant of a day in a zone; `None` outside the years of the calendar.
fn day_start(day: NaiveDate, zone: Tz) -> Option<DateTime<Utc>> {
    instant_of_clock(day.and_time(NaiveTime::MIN), zone)
}

/// The instant at which a local clock shows a time: the first where it does so twice. Where it never does, because the clock is put forward, the
/// instant after the gap.
fn instant_of_clock(clock: NaiveDateTime, zone: Tz) -> Option<DateTime<Utc>> {
    (0..=QUARTERS_OF_A_DAY).find_map(|quarters| {
        let later = clock.checked_add_signed(QUARTER * i32::try_from(quarters).ok()?)?;
        zone.from_local_datetime(&later).earliest().map(|at| at.to_utc())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, zone: Tz) -> DateTime<Utc> {
        let clock = NaiveDateTime::parse_from_str(text, "%F %T").unwrap();
        zone.from_local_datetime(&clock).earliest().unwrap().to_utc()
    }

    /// The time before the days from `first` to `last`, in Paris, at an hour there.
    fn before(first: &str, last: &str, now: &str) -> Option<(String, String)> {
        let zone = chrono_tz::Europe::Paris;
        let (from, to) = (
            at(&format!("{first} 00:00:00"), zone),
            at(&format!("{last} 23:59:59"), zone),
        );
        let compared = Comparison::between(from, to, zone, at(now, zone))?;
        let shown = |at: DateTime<Utc>| at.with_timezone(&zone).format("%F %T").to_string();
        Some((shown(compared.earlier_from), shown(compared.earlier_until)))
    }

    #[test]
    fn as_much_of_the_time_before_counts_as_is_over() {
        for (first, last, now, from, until) in [
            // Today, until the same hour of yesterday.
            (
                "2026-11-22",
                "2026-11-22",
                "2026-11-22 14:30:00",
                "2026-11-21 00:00:00",
                "2026-11-21 14:30:00",
            ),
            // A day that is over, with the whole of the one before.
            (
                "2026-11-21",
                "2026-11-21",
                "2026-11-22 14:30:00",
                "2026-11-20 00:00:00",
                "2026-11-20 23:59:59",
            ),
            // Seven days of which today is the last.
            (
                "2026-11-16",
                "2026-11-22",
                "2026-11-22 09:00:00",
                "2026-11-09 00:00:00",
                "2026-11-15 09:00:00",
            ),
            // A week whose end is to come.
            (
                "2026-11-16",
                "2026-11-22",
                "2026-11-18 09:00:00",
                "2026-11-09 00:00:00",
                "2026-11-11 09:00:00",
            ),
            // This month, and one that is over, with the same days of the one before.
            (
                "2026-11-01",
                "2026-11-30",
                "2026-11-22 14:30:00",
                "2026-10-01 00:00:00",
                "2026-10-22 14:30:00",
            ),
            (
                "2026-09-01",
                "2026-09-30",
                "2026-11-22 14:30:00",
                "2026-08-01 00:00:00",
                "2026-08-30 23:59:59",
            ),
            // A month before that is too short.
            (
                "2026-03-01",
                "2026-03-31",
                "2026-03-31 14:30:00",
                "2026-01-29 00:00:00",
                "2026-02-28 14:30:00",
            ),
            (
                "2026-10-01",
                "2026-10-31",
                "2026-11-22 14:30:00",
                "2026-08-31 00:00:00",
                "2026-09-30 23:59:59",
            ),
            // A year, and one after a leap year.
            (
                "2026-01-01",
                "2026-12-31",
                "2026-11-22 14:30:00",
                "2025-01-01 00:00:00",
                "2025-11-22 14:30:00",
            ),
            (
                "2024-01-01",
                "2024-12-31",
                "2026-11-22 14:30:00",
                "2022-12-31 00:00:00",
                "2023-12-31 23:59:59",
            ),
            // December and January.
            (
                "2026-01-01",
                "2026-01-31",
                "2026-01-10 12:00:00",
                "2025-12-01 00:00:00",
                "2025-12-10 12:00:00",
            ),
        ] {
            assert_eq!(
                before(first, last, now),
                Some((from.to_owned(), until.to_owned())),
                "{first} to {last} at {now}"
            );
        }
        assert_eq!(before("2026-11-23", "2026-11-24", "2026-11-22 14:30:00"), None);
    }

    #[test]
    fn days_on_which_clocks_change_are_days_like_others() {
        // On 29 March 2026 the clock goes from 2:00 to 3:00, on 25 October from 3:00 back to 2:00.
        for (day, now, until) in [
            ("2026-03-29", "2026-03-29 12:00:00", "2026-03-28 12:00:00"),
            ("2026-03-30", "2026-03-30 02:30:00", "2026-03-29 03:00:00"),
            ("2026-10-25", "2026-10-25 12:00:00", "2026-10-24 12:00:00"),
            ("2026-10-26", "2026-10-26 12:00:00", "2026-10-25 12:00:00"),
        ] {
            let (from, found) = before(day, day, now).unwrap();
            assert_eq!(found, until, "{day}");
            assert_eq!(from, format!("{} 00:00:00", &until[..10]), "{day}");
        }
    }

    #[test]
    fn the_day_that_is_not_over_is_named() {
        let zone = chrono_tz::Europe::Paris;
        let (from, to) = (at("2026-11-16 00:00:00", zone), at("2026-11-22 23:59:59", zone));
        let day = |now| {
            Comparison::between(from, to, zone, at(now, zone))
                .unwrap()
                .unfinished_day
        };
        assert_eq!(day("2026-11-22 00:30:00"), NaiveDate::from_ymd_opt(2026, 11, 22));
        assert_eq!(day("2026-11-23 00:30:00"), None);
    }

    #[test]
    fn other_periods_are_compared_with_as_many_seconds_before() {
        let (from, to) = (
            at("2026-11-20 10:00:00", chrono_tz::UTC),
            at("2026-11-20 15:59:59", chrono_tz::UTC),
        );
        let found = |now| {
            let compared = Comparison::between(from, to, chrono_tz::UTC, at(now, chrono_tz::UTC)).unwrap();
            (compared.earlier_from.to_string(), compared.earlier_until.to_string())
        };
        let whole = (
            "2026-11-20 04:00:00 UTC".to_owned(),
            "2026-11-20 09:59:59 UTC".to_owned(),
        );
        assert_eq!(found("2026-11-22 14:30:00"), whole);
        assert_eq!(found("2026-11-20 11:00:00").1, "2026-11-20 05:00:00 UTC");
    }
}
