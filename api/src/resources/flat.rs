//! `GET /Actions?csv=flatten`: rows as a file with a column for each field, those of related rows by dotted names (`dealer.domain`).

use std::sync::Arc;

use axum::http::Uri;
use axum::response::Response;
use futures::{StreamExt, TryStreamExt, stream};
use serde_json::{Map, Value as Json, json};
use vocabulary::resources::models::ACTION;
use vocabulary::resources::{Filter, Include, Kind, Model, brackets};

use super::call::Call;
use super::{arguments, export};
use crate::failure::ApiError;
use crate::list_file::{self, Cell};

const NAME: &str = "actions";

/// Whether the list of a model can be had as a flat file: only actions.
pub(super) fn is_offered(model: &Model) -> bool {
    model.name == ACTION.name
}

/// Whether a request for the list of a model asks for the flat file, by `csv=flatten`.
pub(super) fn is_wanted(model: &Model, uri: &Uri) -> bool {
    let pairs = brackets::pairs(uri.query().unwrap_or_default()).unwrap_or_default();
    is_offered(model) && arguments::says(&pairs, "csv", "flatten")
}

/// Answers the rows that `filter` asks for as a flat file, in its order; all of them unless it has a limit. Without an `include`, the dealers of the
/// rows and their tags are included.
pub(super) async fn rows(call: Call, model: &'static Model) -> Result<Response, ApiError> {
    let mut given = match arguments::object(&call.pairs, "filter")? {
        Json::Object(given) => given,
        _ => Map::new(),
    };
    given
        .entry("include")
        .or_insert_with(|| json!({ "dealer": "categories" }));
    let given = Json::Object(given);
    let filter = Filter::parse(model, &given)?;
    let most = if export::asks_for_some(&given) {
        filter.limit
    } else {
        u64::MAX
    };
    let columns = columns(model, &filter, &[]);
    let titles = columns.iter().map(|column| column.path.join(".")).collect();
    let (state, call) = (call.state.clone(), Arc::new(call));
    let pages = export::pages(Arc::clone(&call), model, filter, most);
    let rows = pages
        .map_ok(move |rows| {
            let cells: Vec<_> = rows.iter().map(|row| cells(row, &columns)).collect();
            stream::iter(cells).map(Ok)
        })
        .try_flatten();
    list_file::download(&state, &call.pairs, NAME, titles, rows, stream::empty()).await
}

/// A column: the path of its value in a row, and its kind.
struct Column {
    path: Vec<&'static str>,
    /// `None`: a list of rows, of which the labels are shown.
    kind: Option<Kind>,
}

/// The columns of a model under a filter, at the path `within` of a row: its readable fields, those of a single related row in the same way, and one
/// column for a list of related rows.
fn columns(model: &Model, filter: &Filter, within: &[&'static str]) -> Vec<Column> {
    let path_of = |name| [within, &[name]].concat();
    let shown = model
        .fields
        .iter()
        .filter(|field| field.is_readable() && filter.fields.contain(field.name));
    let mut columns: Vec<_> = shown
        .map(|field| Column {
            path: path_of(field.name),
            kind: Some(field.kind),
        })
        .collect();
    for include in &filter.include {
        if let Include::Relation { relation, filter } = include {
            let path = path_of(relation.name);
            if relation.is_single() {
                columns.extend(self::columns(relation.target, filter, &path));
            } else {
                columns.push(Column { path, kind: None });
            }
        }
    }
    columns
}

/// The cells of a row, one for each column: dates and numbers as such, a list of related rows as their labels, any other value as its text or JSON;
/// empty where the row has no value there.
fn cells(row: &Json, columns: &[Column]) -> Vec<Cell> {
    let cells = columns.iter().map(|column| {
        let found = column.path.iter().try_fold(row, |row, name| row.get(name));
        let value = found.unwrap_or(&Json::Null);
        let text = || value.as_str().map_or_else(|| written(value), str::to_owned);
        match column.kind {
            None => Cell::Text(export::joined_labels(value)),
            Some(Kind::Date) => Cell::Time(text()),
            Some(Kind::Id | Kind::Key | Kind::Whole | Kind::Number) => Cell::Number(written(value)),
            Some(_) => Cell::Text(text()),
        }
    });
    cells.collect()
}

/// A value as JSON; nothing for null.
fn written(value: &Json) -> String {
    if value.is_null() {
        String::new()
    } else {
        value.to_string()
    }
}
