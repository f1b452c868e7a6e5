//! When people of a country are at work, which is when mails of a machine leave (decision D215).

use chrono::{DateTime, Datelike, Days, NaiveDate, NaiveTime, TimeZone, Utc, Weekday};
use chrono_tz::Tz;

/// Country code and the IANA zone most of its people live in. From `zone.tab` of the time zone database, which is in the public domain.
const COUNTRIES: &str = include_str!("countries.tsv");
/// Countries whose weekend is Friday and Saturday.
const WEEKEND_FROM_FRIDAY: [&str; 16] = [
    "BD", "BH", "DZ", "EG", "IL", "IQ", "JO", "KW", "LY", "MV", "OM", "QA", "SA", "SD", "SY", "YE",
];
/// A mail that leaves then is on the screen of somebody who is at work, not under those of a night.
const BEGIN: NaiveTime = NaiveTime::from_hms_opt(9, 0, 0).expect("it is a time of the day");
const END: NaiveTime = NaiveTime::from_hms_opt(18, 0, 0).expect("it is a time of the day");
/// No weekend is longer than this.
const MOST_DAYS: u64 = 7;

/// The IANA zone in which most people of a country (`FR`, upper case) live; `UTC` for an unknown country.
pub fn time_zone_of(country: &str) -> &'static str {
    let rows = COUNTRIES.lines().filter_map(|row| row.split_once('\t'));
    rows.filter(|(code, _)| *code == country)
        .map(|(_, zone)| zone)
        .next()
        .unwrap_or("UTC")
}

/// The first moment from `now` on at which people of a country (`FR`, upper case) are at work: from nine to six on their clocks, but not on their
/// weekend. Public holidays are working days.
pub fn next_working_time(country: &str, now: DateTime<Utc>) -> DateTime<Utc> {
    let zone: Tz = time_zone_of(country).parse().unwrap_or(Tz::UTC);
    let local = now.with_timezone(&zone);
    let today = local.date_naive();
    if works_on(country, today) && (BEGIN..END).contains(&local.time()) {
        return now;
    }
    (0..=MOST_DAYS)
        .filter_map(|days| today.checked_add_days(Days::new(days)))
        .filter(|day| works_on(country, *day))
        .filter_map(|day| zone.from_local_datetime(&day.and_time(BEGIN)).earliest())
        .map(|begin| begin.to_utc())
        .find(|begin| *begin >= now)
        .unwrap_or(now)
}

/// Whether a day is none of a country's weekend.
fn works_on(country: &str, day: NaiveDate) -> bool {
    let weekend = if WEEKEND_FROM_FRIDAY.contains(&country) {
        [Weekday::Fri, Weekday::Sat]
    } else {
        [Weekday::Sat, Weekday::Sun]
    };
    !weekend.contains(&day.weekday())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_country_of_the_table_has_a_zone() {
        assert_eq!(time_zone_of("FR"), "Europe/Paris");
        assert_eq!(time_zone_of("US"), "America/New_York");
        assert_eq!(time_zone_of("XX"), "UTC");
        for row in COUNTRIES.lines() {
            let (code, zone) = row.split_once('\t').unwrap();
            assert!(code.len() == 2 && zone.parse::<Tz>().is_ok(), "{row}");
        }
    }

    #[test]
    fn mails_leave_when_people_are_at_work() {
        let next = |country, now: &str| next_working_time(country, now.parse().unwrap()).to_rfc3339();
        // Tuesday, and Paris is an hour ahead of Greenwich.
        assert_eq!(next("FR", "2026-11-24T07:00:00Z"), "2026-11-24T08:00:00+00:00");
        assert_eq!(next("FR", "2026-11-24T08:00:00Z"), "2026-11-24T08:00:00+00:00");
        assert_eq!(next("FR", "2026-11-24T16:59:59Z"), "2026-11-24T16:59:59+00:00");
        assert_eq!(next("FR", "2026-11-24T17:00:00Z"), "2026-11-25T08:00:00+00:00");
        assert_eq!(next("FR", "2026-11-27T17:00:00Z"), "2026-11-30T08:00:00+00:00");
        assert_eq!(next("JP", "2026-11-24T10:00:00Z"), "2026-11-25T00:00:00+00:00");
        // Friday.
        assert_eq!(next("EG", "2026-11-27T10:00:00Z"), "2026-11-29T07:00:00+00:00");
        assert_eq!(next("", "2026-11-28T10:00:00Z"), "2026-11-30T09:00:00+00:00");
    }
}
