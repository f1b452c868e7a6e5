//! Related rows that are answered with a row: one query for each relation and level. Each row is kept once, however many it belongs to.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use futures::future::BoxFuture;
use postgres::resources::ReachedFrom;
use serde_json::Value as Json;
use vocabulary::resources::rights::Permission;
use vocabulary::resources::{Include, Link, Relation};

use super::call::Call;
use super::row::{Related, Row};
use super::store::ReadConnection;
use crate::failure::ApiError;

/// Adds the related rows to `rows`, level by level, with one query for each relation and level. A relation whose target the caller may not read is
/// skipped silently. An unknown relation, rows without the `id` that one needs, and more rows or bytes than one answer may hold are errors.
pub(super) fn fill<'a>(
    reader: &'a mut ReadConnection<'_>,
    rows: &'a mut [Row],
    includes: Vec<Include>,
) -> BoxFuture<'a, Result<(), ApiError>> {
    Box::pin(async move {
        if rows.is_empty() {
            return Ok(());
        }
        for include in last_of_each(includes) {
            match include {
                Include::Unknown(error) => return Err(error.into()),
                Include::Relation { relation, filter } if is_allowed(reader.call, relation) => {
                    let mut filter = *filter;
                    let nested = std::mem::take(&mut filter.include);
                    let key = require_keys(relation, &mut filter.fields);
                    let ids = ids(rows, relation, key)?;
                    let ids: Vec<String> = ids.into_iter().collect();
                    let found = if ids.is_empty() {
                        Vec::new()
                    } else {
                        reader
                            .find(relation.target, ReachedFrom::Related(relation, &ids), filter)
                            .await?
                    };
                    let (mut related, positions) = deduplicate(found);
                    fill(reader, &mut related, nested).await?;
                    attach(rows, relation, key, related, positions);
                    Row::checked_size(rows)?;
                }
                Include::Relation { .. } => {}
            }
        }
        Ok(())
    })
}

/// Drops a relation that is included again later: the last mention counts. Keeps unknown ones, and the order of those left.
fn last_of_each(includes: Vec<Include>) -> impl Iterator<Item = Include> {
    let mut known = BTreeSet::new();
    let mut last: Vec<Include> = includes
        .into_iter()
        .rev()
        .filter(|include| match include {
            Include::Relation { relation, .. } => known.insert(relation.name),
            Include::Unknown(_) => true,
        })
        .collect();
    last.reverse();
    last.into_iter()
}

/// Whether the caller may read the related rows: by role, or because the relation is part of the row itself.
fn is_allowed(call: &Call, relation: &Relation) -> bool {
    relation.part_of_row || relation.target.rights.allow(&call.roles(), Permission::Read)
}

/// Adds to `fields`, those asked of the related rows, the field that they are found by. Returns the name of the field of the own row that holds the
/// other end.
fn require_keys(relation: &Relation, fields: &mut vocabulary::resources::Fields) -> &'static str {
    match relation.link {
        Link::BelongsTo { key } => {
            fields.add("id");
            key
        }
        Link::HasMany { key } => {
            fields.add(key);
            "id"
        }
        Link::Through { .. } | Link::References { .. } => {
            fields.add("id");
            "id"
        }
    }
}

/// The distinct values of `key` in the rows; nulls are left out. A row without the field is skipped for a relation to one row, else a `BadRequest`.
fn ids(rows: &[Row], relation: &Relation, key: &str) -> Result<BTreeSet<String>, ApiError> {
    let mut ids = BTreeSet::new();
    for row in rows {
        match row.get(key) {
            Some(Json::Null) => {}
            Some(id) => {
                ids.insert(text(&id));
            }
            // Without its key a row says nothing about the one it points at; without its id nothing can be found for it.
            None if relation.is_single() => {}
            None => {
                return Err(ApiError::BadRequest(format!(
                    "Include failed: \"id\" is missing in fields, and {} cannot be found without it.",
                    relation.name
                )));
            }
        }
    }
    Ok(ids)
}

/// Splits rows found through a relation into the distinct rows, by their text, and, in the order found, pairs of the row that each was reached from
/// and its index among the distinct ones.
fn deduplicate(found: Vec<(Option<String>, Row)>) -> (Vec<Row>, Vec<(String, usize)>) {
    let mut rows: Vec<Row> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    let mut positions = Vec::with_capacity(found.len());
    for (origin, row) in found {
        let position = *known.entry(row.text().to_owned()).or_insert(rows.len());
        if position == rows.len() {
            rows.push(row);
        }
        positions.push((origin.unwrap_or_default(), position));
    }
    (rows, positions)
}

/// Adds to each row its related rows, which `positions` assigns by the value of `key`: a list, empty if there are none, or, for a relation to one row,
/// the row, and nothing where there is none.
fn attach(rows: &mut [Row], relation: &Relation, key: &str, related: Vec<Row>, positions: Vec<(String, usize)>) {
    let related: Vec<Arc<Row>> = related.into_iter().map(Arc::new).collect();
    let mut groups: HashMap<String, Vec<Arc<Row>>> = HashMap::new();
    for (origin, position) in positions {
        groups.entry(origin).or_default().push(Arc::clone(&related[position]));
    }
    for row in rows {
        let Some(id) = row.get(key).as_ref().map(text) else {
            continue;
        };
        let group = groups.get(&id);
        if !relation.is_single() {
            row.include(relation.name, Related::Many(group.cloned().unwrap_or_default()));
        } else if let Some(one) = group.and_then(|group| group.first()) {
            row.include(relation.name, Related::One(Arc::clone(one)));
        }
    }
}

/// An id as text, without the quotes of JSON.
fn text(id: &Json) -> String {
    id.as_str().map_or_else(|| id.to_string(), str::to_owned)
}
