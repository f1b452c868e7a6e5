//! Figures for the rows of one page: views by day, views of the earlier period, and the captures a row was seen in.

use std::collections::HashMap;

use chrono::NaiveDate;
use chrono_tz::Tz;
use clickhouse::Row;
use serde::Deserialize;
use vocabulary::Scope;

use super::conditions;
use crate::filter::{Comparison, Field, Filters};
use crate::statement::{Statement, Value};
use crate::{Client, Error};

/// The rows of a list whose figures are asked for.
#[derive(Clone, Debug)]
pub struct FiguresQuery {
    /// What names a row of the list: the domain or the term.
    pub key: Field,
    /// Which rows: domains, or numbers of terms.
    pub names: Vec<String>,
    /// The filters of the list.
    pub filters: Filters,
    /// Where days begin.
    pub zone: Tz,
}

/// The views of one row of a list on one day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Day {
    /// The day, in the time zone of the query.
    pub day: NaiveDate,
    /// Results that show it.
    pub views: u64,
}

/// The figures of one row of a list over the filtered results.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Days with views, ascending.
    pub days: Vec<Day>,
    /// Captures that show it.
    pub captures: u64,
}

/// Views of an earlier period: of each row, and of everything under the filters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Earlier {
    /// By the names of the rows; one without views is absent.
    pub of_rows: HashMap<String, u64>,
    /// Of all that the filters leave.
    pub total: u64,
}

/// Views and captures of one row on one day.
#[derive(Clone, Row, Deserialize)]
struct StoredDay {
    name: String,
    #[serde(with = "clickhouse::serde::chrono::date")]
    at: NaiveDate,
    views: u64,
    captures: u64,
}

/// Views of one row; under the empty name those of all rows that were not asked for.
#[derive(Clone, Row, Deserialize)]
struct StoredViews {
    name: String,
    views: u64,
}

/// For each row of the query, keyed by its name: its views by day of the query's time zone, days ascending and only those with views, and its number
/// of captures. A row without views is absent.
pub async fn of_rows(client: &Client, scope: &Scope, query: &FiguresQuery) -> Result<HashMap<String, Figures>, Error> {
    let statement = figures_statement(
        include_str!("../../../sql/clickhouse/queries/figures.sql"),
        scope,
        query,
    )
    .with("zone", Value::Text(query.zone.name().to_owned()));
    let mut rows: HashMap<String, Figures> = HashMap::new();
    for StoredDay {
        name,
        at,
        views,
        captures,
    } in client.fetch_shared(statement).await?
    {
        let row = rows.entry(name).or_default();
        row.days.push(Day { day: at, views });
        row.captures += captures;
    }
    for row in rows.values_mut() {
        row.days.sort_unstable_by_key(|day| day.day);
    }
    Ok(rows)
}

/// Views in the earlier period of a comparison, which replaces the period of the query's filters: of each row that the query names (absent without
/// views), and in `total` of everything under the filters.
pub async fn earlier(
    client: &Client,
    scope: &Scope,
    query: &FiguresQuery,
    compared: &Comparison,
) -> Result<Earlier, Error> {
    let before = FiguresQuery {
        filters: query.filters.within(compared.earlier_from, compared.earlier_until),
        ..query.clone()
    };
    let statement = figures_statement(
        include_str!("../../../sql/clickhouse/queries/earlier_views.sql"),
        scope,
        &before,
    );
    let mut earlier = Earlier::default();
    for StoredViews { name, views } in client.fetch_shared(statement).await? {
        earlier.total += views;
        if !name.is_empty() {
            earlier.of_rows.insert(name, views);
        }
    }
    Ok(earlier)
}

/// A statement of this file for the rows of a query.
fn figures_statement(file: &str, scope: &Scope, query: &FiguresQuery) -> Statement {
    Statement::new(file)
        .fill("key", query.key.column())
        .restricted(conditions(scope, &query.filters))
        .with("names", Value::Texts(query.names.clone()))
}
