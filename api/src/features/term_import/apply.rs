//! Writing what was planned: all of it in the transaction of the caller, with its entries in the audit log.

use chrono::{DateTime, Utc};
use postgres::Connection;
use postgres::audit::{self, AuditedChange, Event};
use postgres::term_import::{self, ImportedTerm, StoredTerm};
use serde_json::{Map, Value as Json, json};
use vocabulary::resources::Value;
use vocabulary::resources::models::{CATEGORY, COMPANY_ACCOUNT, TERM};
use vocabulary::{CategoryId, CompanyAccountId, TermId};

use super::plan::{Outcome, Plan};
use crate::access::Caller;

/// Changed terms whose entries are built and written at a time: those of a whole file would take tens of megabytes.
const TERMS_AUDITED_AT_ONCE: usize = 500;

/// Makes the new terms of a plan and changes the others, with the links to tags and company accounts; refused and unchanged lines are passed over. The
/// audit log gets an entry for each term whose fields are set, and one for each link.
pub(super) async fn apply(
    connection: &mut Connection,
    caller: &Caller,
    plan: &Plan,
    now: DateTime<Utc>,
) -> postgres::Result<()> {
    let scope = &caller.scope;
    let outcomes = || plan.lines.iter().map(|line| &line.outcome);
    let new: Vec<&ImportedTerm> = outcomes()
        .filter_map(|outcome| match outcome {
            Outcome::Create(term) => Some(term),
            _ => None,
        })
        .collect();
    let ids = term_import::create(connection, scope, &new, now).await?;
    let created = ids.into_iter().zip(new).map(|(id, after)| WrittenTerm {
        id,
        stored: None,
        after,
    });
    let changed = outcomes().filter_map(|outcome| match outcome {
        Outcome::Change { stored, becomes } => Some(WrittenTerm {
            id: stored.id,
            stored: Some(stored),
            after: becomes,
        }),
        _ => None,
    });
    let written: Vec<WrittenTerm<'_>> = created.chain(changed).collect();
    let set: Vec<(TermId, &ImportedTerm)> = written
        .iter()
        .filter(|term| {
            term.stored
                .is_some_and(|stored| sets_fields(&stored.values, term.after))
        })
        .map(|term| (term.id, term.after))
        .collect();
    term_import::change(connection, scope, &set, now).await?;
    let tags = LinkChanges::between(&written, |term| &term.tags);
    term_import::change_tags(connection, scope, &tags.added, &tags.removed).await?;
    let companies = LinkChanges::between(&written, |term| &term.companies);
    term_import::change_companies(connection, scope, &companies.added, &companies.removed).await?;
    let author = caller.audit_actor();
    for terms in written.chunks(TERMS_AUDITED_AT_ONCE) {
        let entries: Vec<AuditedChange> = terms.iter().flat_map(|term| term.entries(now)).collect();
        audit::record(&mut *connection, &author, &entries).await?;
    }
    Ok(())
}

/// A term that is made or changed.
struct WrittenTerm<'a> {
    id: TermId,
    /// What it was; `None` for a new one.
    stored: Option<&'a StoredTerm>,
    after: &'a ImportedTerm,
}

impl WrittenTerm<'_> {
    /// Its entries in the audit log.
    fn entries(&self, now: DateTime<Utc>) -> Vec<AuditedChange> {
        let nothing = ImportedTerm::default();
        let before = self.stored.map_or(&nothing, |stored| &stored.values);
        let mut entries = Vec::new();
        let mut note = |event: Event, details: Json| {
            entries.push(AuditedChange {
                event,
                model: TERM.name,
                target: self.id.to_string(),
                details,
            });
        };
        match self.stored {
            None => note(Event::Create, json!({ "after": created_fields(self.after, now) })),
            Some(stored) if sets_fields(before, self.after) => {
                let (before, after) = (fields(before, stored.updated), fields(self.after, Some(now)));
                note(
                    Event::Change,
                    json!({ "before": differing(&before, &after), "after": differing(&after, &before) }),
                );
            }
            Some(_) => {}
        }
        let tag = |id: CategoryId| json!({ "relation": "categories", "model": CATEGORY.name, "id": id });
        for id in added(&before.tags, &self.after.tags) {
            note(Event::Link, tag(id));
        }
        for id in added(&self.after.tags, &before.tags) {
            note(Event::Unlink, tag(id));
        }
        let company =
            |id: CompanyAccountId| json!({ "relation": "canBeAccessBy", "model": COMPANY_ACCOUNT.name, "id": id });
        for id in added(&before.companies, &self.after.companies) {
            note(Event::Link, company(id));
        }
        for id in added(&self.after.companies, &before.companies) {
            note(Event::Unlink, company(id));
        }
        entries
    }
}

/// Links that are made and ended.
struct LinkChanges<Id> {
    added: Vec<(TermId, Id)>,
    removed: Vec<(TermId, Id)>,
}

impl<Id: Copy + PartialEq> LinkChanges<Id> {
    /// The links of one kind that written terms get and lose.
    fn between(written: &[WrittenTerm<'_>], links: impl Fn(&ImportedTerm) -> &[Id]) -> Self {
        let nothing = ImportedTerm::default();
        let mut changes = Self {
            added: Vec::new(),
            removed: Vec::new(),
        };
        for term in written {
            let before = links(term.stored.map_or(&nothing, |stored| &stored.values));
            let after = links(term.after);
            changes.added.extend(added(before, after).map(|id| (term.id, id)));
            changes.removed.extend(added(after, before).map(|id| (term.id, id)));
        }
        changes
    }
}

/// The ids of a list that another one lacks.
fn added<Id: Copy + PartialEq>(before: &[Id], after: &[Id]) -> impl Iterator<Item = Id> {
    after.iter().filter(|id| !before.contains(id)).copied()
}

/// The fields that have another value in `other`.
fn differing(row: &Map<String, Json>, other: &Map<String, Json>) -> Map<String, Json> {
    let fields = row.iter().filter(|(name, value)| other.get(*name) != Some(*value));
    fields.map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// The fields of a new term for the audit log's entry of its creation: those that have a value, with `createdDate` and `updatedDate` set to `now`.
fn created_fields(term: &ImportedTerm, now: DateTime<Utc>) -> Map<String, Json> {
    let set = fields(term, Some(now))
        .into_iter()
        .filter(|(_, value)| !value.is_null());
    let mut set: Map<String, Json> = set.collect();
    set.insert("createdDate".to_owned(), Value::Date(now).to_json());
    set
}

/// Whether more than the links of a term changes.
fn sets_fields(before: &ImportedTerm, after: &ImportedTerm) -> bool {
    let without_links = |term: &ImportedTerm| ImportedTerm {
        tags: Vec::new(),
        companies: Vec::new(),
        ..term.clone()
    };
    without_links(before) != without_links(after)
}

/// The fields of a term under the names that clients know, with the date of its last change.
fn fields(term: &ImportedTerm, updated: Option<DateTime<Utc>>) -> Map<String, Json> {
    let fields = [
        ("term", json!(term.words)),
        ("keywordType", json!(term.keyword_type)),
        ("devices", json!(term.devices)),
        ("every", json!(term.every)),
        ("engine", json!(term.engine)),
        ("state", json!(term.state)),
        ("region", json!(term.region)),
        ("localizationId", json!(term.localization)),
        ("brandId", json!(term.brand)),
        ("updatedDate", json!(updated.map(|at| Value::Date(at).to_json()))),
    ];
    fields
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}
