//! Related rows that are answered with a row: one query for each relation and level.

use std::collections::{BTreeSet, HashMap};

use futures::future::BoxFuture;
use records::resources::Within;
use serde_json::Value as Json;
use vocabulary::resources::rights::Deed;
use vocabulary::resources::{Include, Link, Relation};

use super::call::Call;
use super::store;
use crate::failure::Failure;

/// Puts what is included into the rows.
pub(super) fn fill<'a>(
    call: &'a Call,
    rows: &'a mut [Json],
    includes: Vec<Include>,
) -> BoxFuture<'a, Result<(), Failure>> {
    Box::pin(async move {
        if rows.is_empty() {
            return Ok(());
        }
        for include in includes {
            match include {
                Include::Unknown(error) => return Err(error.into()),
                Include::Relation { relation, filter } if is_allowed(call, relation) => {
                    let mut filter = *filter;
                    let nested = std::mem::take(&mut filter.include);
                    let key = needed(relation, &mut filter.fields);
                    let ids = ids(rows, relation, key)?;
                    let ids: Vec<String> = ids.into_iter().collect();
                    let found = if ids.is_empty() {
                        Vec::new()
                    } else {
                        store::find(call, relation.target, Within::Related(relation, &ids), filter).await?
                    };
                    let (origins, mut related): (Vec<_>, Vec<_>) =
                        found.into_iter().map(|found| (found.origin, found.row)).unzip();
                    fill(call, &mut related, nested).await?;
                    put(rows, relation, key, origins.into_iter().zip(related));
                }
                Include::Relation { .. } => {}
            }
        }
        Ok(())
    })
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

fn ids(rows: &[Json], relation: &Relation, key: &str) -> Result<BTreeSet<String>, Failure> {
    let mut ids = BTreeSet::new();
    for row in rows {
        match row.get(key) {
            Some(Json::Null) => {}
            Some(id) => {
                ids.insert(text(id));
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

fn put(rows: &mut [Json], relation: &Relation, key: &str, found: impl Iterator<Item = (Option<String>, Json)>) {
    let mut groups: HashMap<String, Vec<Json>> = HashMap::new();
    for (origin, row) in found {
        groups.entry(origin.unwrap_or_default()).or_default().push(row);
    }
    for row in rows {
        let Some(id) = row.get(key).map(text) else { continue };
        let related = groups.get(&id);
        let Json::Object(fields) = row else { continue };
        if relation.is_single() {
            if let Some(one) = related.and_then(|list| list.first()) {
                fields.insert(relation.name.to_owned(), one.clone());
            }
        } else {
            fields.insert(
                relation.name.to_owned(),
                Json::Array(related.cloned().unwrap_or_default()),
            );
        }
    }
}

fn text(id: &Json) -> String {
    id.as_str().map_or_else(|| id.to_string(), str::to_owned)
}
