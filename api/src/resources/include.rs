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

/// Puts what is included into the rows.
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
                    let key = needed(relation, &mut filter.fields);
                    let ids = ids(rows, relation, key)?;
                    let ids: Vec<String> = ids.into_iter().collect();
                    let found = if ids.is_empty() {
                        Vec::new()
                    } else {
                        reader
                            .find(relation.target, ReachedFrom::Related(relation, &ids), filter)
                            .await?
                    };
                    let (mut related, places) = once(found);
                    fill(reader, &mut related, nested).await?;
                    put(rows, relation, key, related, places);
                    Row::affordable(rows)?;
                }
                Include::Relation { .. } => {}
            }
        }
        Ok(())
    })
}

/// A relation that is asked for twice is answered once, as it was asked for last.
fn last_of_each(includes: Vec<Include>) -> impl Iterator<Item = Include> {
    let mut seen = BTreeSet::new();
    let mut last: Vec<Include> = includes
        .into_iter()
        .rev()
        .filter(|include| match include {
            Include::Relation { relation, .. } => seen.insert(relation.name),
            Include::Unknown(_) => true,
        })
        .collect();
    last.reverse();
    last.into_iter()
}

fn is_allowed(call: &Call, relation: &Relation) -> bool {
    relation.part_of_row || relation.target.rights.allow(&call.roles(), Permission::Read)
}

/// The field of a row that its related rows are found by. The related rows answer the field that they are found by, too.
fn needed(relation: &Relation, fields: &mut vocabulary::resources::Fields) -> &'static str {
    match relation.link {
        Link::BelongsTo { key } => {
            fields.need("id");
            key
        }
        Link::HasMany { key } => {
            fields.need(key);
            "id"
        }
        Link::Through { .. } | Link::References { .. } => {
            fields.need("id");
            "id"
        }
    }
}

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

/// Every row once, and for each of those that were found its origin and its place among them.
fn once(found: Vec<(Option<String>, Row)>) -> (Vec<Row>, Vec<(String, usize)>) {
    let mut rows: Vec<Row> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    let mut places = Vec::with_capacity(found.len());
    for (origin, row) in found {
        let place = *known.entry(row.text().to_owned()).or_insert(rows.len());
        if place == rows.len() {
            rows.push(row);
        }
        places.push((origin.unwrap_or_default(), place));
    }
    (rows, places)
}

fn put(rows: &mut [Row], relation: &Relation, key: &str, related: Vec<Row>, places: Vec<(String, usize)>) {
    let related: Vec<Arc<Row>> = related.into_iter().map(Arc::new).collect();
    let mut groups: HashMap<String, Vec<Arc<Row>>> = HashMap::new();
    for (origin, place) in places {
        groups.entry(origin).or_default().push(Arc::clone(&related[place]));
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

fn text(id: &Json) -> String {
    id.as_str().map_or_else(|| id.to_string(), str::to_owned)
}
