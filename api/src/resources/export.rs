//! `GET /Dealers/export`: dealers as a file, with their tags.

use std::sync::Arc;

use axum::response::Response;
use futures::{StreamExt, TryStreamExt, stream};
use records::resources::Within;
use serde_json::Value as Json;
use vocabulary::resources::{Filter, Model};

use super::call::Call;
use super::row::Row;
use super::store::Reader;
use super::{arguments, read};
use crate::failure::Failure;
use crate::language::Words;
use crate::list_file::{self, Cell};

const TITLES: [Words; 6] = [
    ("Domain", "Domaine"),
    ("Tags", "Tags"),
    ("Note", "Note"),
    ("Date", "Date"),
    ("Updated", "Mis à jour"),
    ("Processed", "Traité"),
];
/// Rows asked for at a time: what a download holds in memory.
const AT_ONCE: u64 = 1_000;

/// The rows that `filter` asks for, in its order; all of them unless it has a limit.
pub(super) async fn dealers(call: Call, model: &'static Model) -> Result<Response, Failure> {
    let given = arguments::object(&call.pairs, "filter")?;
    let mut filter = Filter::parse(model, &given)?;
    filter.include = Filter::parse(model, &serde_json::json!({ "include": "categories" }))?.include;
    let most = match given.get("limit") {
        None | Some(Json::Null) => u64::MAX,
        Some(_) => filter.limit,
    };
    let (state, call) = (call.state.clone(), Arc::new(call));
    let rows = pages(Arc::clone(&call), model, filter, most)
        .map_ok(|rows| stream::iter(rows).map(|row| Ok(cells(&row))))
        .try_flatten();
    list_file::download(&state, &call.pairs, "dealers", &TITLES, rows).await
}

fn pages(
    call: Arc<Call>,
    model: &'static Model,
    filter: Filter,
    most: u64,
) -> impl stream::Stream<Item = Result<Vec<Json>, Failure>> {
    let start = filter.skip;
    stream::try_unfold((start, most), move |(skip, left)| {
        let (call, filter) = (Arc::clone(&call), filter.clone());
        async move {
            if left == 0 {
                return Ok(None);
            }
            let limit = left.min(AT_ONCE);
            let filter = Filter { limit, skip, ..filter };
            let rows = read::list(&mut Reader::of(&call), model, Within::Anywhere, filter).await?;
            let rows: Vec<Json> = rows.iter().map(Row::json).collect();
            let found = u64::try_from(rows.len()).unwrap_or(AT_ONCE);
            let left = if found < limit { 0 } else { left - found };
            Ok((found > 0).then_some((rows, (skip + found, left))))
        }
    })
}

fn cells(row: &Json) -> Vec<Cell> {
    let text = |name: &str| row.get(name).and_then(Json::as_str).unwrap_or_default().to_owned();
    let tags: Vec<&str> = row
        .get("categories")
        .and_then(Json::as_array)
        .into_iter()
        .flatten()
        .filter_map(|tag| tag.get("label").and_then(Json::as_str))
        .collect();
    let processed = row.get("processed").and_then(Json::as_bool);
    vec![
        Cell::Text(text("domain")),
        Cell::Text(tags.join(", ")),
        Cell::Text(text("note")),
        Cell::Time(text("date")),
        Cell::Time(text("updated")),
        Cell::Text(processed.map(|flag| flag.to_string()).unwrap_or_default()),
    ]
}
