//! Which rows a list adds up: the results, or the roll-up of closed days with the results of the rest.

use vocabulary::Scope;

use super::conditions;
use crate::filter::{Field, Filters};
use crate::statement::{Statement, Value};

const SECONDS_OF_DAY: i64 = 86_400;
/// Below it, reading two tables costs more than the roll-up saves.
const FEWEST_DAYS: i64 = 4;
/// What the roll-up does not hold.
const RESULTS_ONLY: [Field; 3] = [Field::Position, Field::AdTitle, Field::AdDescription];

/// Fills `${source}` with rows of `domain, country, ad, views, rank_sum` and the facts of the term, as far as the list reads them, that the scope
/// sees under the filters.
///
/// The results are ordered by brand: under a few brands they are as quick as the roll-up, across all of them the roll-up has a
/// fraction of their rows.
pub(super) fn fill(statement: Statement, scope: &Scope, filters: &Filters) -> Statement {
    let few_brands = scope.brands().is_some() || filters.names(Field::Brand);
    let (others, instants) = filters.without_date();
    let whole_days = WholeDays::within(*instants.start(), *instants.end());
    if few_brands || whole_days.count() < FEWEST_DAYS || RESULTS_ONLY.iter().any(|field| filters.names(*field)) {
        return statement
            .fill(
                "source",
                include_str!("../../../sql/clickhouse/queries/source_results.sql"),
            )
            .restricted(conditions(scope, filters));
    }
    statement
        .fill(
            "source",
            include_str!("../../../sql/clickhouse/queries/source_days.sql"),
        )
        .restricted(conditions(scope, &others))
        .with("from", Value::Integer(*instants.start()))
        .with("to", Value::Integer(*instants.end()))
        .with("whole_from", Value::Integer(whole_days.first))
        .with("whole_to", Value::Integer(whole_days.last))
}

/// Days since 1970 that lie wholly between two instants.
struct WholeDays {
    first: i64,
    last: i64,
}

impl WholeDays {
    /// A day holds its instants from its first second to its last.
    const fn within(from: i64, to: i64) -> Self {
        const LAST_DATE: i64 = u16::MAX as i64;
        let last = (to + 1) / SECONDS_OF_DAY - 1;
        Self {
            first: (from + SECONDS_OF_DAY - 1) / SECONDS_OF_DAY,
            last: if last > LAST_DATE { LAST_DATE } else { last },
        }
    }

    const fn count(&self) -> i64 {
        self.last - self.first + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_whole_from_its_first_to_its_last_second() {
        let days = |from, to| {
            let days = WholeDays::within(from, to);
            (days.first, days.last)
        };
        assert_eq!(days(0, 86_399), (0, 0));
        assert_eq!(days(0, 86_398), (0, -1));
        assert_eq!(days(1, 3 * 86_400), (1, 2));
        assert_eq!(days(0, i64::from(u32::MAX)), (0, 49_709));
    }
}
