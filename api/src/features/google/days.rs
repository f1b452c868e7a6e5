//! Days in requests, and the months they are in.

use chrono::{Datelike, Months, NaiveDate, TimeDelta};

use crate::failure::ApiError;

/// The months that a question is about, where it names none (decision D122).
const USUAL_MONTHS: Months = Months::new(3);
/// Days of one question at most: Google Ads has 11 years, Search Console 16 months.
const MOST_DAYS: TimeDelta = TimeDelta::days(366 * 3);

/// A day as clients write it: `2026-11-24`, or a time of it in ISO 8601.
pub fn read(field: &str, text: &str) -> Result<NaiveDate, ApiError> {
    let day = text.get(..10).and_then(|day| day.parse().ok());
    day.ok_or_else(|| ApiError::of_field(field, "is no day, as in 2026-11-24"))
}

/// The first and the last day of a question, both included; by default the last three months until `today`.
pub fn range(start: Option<&str>, end: Option<&str>, today: NaiveDate) -> Result<(NaiveDate, NaiveDate), ApiError> {
    let last = end.map_or(Ok(today), |text| read("endDate", text))?;
    let first = match start {
        Some(text) => read("startDate", text)?,
        None => last - USUAL_MONTHS,
    };
    if first > last {
        return Err(ApiError::of_field("endDate", "is before the start date"));
    }
    if last - first > MOST_DAYS {
        return Err(ApiError::of_field(
            "startDate",
            "is more than three years before the end date",
        ));
    }
    Ok((first, last))
}

/// The parts of a range that are of one month each.
pub fn months((first, last): (NaiveDate, NaiveDate)) -> Vec<(NaiveDate, NaiveDate)> {
    let mut parts = Vec::new();
    let mut begin = first;
    while begin <= last {
        let next = begin.with_day(1).unwrap_or(begin) + Months::new(1);
        parts.push((begin, last.min(next - TimeDelta::days(1))));
        begin = next;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    #[test]
    fn a_range_is_cut_at_the_ends_of_months() {
        let found = months((day("2026-01-31"), day("2026-03-02")));
        assert_eq!(
            found,
            [
                (day("2026-01-31"), day("2026-01-31")),
                (day("2026-02-01"), day("2026-02-28")),
                (day("2026-03-01"), day("2026-03-02")),
            ]
        );
        assert_eq!(months((day("2026-02-03"), day("2026-02-03"))).len(), 1);
    }

    #[test]
    fn a_range_is_three_months_unless_it_says_otherwise_and_ends_after_it_began() {
        let today = day("2026-11-24");
        assert_eq!(range(None, None, today).unwrap(), (day("2026-08-24"), today));
        assert!(range(Some("2026-11-25"), None, today).is_err());
        assert!(range(Some("2020-01-01"), None, today).is_err());
        assert!(range(Some("yesterday"), None, today).is_err());
        assert_eq!(
            range(Some("2026-11-01T00:00:00Z"), Some("2026-11-01"), today)
                .unwrap()
                .0,
            day("2026-11-01")
        );
    }
}
