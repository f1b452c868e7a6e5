//! Which builds of days and weeks count, and what part of a period they cover.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use chrono::{Datelike, Months, NaiveDate};
use clickhouse::Row;
use serde::Deserialize;

const SECONDS_OF_DAY: i64 = 86_400;
/// Days of a week; the last one of a month is shorter.
const DAYS_OF_WEEK: u32 = 7;
/// How long a calendar is used. A change by this process is seen at once, one by another after this: until then a period is shown as it
/// was before the change.
const USED_FOR: Duration = Duration::from_secs(5);

/// A day or week: its first day, as a number since 1970, and the build that counts.
pub(crate) type Build = (u16, u64);

/// The builds that count, by first day as a number since 1970: of sealed days, and of weeks that are added up from sealed days alone.
#[derive(Debug, Default)]
pub(crate) struct Calendar {
    days: BTreeMap<u16, u64>,
    /// Those of the days whose hosts and captures are built, with the builds of these.
    days_with_hosts: BTreeMap<u16, u64>,
    weeks: BTreeMap<u16, u64>,
}

/// What a period is added up from, without overlap.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Coverage {
    /// Whole weeks with a build.
    pub(crate) weeks: Vec<Build>,
    /// Whole days outside these weeks.
    pub(crate) days: Vec<Build>,
    /// The rest, read from the results: first and last second, both included, ascending.
    pub(crate) rest: Vec<(i64, i64)>,
}

impl Coverage {
    /// These times, first and last second, read from the results alone; times that end before they begin are left out.
    pub(crate) fn of_results(times: &[(i64, i64)]) -> Self {
        let rest = times.iter().filter(|(from, to)| from <= to).copied().collect();
        Self {
            rest,
            ..Self::default()
        }
    }

    /// How many days are read from roll-ups, in weeks or alone; the last week of a month may have fewer than seven.
    pub(crate) fn whole_days(&self) -> u64 {
        let of_weeks: u64 = self
            .weeks
            .iter()
            .map(|(week, _)| u64::from(last_of_week(*week) - week) + 1)
            .sum();
        of_weeks + self.days.len() as u64
    }
}

/// When it was read, and its content.
type CachedCalendar = (Instant, Arc<Calendar>);

/// The calendar that a process read last. Clones share it.
#[derive(Clone, Default)]
pub(crate) struct CalendarCache(Arc<Mutex<Option<CachedCalendar>>>);

impl CalendarCache {
    /// The calendar, if it was read less than [`USED_FOR`] ago.
    pub(super) fn fresh(&self) -> Option<Arc<Calendar>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (read, calendar) = kept.as_ref()?;
        (read.elapsed() < USED_FOR).then(|| Arc::clone(calendar))
    }

    /// Keeps a calendar with the time at which it was read; `None` forgets it.
    pub(super) fn put(&self, calendar: Option<CachedCalendar>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = calendar;
    }

    /// Forgets the calendar, so that the next call reads it from the store.
    pub(super) fn forget(&self) {
        self.put(None);
    }
}

/// The newest build of a day or week that was ever rolled up.
#[derive(Row, Deserialize)]
pub(super) struct Newest {
    is_week: bool,
    number: u16,
    build: u64,
    sealed: bool,
    hosts: u64,
    made_of: Vec<u64>,
}

impl Calendar {
    /// The calendar of these builds: days that are sealed, and weeks made of exactly the builds that their days have now.
    pub(super) fn from_newest(newest: Vec<Newest>) -> Self {
        let (weeks, days): (Vec<Newest>, Vec<Newest>) = newest.into_iter().partition(|newest| newest.is_week);
        let with_hosts = days.iter().filter(|day| day.sealed && day.hosts > 0);
        let days_with_hosts = with_hosts.map(|day| (day.number, day.hosts)).collect();
        let known: BTreeMap<u16, Option<u64>> = days
            .iter()
            .map(|day| (day.number, day.sealed.then_some(day.build)))
            .collect();
        let counts = |week: &Newest| {
            let days = known.range(week.number..=last_of_week(week.number));
            let builds: Option<Vec<u64>> = days.map(|(_, build)| *build).collect();
            builds.as_ref() == Some(&week.made_of)
        };
        Self {
            weeks: weeks
                .iter()
                .filter(|week| counts(week))
                .map(|week| (week.number, week.build))
                .collect(),
            days: known
                .iter()
                .filter_map(|(day, build)| build.map(|build| (*day, build)))
                .collect(),
            days_with_hosts,
        }
    }

    /// The sealed days with their builds.
    pub(super) const fn days(&self) -> &BTreeMap<u16, u64> {
        &self.days
    }

    /// The sealed days whose hosts and captures are built, with the builds of these.
    pub(super) const fn days_with_hosts(&self) -> &BTreeMap<u16, u64> {
        &self.days_with_hosts
    }

    /// The weeks that count, with their builds.
    pub(super) const fn weeks(&self) -> &BTreeMap<u16, u64> {
        &self.weeks
    }

    /// The sealed days of the week that begins with `week`, ascending.
    pub(super) fn days_of_week(&self, week: u16) -> Vec<Build> {
        let days = self.days.range(week..=last_of_week(week));
        days.map(|(day, build)| (*day, *build)).collect()
    }

    /// The weeks to build, ascending, each as its sealed days with their builds: weeks that end before the day `closed_before`, have no day in `open`
    /// (the days with results that are not sealed), and do not count yet.
    pub(super) fn weeks_to_build(&self, open: &[u16], closed_before: u16) -> Vec<Vec<Build>> {
        let mut weeks: BTreeMap<u16, Vec<Build>> = BTreeMap::new();
        for (day, build) in &self.days {
            weeks.entry(first_of_week(*day)).or_default().push((*day, *build));
        }
        weeks
            .into_iter()
            .filter(|(week, _)| !self.weeks.contains_key(week) && last_of_week(*week) < closed_before)
            .filter(|(week, _)| !open.iter().any(|day| first_of_week(*day) == *week))
            .map(|(_, days)| days)
            .collect()
    }

    /// The parts that these times are added up from: built weeks that lie wholly inside one, else built days, else results. Times are ascending, first
    /// and last second, both included; one that ends before it begins has no parts.
    pub(crate) fn cover(&self, times: &[(i64, i64)]) -> Coverage {
        cover_times(&self.days, &self.weeks, times)
    }

    /// Like [`Self::cover`], of days whose hosts and captures are built, with the builds of these, and without weeks.
    pub(crate) fn cover_with_hosts(&self, times: &[(i64, i64)]) -> Coverage {
        cover_times(&self.days_with_hosts, &BTreeMap::new(), times)
    }
}

/// The parts that these times are added up from, of these builds.
fn cover_times(days: &BTreeMap<u16, u64>, weeks: &BTreeMap<u16, u64>, times: &[(i64, i64)]) -> Coverage {
    let mut all = Coverage::default();
    for (from, to) in times {
        let cover = Builds { days, weeks }.cover(*from, *to);
        all.weeks.extend(cover.weeks);
        all.days.extend(cover.days);
        all.rest.extend(cover.rest);
    }
    all
}

/// Builds by first day as a number since 1970.
struct Builds<'a> {
    days: &'a BTreeMap<u16, u64>,
    weeks: &'a BTreeMap<u16, u64>,
}

impl Builds<'_> {
    /// The parts of one time.
    fn cover(&self, from: i64, to: i64) -> Coverage {
        let day = |number: i64| u16::try_from(number.clamp(0, u16::MAX.into())).unwrap_or(u16::MAX);
        let mut cover = Coverage::default();
        let after_last = (to + 1).div_euclid(SECONDS_OF_DAY);
        let first = from.div_euclid(SECONDS_OF_DAY) + i64::from(from.rem_euclid(SECONDS_OF_DAY) > 0);
        if from > to {
            return cover;
        }
        // Where the results have to be read from.
        let mut next = from;
        let mut covered = |first: u16, last: u16, rest: &mut Vec<(i64, i64)>| {
            let begins = i64::from(first) * SECONDS_OF_DAY;
            if next < begins {
                rest.push((next, begins - 1));
            }
            next = (i64::from(last) + 1) * SECONDS_OF_DAY;
        };
        let mut number = day(first);
        if first < after_last {
            let last = day(after_last - 1);
            while number <= last {
                let week_ends = last_of_week(number);
                if let Some(build) = self.weeks.get(&number).filter(|_| week_ends <= last) {
                    cover.weeks.push((number, *build));
                    covered(number, week_ends, &mut cover.rest);
                    number = week_ends;
                } else if let Some(build) = self.days.get(&number) {
                    cover.days.push((number, *build));
                    covered(number, number, &mut cover.rest);
                }
                // Days without a build are passed over at once.
                let later = number.checked_add(1).and_then(|next| self.next_known(next));
                match later {
                    Some(later) => number = later,
                    None => break,
                }
            }
        }
        if next <= to {
            cover.rest.push((next, to));
        }
        cover
    }

    /// The first day from `day` on that is sealed or begins a week that counts.
    fn next_known(&self, day: u16) -> Option<u16> {
        let of_days = self.days.range(day..).next().map(|(day, _)| *day);
        let of_weeks = self.weeks.range(day..).next().map(|(day, _)| *day);
        of_days.into_iter().chain(of_weeks).min()
    }
}

/// The day of a number since 1970.
fn date_of_day(day: u16) -> NaiveDate {
    NaiveDate::from_epoch_days(day.into()).unwrap_or_default()
}

/// The first day of the week that `day` is in. Weeks begin on the 1st, 8th, 15th, 22nd and 29th of a month.
fn first_of_week(day: u16) -> u16 {
    let into = (date_of_day(day).day() - 1) % DAYS_OF_WEEK;
    day.saturating_sub(u16::try_from(into).unwrap_or(0))
}

/// The last day of the week that `day` is in: the seventh of the week, or the last of the month.
fn last_of_week(day: u16) -> u16 {
    let first = first_of_week(day);
    let month_ends = date_of_day(day)
        .with_day(1)
        .and_then(|first| first.checked_add_months(Months::new(1)));
    let month_ends = month_ends.map_or(u16::MAX, |next| {
        u16::try_from(next.to_epoch_days() - 1).unwrap_or(u16::MAX)
    });
    first.saturating_add(6).min(month_ends)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Number of 2026-02-01.
    const FEBRUARY: u16 = 20_485;

    fn day(number: u16, build: u64, sealed: bool) -> Newest {
        Newest {
            is_week: false,
            number,
            build,
            sealed,
            hosts: 0,
            made_of: Vec::new(),
        }
    }

    fn week(number: u16, made_of: impl IntoIterator<Item = u16>) -> Newest {
        Newest {
            is_week: true,
            number,
            build: 1,
            sealed: true,
            hosts: 0,
            made_of: made_of.into_iter().map(u64::from).collect(),
        }
    }

    /// Days whose builds have their own numbers.
    fn sealed(days: impl IntoIterator<Item = u16>) -> Vec<Newest> {
        days.into_iter()
            .map(|number| day(number, number.into(), true))
            .collect()
    }

    fn second(day: u16) -> i64 {
        i64::from(day) * SECONDS_OF_DAY
    }

    #[test]
    fn weeks_are_steps_of_seven_days_within_a_month() {
        for (day, first, last) in [
            (0, 0, 6),
            (6, 0, 6),
            (27, 21, 27),
            (28, 28, 30),
            (30, 28, 30),
            (31, 31, 37),
        ] {
            assert_eq!((first_of_week(day), last_of_week(day)), (first, last), "{day}");
        }
        assert_eq!(date_of_day(FEBRUARY).to_string(), "2026-02-01");
        assert_eq!(last_of_week(FEBRUARY + 27), FEBRUARY + 27);
    }

    #[test]
    fn a_week_counts_while_its_days_are_those_it_was_made_of() {
        let has_week = |days: [Newest; 3]| {
            let made_of = week(FEBRUARY, [FEBRUARY, FEBRUARY + 2]);
            !Calendar::from_newest(days.into_iter().chain([made_of]).collect())
                .weeks
                .is_empty()
        };
        let (first, build) = (|| day(FEBRUARY, FEBRUARY.into(), true), u64::from(FEBRUARY + 2));
        let next_week = || day(FEBRUARY + 7, 0, false);
        assert!(has_week([first(), day(FEBRUARY + 2, build, true), next_week()]));
        assert!(
            !has_week([first(), day(FEBRUARY + 2, build, false), next_week()]),
            "a day is open"
        );
        assert!(
            !has_week([first(), day(FEBRUARY + 2, build + 1, true), next_week()]),
            "a day was built anew"
        );
        let late = day(FEBRUARY + 5, 0, false);
        assert!(
            !has_week([first(), day(FEBRUARY + 2, build, true), late]),
            "a late row opened a day that had none"
        );
    }

    #[test]
    fn a_period_takes_weeks_then_days_then_results() {
        let days = sealed((FEBRUARY..FEBRUARY + 12).filter(|day| *day != FEBRUARY + 9)).into_iter();
        let calendar = Calendar::from_newest(days.chain([week(FEBRUARY, FEBRUARY..FEBRUARY + 7)]).collect());
        let cover = calendar.cover(&[(second(FEBRUARY) - 3_600, second(FEBRUARY + 11) - 1)]);
        assert_eq!(cover.weeks, [(FEBRUARY, 1)]);
        let left = [FEBRUARY + 7, FEBRUARY + 8, FEBRUARY + 10];
        assert_eq!(cover.days, left.map(|day| (day, u64::from(day))));
        assert_eq!(
            cover.rest,
            [
                (second(FEBRUARY) - 3_600, second(FEBRUARY) - 1),
                (second(FEBRUARY + 9), second(FEBRUARY + 10) - 1)
            ]
        );
        let inside = calendar.cover(&[(second(FEBRUARY) + 1, second(FEBRUARY + 3))]);
        assert_eq!((inside.weeks.len(), inside.days.len(), inside.rest.len()), (0, 2, 2));
        // Of two times, each has its own parts.
        let earlier = (second(FEBRUARY), second(FEBRUARY + 7) - 1);
        let later = (second(FEBRUARY + 7), second(FEBRUARY + 9));
        let both = calendar.cover(&[earlier, later]);
        assert_eq!(both.weeks, calendar.cover(&[earlier]).weeks);
        assert_eq!(both.days, calendar.cover(&[later]).days);
        assert_eq!(both.rest, calendar.cover(&[later]).rest);
        assert_eq!(calendar.cover(&[(5, 4)]), Coverage::default());
        assert_eq!(calendar.cover(&[(5, 5)]).rest, [(5, 5)]);
    }

    #[test]
    fn weeks_are_built_when_they_are_over_and_their_days_are_sealed() {
        let calendar = Calendar::from_newest(sealed(FEBRUARY..FEBRUARY + 10));
        let firsts = |open: &[u16], before| -> Vec<u16> {
            let weeks = calendar.weeks_to_build(open, before);
            weeks.iter().map(|days| days[0].0).collect()
        };
        assert_eq!(firsts(&[], FEBRUARY + 10), [FEBRUARY]);
        assert_eq!(firsts(&[], FEBRUARY + 14), [FEBRUARY, FEBRUARY + 7]);
        assert_eq!(firsts(&[FEBRUARY + 12], FEBRUARY + 14), [FEBRUARY]);
    }

    proptest! {
        /// Every second of the period lies in exactly one part.
        #[test]
        fn parts_neither_overlap_nor_leave_a_gap(
            open in proptest::collection::btree_set(0_u16..60, 0..20),
            from in 0_i64..60 * SECONDS_OF_DAY,
            length in 0_i64..50 * SECONDS_OF_DAY,
        ) {
            let all: Vec<u16> = (0..60).filter(|day| !open.contains(day)).collect();
            let weeks = [0, 7, 14, 21, 28, 31, 38]
                .map(|first| week(first, all.iter().copied().filter(|day| first_of_week(*day) == first)));
            let days = (0..60).map(|number| day(number, number.into(), !open.contains(&number)));
            let cover = Calendar::from_newest(days.chain(weeks).collect()).cover(&[(from, from + length)]);
            let mut parts = cover.rest;
            parts.extend(cover.days.iter().map(|(day, _)| (second(*day), second(day + 1) - 1)));
            parts.extend(cover.weeks.iter().map(|(week, _)| (second(*week), second(last_of_week(*week) + 1) - 1)));
            parts.sort_unstable();
            prop_assert_eq!(parts.first().map(|part| part.0), Some(from));
            prop_assert_eq!(parts.last().map(|part| part.1), Some(from + length));
            prop_assert!(parts.windows(2).all(|pair| pair[0].1 + 1 == pair[1].0));
        }
    }
}
