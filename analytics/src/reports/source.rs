//! Which rows a list adds up: the roll-ups of whole weeks and days, and the results of the rest.

use vocabulary::Scope;

use super::conditions;
use crate::filter::{Comparison, Field, Filters};
use crate::roll_up::{self, Build, Coverage};
use crate::statement::{Conditions, Statement, Value};
use crate::{Client, Error};

/// What roll-ups do not hold.
const RESULTS_ONLY: [Field; 2] = [Field::Position, Field::Language];

/// What hosts and captures do not hold besides.
const TEXTS: [Field; 2] = [Field::AdTitle, Field::AdDescription];
/// For each result, reading hosts or captures costs as much as the list of domains.
const EASE_OF_HOSTS: u64 = 4;
/// Between the sources of a list.
pub(super) const UNION: &str = "    UNION ALL\n";

/// Fills `${source}` and the conditions with rows that the scope sees under the filters: `views` of one ad under one term, with the sum of their
/// ranks and the times of the first and the last. They come from roll-ups where these hold what the filters name and save time, otherwise from the
/// results. `ease` is how many results cost this list as much as one costs the list of terms.
pub(super) async fn fill(
    client: &Client,
    statement: Statement,
    scope: &Scope,
    filters: &Filters,
    ease: u64,
) -> Result<Statement, Error> {
    let (others, instants) = filters.without_date();
    let conditions = conditions(scope, &others);
    let times = [(*instants.start(), *instants.end())];
    fill_times(client, statement, (scope, filters), conditions, &times, ease).await
}

/// Fills the statement like [`fill`] with the rows of both times of a comparison, which replace the period of the filters. No row is of both.
/// `conditions` must already hold those of the scope and those of the filters on anything but the date.
pub(super) async fn fill_both_times(
    client: &Client,
    statement: Statement,
    (scope, filters): (&Scope, &Filters),
    conditions: Conditions,
    compared: &Comparison,
    ease: u64,
) -> Result<Statement, Error> {
    fill_times(client, statement, (scope, filters), conditions, &compared.times(), ease).await
}

/// Fills the statement with the rows of these times: ascending, in seconds since 1970, both ends included.
async fn fill_times(
    client: &Client,
    statement: Statement,
    (scope, filters): (&Scope, &Filters),
    mut conditions: Conditions,
    times: &[(i64, i64)],
    ease: u64,
) -> Result<Statement, Error> {
    let rolled_up = roll_up::recent_calendar(client).await?.cover(times);
    let cover = worthwhile(client, (scope, filters), times, rolled_up, ease).await?;
    let mut statement = statement;
    let mut sources = Vec::new();
    if let Some((first, last)) = first_and_last_day(&cover.weeks) {
        sources.push(include_str!("../../../sql/clickhouse/queries/source_weeks.sql"));
        statement = statement
            .with("weeks", Value::Builds(cover.weeks))
            .with("first_week", first)
            .with("last_week", last);
    }
    if !cover.days.is_empty() {
        sources.push(include_str!("../../../sql/clickhouse/queries/source_days.sql"));
        statement = with_days(statement, cover.days);
    }
    if sources.is_empty() || !cover.rest.is_empty() {
        sources.push(include_str!("../../../sql/clickhouse/queries/source_results.sql"));
    }
    let within = conditions.within_any(&cover.rest);
    Ok(statement
        .fill("source", &sources.join(UNION))
        .fill("within", &within)
        .restricted(conditions))
}

/// Which part of these times is read from days whose hosts and captures are built, and which from the results.
pub(super) async fn days_with_hosts(
    client: &Client,
    (scope, filters): (&Scope, &Filters),
    times: &[(i64, i64)],
) -> Result<Coverage, Error> {
    if TEXTS.iter().any(|field| filters.names(*field)) {
        return Ok(Coverage::of_results(times));
    }
    let rolled_up = roll_up::recent_calendar(client).await?.cover_with_hosts(times);
    worthwhile(client, (scope, filters), times, rolled_up, EASE_OF_HOSTS).await
}

/// The coverage by roll-ups, or the results alone where roll-ups lack what the filters name or save no time.
async fn worthwhile(
    client: &Client,
    (scope, filters): (&Scope, &Filters),
    times: &[(i64, i64)],
    rolled_up: Coverage,
    ease: u64,
) -> Result<Coverage, Error> {
    if !RESULTS_ONLY.iter().any(|field| filters.names(*field)) {
        let results_a_day = roll_up::results_a_day(client, allowed_brands(scope, filters).as_deref()).await?;
        if results_a_day * rolled_up.whole_days() >= client.fewest_results() * ease {
            return Ok(rolled_up);
        }
    }
    Ok(Coverage::of_results(times))
}

/// The statement with the parameters `days`, the builds to read, and `first_day` and `last_day`.
pub(super) fn with_days(statement: Statement, days: Vec<Build>) -> Statement {
    let Some((first, last)) = first_and_last_day(&days) else {
        return statement;
    };
    statement
        .with("days", Value::Builds(days))
        .with("first_day", first)
        .with("last_day", last)
}

/// Fills `${source}` like [`fill`] from the results alone, for conditions that roll-ups cannot answer; `conditions` must already hold those of the
/// scope.
pub(super) fn fill_with_results(statement: Statement, conditions: Conditions) -> Statement {
    statement
        .fill(
            "source",
            include_str!("../../../sql/clickhouse/queries/source_results.sql"),
        )
        .fill("within", "")
        .restricted(conditions)
}

/// The brands that the scope and the filters both allow; `None` if neither names any. Single terms of other brands that the scope was given access to
/// are left aside.
fn allowed_brands(scope: &Scope, filters: &Filters) -> Option<Vec<u32>> {
    // A user has access to few terms of other brands.
    let seen = scope
        .brands()
        .map(|brands| brands.iter().map(|brand| brand.0.cast_unsigned()).collect::<Vec<_>>());
    match (filters.brands(), seen) {
        (Some(filtered), Some(seen)) => Some(filtered.into_iter().filter(|brand| seen.contains(brand)).collect()),
        (filtered, seen) => filtered.or(seen),
    }
}

/// The first and the last day of some builds, which are in order of time; `None` if there are none.
fn first_and_last_day(builds: &[Build]) -> Option<(Value, Value)> {
    let number = |build: &Build| Value::Integer(build.0.into());
    Some((number(builds.first()?), number(builds.last()?)))
}
