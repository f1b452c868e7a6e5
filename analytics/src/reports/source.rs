//! Which rows a list adds up: the roll-ups of whole weeks and days, and the results of the rest.

use vocabulary::Scope;

use super::conditions;
use crate::filter::{Field, Filters};
use crate::roll_up::{self, Build};
use crate::statement::{Statement, Value};
use crate::{Client, Error};

/// What roll-ups do not hold.
const RESULTS_ONLY: [Field; 1] = [Field::Position];

/// Fills `${source}` with rows that the scope sees under the filters: `views` of one ad under one term, with the sum of their ranks and
/// the times of the first and the last. The engine reads the columns alone that the list asks for.
pub(super) async fn fill(
    client: &Client,
    statement: Statement,
    scope: &Scope,
    filters: &Filters,
) -> Result<Statement, Error> {
    let (others, instants) = filters.without_date();
    let (from, to) = (*instants.start(), *instants.end());
    let cover = if RESULTS_ONLY.iter().any(|field| filters.names(*field)) {
        roll_up::Cover::results(from, to)
    } else {
        roll_up::current(client).await?.cover(from, to)
    };
    let mut parts = Vec::new();
    let mut parameters = Vec::new();
    if let Some((first, last)) = ends(&cover.weeks) {
        parts.push(include_str!("../../../sql/clickhouse/queries/source_weeks.sql"));
        parameters.extend([
            ("weeks", Value::Builds(cover.weeks)),
            ("first_week", first),
            ("last_week", last),
        ]);
    }
    if let Some((first, last)) = ends(&cover.days) {
        parts.push(include_str!("../../../sql/clickhouse/queries/source_days.sql"));
        parameters.extend([
            ("days", Value::Builds(cover.days)),
            ("first_day", first),
            ("last_day", last),
        ]);
    }
    if parts.is_empty() || !cover.rest.is_empty() {
        parts.push(include_str!("../../../sql/clickhouse/queries/source_results.sql"));
    }
    let mut conditions = conditions(scope, &others);
    let within = conditions.within_any(&cover.rest);
    let statement = statement
        .fill("source", &parts.join("    UNION ALL\n"))
        .fill("within", &within)
        .restricted(conditions);
    Ok(parameters
        .into_iter()
        .fold(statement, |statement, (name, value)| statement.with(name, value)))
}

/// The first and the last of some builds, which are in the order of time.
fn ends(builds: &[Build]) -> Option<(Value, Value)> {
    let number = |build: &Build| Value::Integer(build.0.into());
    Some((number(builds.first()?), number(builds.last()?)))
}
