//! Related rows that are answered with a row: one query for each relation and level.

use std::collections::{BTreeSet, HashMap};

use futures::future::BoxFuture;
use records::resources::Within;
use serde_json::Value as Json;
use vocabulary::resources::rights::Deed;
use vocabulary::resources::{Include, Link, Relation};

use super::call::Call;
use super::row::Row;
use super::store::Reader;
use crate::failure::Failure;

/// Puts what is included into the rows.
pub(super) fn fill<'a>(
    reader: &'a mut Reader<'_>,
    rows: &'a mut [Row],
    includes: Vec<Include>,
) -> BoxFuture<'a, Result<(), Failure>> {
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
                            .find(relation.target, Within::Related(relation, &ids), filter)
                            .await?
                    };
                    let (origins, mut related): (Vec<_>, Vec<_>) = found.into_iter().unzip();
                    fill(reader, &mut related, nested).await?;
                    put(rows, relation, key, origins.into_iter().zip(related));
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
    relation.part_of_row || relation.target.rights.allow(&call.roles(), Deed::Read)
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

fn ids(rows: &[Row], relation: &Relation, key: &str) -> Result<BTreeSet<String>, Failure> {
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
                return Err(Failure::BadRequest(format!(
                    "Include failed: \"id\" is missing in fields, and {} cannot be found without it.",
                    relation.name
                )));
            }
        }
    }
    Ok(ids)
}

fn put(rows: &mut [Row], relation: &Relation, key: &str, found: impl Iterator<Item = (Option<String>, Row)>) {
    let mut groups: HashMap<String, Vec<Row>> = HashMap::new();
    for (origin, row) in found {
        groups.entry(origin.unwrap_or_default()).or_default().push(row);
    }
    for row in rows {
        let Some(id) = row.get(key).as_ref().map(text) else {
            continue;
        };
        let related = groups.get(&id).map_or(&[][..], Vec::as_slice);
        if !relation.is_single() {
            row.put(relation.name, &Row::list(related));
        } else if let Some(one) = related.first() {
            row.put(relation.name, &one.to_string());
        }
    }
}

fn text(id: &Json) -> String {
    id.as_str().map_or_else(|| id.to_string(), str::to_owned)
}
