//! Dates as JavaScript reads and writes them.

use chrono::{DateTime, Datelike, Days, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Utc};

/// Years that both stores and the four-digit form can hold.
const YEARS: std::ops::RangeInclusive<i32> = 1..=9999;

/// The instant a text means: a year, month or day alone (UTC), ISO with or without offset (UTC when there is none), or the form of mails.
/// Days past the end of a month roll over; more decimals than three are cut. `None` for anything else.
pub fn parse_date(text: &str) -> Option<DateTime<Utc>> {
    let instant = parse_iso(text).or_else(|| DateTime::parse_from_rfc2822(text).ok().map(|date| date.to_utc()))?;
    YEARS.contains(&instant.year()).then_some(instant)
}

/// The instant this many milliseconds after 1970 began (UTC), without fractions; `None` outside the years 1 to 9999 and for what is no
/// finite number.
pub fn date_of_millis(millis: f64) -> Option<DateTime<Utc>> {
    #[expect(clippy::cast_possible_truncation, reason = "bounded by the years checked next")]
    let instant = DateTime::from_timestamp_millis(millis.is_finite().then_some(millis as i64)?)?;
    YEARS.contains(&instant.year()).then_some(instant)
}

/// The instant as responses show it, in UTC and cut to milliseconds: `2024-03-10T12:34:56.789Z`.
pub fn date_text(date: DateTime<Utc>) -> String {
    date.format("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

/// Reads `2024`, `2024-03` or `2024-03-10`, each alone or with a time after `T` or a space, in UTC where there is no offset. Days 29 to 31 that the
/// month does not have roll over into the next one; `None` for any other form.
fn parse_iso(text: &str) -> Option<DateTime<Utc>> {
    let (day, time) = match text.split_once(['T', ' ']) {
        Some((day, time)) => (day, Some(time)),
        None => (text, None),
    };
    let mut parts = day.split('-');
    let year: i32 = digits(parts.next()?, 4)?;
    let month = parts.next().map_or(Some(1), |part| digits(part, 2))?;
    let day = parts.next().map_or(Some(1), |part| digits(part, 2))?;
    if parts.next().is_some() || !(1..=31).contains(&day) {
        return None;
    }
    let first = NaiveDate::from_ymd_opt(year, u32::try_from(month).ok()?, 1)?;
    let date = first.checked_add_days(Days::new(u64::try_from(day - 1).ok()?))?;
    let Some(time) = time else {
        return Some(NaiveDateTime::new(date, NaiveTime::MIN).and_utc());
    };
    let (clock, offset) = split_offset(time)?;
    let since_midnight = since_midnight(clock)?;
    let instant = NaiveDateTime::new(date, NaiveTime::MIN).checked_add_signed(since_midnight)?;
    Some(instant.checked_sub_signed(TimeDelta::minutes(offset))?.and_utc())
}

/// Splits a time into its clock and the minutes its offset (`+02:00`, `-0330`) is east of Greenwich, 0 for `Z` and without an offset. `None` for a
/// malformed offset.
fn split_offset(time: &str) -> Option<(&str, i64)> {
    if let Some(clock) = time.strip_suffix(['Z', 'z']) {
        return Some((clock, 0));
    }
    let Some(at) = time.rfind(['+', '-']) else {
        return Some((time, 0));
    };
    let offset = time[at + 1..].replace(':', "");
    let minutes: i64 = digits::<i64>(offset.get(..2)?, 2)? * 60 + digits::<i64>(offset.get(2..)?, 2)?;
    Some((
        &time[..at],
        if time.as_bytes()[at] == b'-' { -minutes } else { minutes },
    ))
}

/// Reads `12:34`, `12:34:56` or `12:34:56.789` as the time since midnight, cut to milliseconds. `24:00` is the end of the day; `None` for
/// later times and other forms.
fn since_midnight(clock: &str) -> Option<TimeDelta> {
    let (clock, decimals) = clock.split_once(['.', ',']).unwrap_or((clock, ""));
    let mut parts = clock.split(':');
    let hours: i64 = digits(parts.next()?, 2)?;
    let minutes: i64 = digits(parts.next()?, 2)?;
    let seconds: i64 = parts.next().map_or(Some(0), |part| digits(part, 2))?;
    if parts.next().is_some() || hours > 24 || minutes > 59 || seconds > 59 {
        return None;
    }
    if !decimals.chars().all(|letter| letter.is_ascii_digit()) {
        return None;
    }
    let millis: i64 = format!("{decimals:0<3}")[..3].parse().ok()?;
    let total = TimeDelta::seconds(hours * 3600 + minutes * 60 + seconds) + TimeDelta::milliseconds(millis);
    (total <= TimeDelta::days(1)).then_some(total)
}

/// The number that exactly `count` ASCII digits make; `None` for any other text.
fn digits<T: std::str::FromStr>(text: &str, count: usize) -> Option<T> {
    (text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit()))
        .then(|| text.parse().ok())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_read_as_javascript_reads_it() {
        for (text, instant) in [
            ("2024-03-10T12:34:56.789Z", "2024-03-10T12:34:56.789Z"),
            ("2024-03-10T12:34:56Z", "2024-03-10T12:34:56.000Z"),
            ("2024-03-10T12:00:00+02:00", "2024-03-10T10:00:00.000Z"),
            ("2024-03-10T12:00:00-0330", "2024-03-10T15:30:00.000Z"),
            ("2024-03-10T12:00:00", "2024-03-10T12:00:00.000Z"),
            ("2024-03-10T12:00", "2024-03-10T12:00:00.000Z"),
            ("2024-03-10", "2024-03-10T00:00:00.000Z"),
            ("2024-03", "2024-03-01T00:00:00.000Z"),
            ("2024", "2024-01-01T00:00:00.000Z"),
            ("2024-02-30", "2024-03-01T00:00:00.000Z"),
            ("2024-03-10T12:34:56.7899999Z", "2024-03-10T12:34:56.789Z"),
            ("2024-03-10T24:00:00Z", "2024-03-11T00:00:00.000Z"),
            ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
            ("Sun, 10 Mar 2024 12:00:00 GMT", "2024-03-10T12:00:00.000Z"),
        ] {
            assert_eq!(parse_date(text).map(date_text).as_deref(), Some(instant), "{text}");
        }
    }

    #[test]
    fn anything_else_is_no_date() {
        for text in [
            "",
            "notadate",
            "2024-13-01",
            "2024-01-32",
            "2024-01-01T25:00",
            "20240101",
            "2024-01-01T10:00:00x",
            "0000-01-01",
        ] {
            assert_eq!(parse_date(text), None, "{text}");
        }
        assert_eq!(date_of_millis(f64::NAN), None);
        assert_eq!(date_of_millis(1e300), None);
    }
}
