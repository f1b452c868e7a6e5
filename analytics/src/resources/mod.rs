//! Sems as a resource: captured ads and those entered by hand.
//!
//! Names in the SQL come from the descriptor alone; everything a client gave is a parameter.

mod conditions;
mod correction;
mod narrowing;
mod row;
mod select;
mod sql;
mod write;

pub use correction::{CorrectionError, TermFacts, corrected};
pub use write::{Assignment, MatchedSems, insert_by_hand, matching, remove_by_hand, update_by_hand};

use std::collections::BTreeMap;

use serde_json::Value as Json;
use vocabulary::Scope;
use vocabulary::resources::{Condition, Fields, Filter};

use crate::ingest::{AdRow, MOST_ROWS};
use crate::{Client, Error};
use row::SemRow;

/// The rows to which sems must belong: the field of a sem that refers to them, and their ids. `None` restricts nothing.
pub type Origin<'a> = Option<(&'static str, &'a [String])>;

/// The brand of each term that has one, by the ids of both.
pub type Brands = BTreeMap<i64, i32>;

/// A sem as clients get it, except for the names of its brand and dealer.
#[derive(Clone, Debug)]
pub struct FoundSem {
    /// The id of the row of the origin to which it belongs.
    pub origin: Option<String>,
    /// The sem by the names of its fields.
    pub row: Json,
    /// The brand of a captured sem; `None` if it has none, or was entered by hand.
    pub brand: Option<i32>,
    /// The host it leads to.
    pub domain: Option<String>,
}

/// The sems that the scope sees, that belong to `origin` (`None`: any) and match the filter, in its order, skip and limit, each with its brand, if
/// captured, and its domain, even where the filter leaves out these fields. With several rows as origin, skip and limit apply to each.
pub async fn find(client: &Client, scope: &Scope, origin: Origin<'_>, filter: &Filter) -> Result<Vec<FoundSem>, Error> {
    let rows = select_rows(client, scope, origin, filter).await?;
    Ok(rows
        .into_iter()
        .map(|row| FoundSem {
            origin: origin.and_then(|(field, _)| row.key(field)),
            row: row.json(&filter.fields),
            brand: row.brand_of_captured(),
            domain: row.domain,
        })
        .collect())
}

/// A captured ad with all fields, as clients get it.
pub fn shown(ad: &AdRow) -> Json {
    SemRow::from(ad).json(&Fields::All)
}

/// The ids of the captured sems of a batch with this many rows, ascending: `batch * 8192` and those after it.
pub fn ids_of_batch(batch: u64, rows: u32) -> Vec<i64> {
    let first = batch.saturating_mul(MOST_ROWS as u64);
    let ids = (first..).take(usize::try_from(rows).unwrap_or(usize::MAX));
    ids.filter_map(|id| i64::try_from(id).ok()).collect()
}

/// How many sems that the scope sees belong to `origin` (`None`: any) and meet the condition.
pub async fn count(client: &Client, scope: &Scope, origin: Origin<'_>, condition: &Condition) -> Result<i64, Error> {
    let count: u64 = client.fetch_one(select::count(scope, origin, condition)).await?;
    Ok(i64::try_from(count).unwrap_or(i64::MAX))
}

/// The rows of [`find`], with all columns.
async fn select_rows(
    client: &Client,
    scope: &Scope,
    origin: Origin<'_>,
    filter: &Filter,
) -> Result<Vec<SemRow>, Error> {
    client.fetch_all(select::rows(scope, origin, filter)).await
}
