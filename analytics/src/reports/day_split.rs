//! How days of UTC, in which roll-ups are made, lie in the days of a time zone.

use std::collections::BTreeMap;

use chrono::{NaiveDate, NaiveTime, TimeDelta};
use chrono_tz::Tz;

use crate::roll_up::Build;

pub(super) const HOURS_OF_DAY: u32 = 24;

/// Which hours of a day of UTC belong to which day of a time zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DaySplit {
    /// The day of the zone that its first hour is in.
    pub(super) first: NaiveDate,
    /// The hour from which on the rest of it is in the next day; 24 where all of it is in the first.
    pub(super) hour: u32,
}

impl DaySplit {
    /// `None` where the next day begins between full hours.
    fn of_day(day: NaiveDate, zone: Tz) -> Option<Self> {
        let begins = day.and_time(NaiveTime::MIN).and_utc();
        let local_day = |hour: u32, before: TimeDelta| {
            let instant = begins + TimeDelta::hours(hour.into()) - before;
            instant.with_timezone(&zone).date_naive()
        };
        let first = local_day(0, TimeDelta::zero());
        let hour = (1..HOURS_OF_DAY)
            .find(|hour| local_day(*hour, TimeDelta::zero()) != first)
            .unwrap_or(HOURS_OF_DAY);
        let rest = if hour == HOURS_OF_DAY { first } else { first.succ_opt()? };
        let second = TimeDelta::seconds(1);
        (local_day(hour, second) == first && local_day(HOURS_OF_DAY, second) == rest).then_some(Self { first, hour })
    }
}

/// The splits of the days of these builds, without days that have none.
pub(super) fn of_builds(builds: &[Build], zone: Tz) -> BTreeMap<NaiveDate, DaySplit> {
    let days = builds
        .iter()
        .filter_map(|(number, _)| NaiveDate::from_epoch_days((*number).into()));
    days.filter_map(|day| Some((day, DaySplit::of_day(day, zone)?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use chrono::Timelike;

    use super::*;

    /// Every hour of every day of a year, and of the days on which clocks did what they rarely do.
    #[test]
    fn hours_of_a_day_belong_to_the_local_day_that_they_are_in() {
        let days = NaiveDate::from_ymd_opt(2025, 1, 1).unwrap().iter_days().take(365);
        let rare = ["2011-12-29", "2011-12-30", "2018-11-04"].map(|day| day.parse().unwrap());
        let days: Vec<NaiveDate> = days.chain(rare).collect();
        for zone in chrono_tz::TZ_VARIANTS {
            for day in &days {
                let Some(DaySplit { first, hour }) = DaySplit::of_day(*day, zone) else {
                    continue;
                };
                let begins = day.and_time(NaiveTime::MIN).and_utc();
                for half in 0..2 * i64::from(HOURS_OF_DAY) {
                    let instant = begins + TimeDelta::minutes(30 * half);
                    let expected = if instant.hour() < hour {
                        Some(first)
                    } else {
                        first.succ_opt()
                    };
                    assert_eq!(
                        Some(instant.with_timezone(&zone).date_naive()),
                        expected,
                        "{zone}, {instant}"
                    );
                }
            }
        }
    }

    #[test]
    fn days_begin_at_full_hours_in_most_zones() {
        let day = |text: &str| text.parse::<NaiveDate>().unwrap();
        for (zone, on, first, hour) in [
            (Tz::UTC, "2026-01-05", "2026-01-05", 24),
            (Tz::Europe__Paris, "2026-01-05", "2026-01-05", 23),
            (Tz::Europe__Paris, "2026-03-29", "2026-03-29", 22),
            (Tz::America__New_York, "2026-01-05", "2026-01-04", 5),
            (Tz::Pacific__Auckland, "2026-01-05", "2026-01-05", 11),
        ] {
            let first = day(first);
            assert_eq!(
                DaySplit::of_day(day(on), zone),
                Some(DaySplit { first, hour }),
                "{zone}, {on}"
            );
        }
        assert_eq!(DaySplit::of_day(day("2026-01-05"), Tz::Asia__Kolkata), None);
        assert_eq!(
            DaySplit::of_day(day("2011-12-30"), Tz::Pacific__Apia),
            None,
            "a day that Samoa left out"
        );
    }
}
