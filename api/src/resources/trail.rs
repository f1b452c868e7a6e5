//! What the audit log keeps of the writes of resources: all that an administrator changes, all that is changed on behalf of somebody else, and every
//! change of terms, brands and tags, with what it was before and is now, and every link that is made or ended. In Postgres it commits with the change.

use std::collections::HashMap;

use postgres::audit::{self, AuditedChange, Event};
use postgres::resources::Assignment;
use serde_json::{Map, Value as Json, json};
use vocabulary::resources::{Access, Model, Relation};

use super::call::Call;
use super::is_steering;
use crate::failure::ApiError;

/// What one request did to rows of one model.
pub(super) struct AuditTrail<'a> {
    call: &'a Call,
    model: &'static Model,
    /// Whether this caller's writes are kept; links always are.
    records_writes: bool,
    done: Vec<AuditedChange>,
}

impl<'a> AuditTrail<'a> {
    /// An empty trail. It keeps writes of administrators and of those who work as another user, and of everybody those of what steers the watch; links are
    /// always kept. Nothing is written before [`Self::store`].
    pub(super) fn new(call: &'a Call, model: &'static Model) -> Self {
        Self {
            call,
            model,
            records_writes: call.caller.scope.administers() || call.caller.is_impersonated() || is_steering(model),
            done: Vec::new(),
        }
    }

    /// Notes that a row was created, with its values, if this caller's writes are kept; nulls, unreadable and confidential fields are left out.
    pub(super) fn made(&mut self, id: i64, values: &[Assignment]) {
        let given = values
            .iter()
            .filter(|(field, _)| field.is_readable() && !field.confidential);
        let after: Map<_, _> = given
            .map(|(field, value)| (field.name.to_owned(), value.to_json()))
            .filter(|(_, value)| !value.is_null())
            .collect();
        self.add(Event::Create, &json!(id), json!({ "after": after }));
    }

    /// Notes, if this caller's writes are kept, what changed in each row of `after`, compared with the row of the same id in `before`, over the
    /// fields of `changes`. Rows without a difference are left out. A confidential or unreadable field in `changes` always counts as a difference,
    /// and only its name is noted; hidden fields are never noted.
    pub(super) fn changed(&mut self, before: &[Json], after: &[Json], changes: &[Assignment]) {
        if !self.records_writes {
            return;
        }
        let before = by_id(before);
        for now in after {
            let id = now.get("id").unwrap_or(&Json::Null);
            let was = before.get(&name(id)).copied();
            let (mut old, mut new, mut secrets) = (Map::new(), Map::new(), Vec::new());
            for (field, _) in changes {
                let (is, was) = (now.get(field.name), was.and_then(|row| row.get(field.name)));
                if field.access == Access::Hidden {
                    // Accompanies a field that is itself named here.
                } else if !field.is_readable() || field.confidential {
                    secrets.push(field.name);
                } else if is != was {
                    old.insert(field.name.to_owned(), was.cloned().unwrap_or_default());
                    new.insert(field.name.to_owned(), is.cloned().unwrap_or_default());
                }
            }
            if !secrets.is_empty() {
                let details = json!({ "before": old, "after": new, "secrets": secrets });
                self.add(Event::Change, id, details);
            } else if !new.is_empty() {
                self.add(Event::Change, id, json!({ "before": old, "after": new }));
            }
        }
    }

    /// Notes that rows were deleted, with what they were before, if this caller's writes are kept; nulls and confidential fields are left out.
    pub(super) fn removed(&mut self, ids: &[Json], before: &[Json]) {
        if !self.records_writes {
            return;
        }
        let before = by_id(before);
        for id in ids {
            let was = before.get(&name(id)).copied();
            let shown = was
                .and_then(Json::as_object)
                .into_iter()
                .flatten()
                .filter(|(name, value)| {
                    let confidential = self.model.field(name).is_none_or(|field| field.confidential);
                    !confidential && !value.is_null()
                });
            let before: Map<_, _> = shown.map(|(name, value)| (name.clone(), value.clone())).collect();
            self.add(Event::Remove, id, json!({ "before": before }));
        }
    }

    /// Notes that deleted rows were brought back, if this caller's writes are kept.
    pub(super) fn brought_back<'r>(&mut self, rows: impl Iterator<Item = &'r Json>) {
        for row in rows {
            self.add(Event::Return, row.get("id").unwrap_or(&Json::Null), json!({}));
        }
    }

    /// Notes that the row `id` was linked with another or unlinked from it, as `event` says, whoever the caller is.
    pub(super) fn linked_or_unlinked(&mut self, event: Event, id: i64, relation: &Relation, other: i64) {
        let details = json!({ "relation": relation.name, "model": relation.target.name, "id": other });
        self.note(event, &json!(id), details);
    }

    /// Adds an entry, unless this caller's writes are not kept.
    fn add(&mut self, event: Event, id: &Json, details: Json) {
        if self.records_writes {
            self.note(event, id, details);
        }
    }

    /// Adds an entry about the row `id` to those that [`Self::store`] writes later, even when this caller's ordinary writes are not audited.
    fn note(&mut self, event: Event, id: &Json, details: Json) {
        self.done.push(AuditedChange {
            event,
            model: self.model.name,
            target: name(id),
            details,
        });
    }

    /// The entries so far.
    pub(super) fn done(&self) -> &[AuditedChange] {
        &self.done
    }

    /// Writes the entries to the audit log, in the transaction of the change where there is one. Without entries nothing is written.
    pub(super) async fn store(self, executor: impl postgres::Executor<'_>) -> Result<(), ApiError> {
        Ok(audit::record(executor, &self.call.caller.audit_actor(), &self.done).await?)
    }
}

/// Rows by their ids, in the form of [`name`].
fn by_id(rows: &[Json]) -> HashMap<String, &Json> {
    rows.iter()
        .map(|row| (name(row.get("id").unwrap_or(&Json::Null)), row))
        .collect()
}

/// An id as the log writes it: a text without quotes, anything else as JSON.
fn name(id: &Json) -> String {
    id.as_str().map_or_else(|| id.to_string(), str::to_owned)
}
