//! Which results have to be read for a query of sems. The columns of a sem are computed from those of a result, so the engine cannot skip
//! parts by itself.

use std::ops::RangeInclusive;

use vocabulary::Scope;
use vocabulary::resources::{Condition, Value, ValueTest};

use super::Origin;
use super::sql::Sql;
use crate::statement::Value as Parameter;

/// Rows of a batch (see `ingest`).
const ROWS_OF_BATCH: i64 = 8_192;
const MILLIS_OF_DAY: i64 = 86_400_000;
/// Days that ClickHouse can name.
const DAYS: RangeInclusive<i64> = 0..=65_535;

/// A condition on `ad_results AS ads`, as SQL, that every captured ad of the query meets, and maybe others; `1` if nothing narrows. Adds its
/// parameters to `sql`, but not its text.
pub(super) fn narrow(sql: &mut Sql, scope: &Scope, origin: Origin<'_>, condition: &Condition) -> String {
    let mut narrowed = Vec::new();
    if let (Some(brands), Some(terms)) = (scope.brands(), scope.terms()) {
        let brands = sql.parameter(Parameter::Integers(brands.iter().map(|brand| brand.0.into()).collect()));
        let terms = sql.parameter(Parameter::Integers(terms.iter().map(|term| term.0.into()).collect()));
        narrowed.push(format!(
            "(ads.brand_id IN {{{brands}:Array(UInt32)}} OR ads.term_id IN {{{terms}:Array(Int64)}})"
        ));
    }
    if let Some(("termId", ids)) = origin {
        let ids = ids.iter().filter_map(|id| id.parse().ok()).collect();
        narrowed.push(is_one_of(sql, "term_id", "Int64", ids));
    }
    narrow_each(sql, condition, &mut narrowed);
    if narrowed.is_empty() {
        "1".to_owned()
    } else {
        narrowed.join(" AND ")
    }
}

/// Adds to `narrowed` what a condition on id, term or date means for `ad_results`, as SQL. Each condition of an `and` narrows; those of an `or` do
/// not.
fn narrow_each(sql: &mut Sql, condition: &Condition, narrowed: &mut Vec<String>) {
    match condition {
        Condition::All(list) => list.iter().for_each(|condition| narrow_each(sql, condition, narrowed)),
        Condition::Test { field, test, .. } => match field.name {
            "id" => {
                if let Some(ids) = listed_numbers(test) {
                    let batches = ids.iter().map(|id| id.max(&0) / ROWS_OF_BATCH).collect();
                    narrowed.push(is_one_of(sql, "batch", "UInt64", batches));
                }
            }
            "termId" => {
                if let Some(terms) = listed_numbers(test) {
                    narrowed.push(is_one_of(sql, "term_id", "Int64", terms));
                }
            }
            "date" => {
                let (first, last) = days_that_may_match(test);
                for (day, sign) in [(first, ">="), (last, "<=")] {
                    if let Some(day) = day.filter(|day| DAYS.contains(day)) {
                        let day = sql.parameter(Parameter::Integer(day));
                        narrowed.push(format!("ads.day {sign} toDate({{{day}:UInt16}})"));
                    }
                }
            }
            _ => {}
        },
        Condition::Any(_) | Condition::Never | Condition::Joined { .. } => {}
    }
}

/// The test, as SQL, that a column is one of these numbers, which have the ClickHouse type `kind`.
fn is_one_of(sql: &mut Sql, column: &str, kind: &str, numbers: Vec<i64>) -> String {
    let numbers = sql.parameter(Parameter::Integers(numbers));
    format!("ads.{column} IN {{{numbers}:Array({kind})}}")
}

/// The numbers that meet a test for one value or a list of them; `None` for any other test, and if a value is not a whole number.
fn listed_numbers(test: &ValueTest) -> Option<Vec<i64>> {
    let number = |value: &Value| match value {
        Value::Whole(number) => Some(*number),
        _ => None,
    };
    match test {
        ValueTest::Equals(value) => Some(vec![number(value)?]),
        ValueTest::OneOf(values) => values.iter().map(number).collect(),
        _ => None,
    }
}

/// The first and the last UTC day, as numbers since 1970, on which a date can meet the test; `None` is an open end. The range may be too wide, and is
/// open for a test that does not narrow it.
fn days_that_may_match(test: &ValueTest) -> (Option<i64>, Option<i64>) {
    let day = |value: &Value| match value {
        Value::Date(date) => Some(date.timestamp_millis().div_euclid(MILLIS_OF_DAY)),
        _ => None,
    };
    match test {
        ValueTest::Equals(value) => (day(value), day(value)),
        ValueTest::Greater(value) | ValueTest::AtLeast(value) => (day(value), None),
        ValueTest::Less(value) | ValueTest::AtMost(value) => (None, day(value)),
        ValueTest::Between(low, high) => (day(low), day(high)),
        ValueTest::OneOf(values) => {
            let days: Option<Vec<i64>> = values.iter().map(day).collect();
            let days = days.unwrap_or_default();
            (days.iter().min().copied(), days.iter().max().copied())
        }
        _ => (None, None),
    }
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, Utc};
    use vocabulary::resources::models::SEM;
    use vocabulary::{BrandId, SystemScope, TermId, UserId};

    use super::*;

    const SCOPE: SystemScope = SystemScope::new("test");

    fn test(field: &str, test: ValueTest) -> Condition {
        Condition::test(SEM.field(field).unwrap(), test)
    }

    fn date(text: &str) -> Value {
        Value::Date(text.parse::<DateTime<Utc>>().unwrap())
    }

    fn narrowed(scope: &Scope, origin: Origin<'_>, condition: &Condition) -> String {
        narrow(&mut Sql::default(), scope, origin, condition)
    }

    #[test]
    fn dates_and_ids_narrow_what_is_read() {
        let month = test(
            "date",
            ValueTest::Between(date("2026-02-01T00:00:00Z"), date("2026-02-28T23:59:59Z")),
        );
        let one = test("id", ValueTest::Equals(Value::Whole(8_192 * 7 + 3)));
        let all = Condition::All(vec![month.clone(), Condition::All(vec![one])]);
        assert_eq!(
            narrowed(&SCOPE, None, &all),
            "ads.day >= toDate({p0:UInt16}) AND ads.day <= toDate({p1:UInt16}) AND ads.batch IN {p2:Array(UInt64)}"
        );
        assert_eq!(
            narrowed(&SCOPE, None, &Condition::Any(vec![month, Condition::Never])),
            "1"
        );
        let late = test("date", ValueTest::Less(date("2300-01-01T00:00:00Z")));
        assert_eq!(narrowed(&SCOPE, None, &late), "1");
    }

    #[test]
    fn the_reader_and_the_term_narrow_what_is_read() {
        let scope = Scope::within(UserId(1), vec![BrandId(2)], vec![TermId(3)]);
        let ids = ["5".to_owned()];
        assert_eq!(
            narrowed(&scope, Some(("termId", &ids)), &Condition::All(Vec::new())),
            "(ads.brand_id IN {p0:Array(UInt32)} OR ads.term_id IN {p1:Array(Int64)}) AND ads.term_id IN {p2:Array(Int64)}"
        );
    }
}
