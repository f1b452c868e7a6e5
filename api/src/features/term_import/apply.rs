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

/// Makes the new terms of a plan and changes the others, with the links to tags and company accounts; refused and unchanged lines are passed over. The
/// audit log gets an entry for each term whose fields are set, and one for each link.
pub(super) async fn apply(
    connection: &mut Connection,
    caller: &Caller,
    plan: &Plan,
    now: DateTime<Utc>,
) -> postgres::Result<()> {
    let scope = &caller.scope;
    let new: Vec<&ImportedTerm> = plan
        .lines
        .iter()
        .filter_map(|line| match &line.outcome {
            Outcome::Create(term) => Some(term),
            _ => None,
        })
        .collect();
    let changed: Vec<(&StoredTerm, &ImportedTerm)> = plan
        .lines
        .iter()
        .filter_map(|line| match &line.outcome {
            Outcome::Change { stored, becomes } => Some((stored, becomes)),
            _ => None,
        })
        .collect();
    let mut written = Written::default();
    let ids = term_import::create(connection, scope, &new, now).await?;
    for (id, term) in ids.into_iter().zip(new) {
        let after = fields(term, Some(now))
            .into_iter()
            .filter(|(_, value)| !value.is_null());
        let mut after: Map<String, Json> = after.collect();
        after.insert("createdDate".to_owned(), Value::Date(now).to_json());
        written.note(Event::Create, id, json!({ "after": after }));
        written.link(id, &ImportedTerm::default(), term);
    }
    let mut set = Vec::new();
    for (stored, becomes) in changed {
        let (before, after) = (fields(&stored.values, stored.updated), fields(becomes, Some(now)));
        let differing = |row: &Map<String, Json>, other: &Map<String, Json>| -> Map<String, Json> {
            let fields = row.iter().filter(|(name, value)| other.get(*name) != Some(*value));
            fields.map(|(name, value)| (name.clone(), value.clone())).collect()
        };
        if sets_fields(&stored.values, becomes) {
            set.push((stored.id, becomes));
            let details = json!({ "before": differing(&before, &after), "after": differing(&after, &before) });
            written.note(Event::Change, stored.id, details);
        }
        written.link(stored.id, &stored.values, becomes);
    }
    term_import::change(connection, scope, &set, now).await?;
    term_import::change_tags(connection, scope, &written.tags.added, &written.tags.removed).await?;
    let companies = &written.companies;
    term_import::change_companies(connection, scope, &companies.added, &companies.removed).await?;
    audit::record(connection, &caller.audit_actor(), &written.entries).await
}

/// Links that are made and ended.
struct LinkChanges<Id> {
    added: Vec<(TermId, Id)>,
    removed: Vec<(TermId, Id)>,
}

impl<Id> Default for LinkChanges<Id> {
    fn default() -> Self {
        Self {
            added: Vec::new(),
            removed: Vec::new(),
        }
    }
}

/// What is written beside the fields of terms.
#[derive(Default)]
struct Written {
    entries: Vec<AuditedChange>,
    tags: LinkChanges<CategoryId>,
    companies: LinkChanges<CompanyAccountId>,
}

impl Written {
    fn note(&mut self, event: Event, term: TermId, details: Json) {
        self.entries.push(AuditedChange {
            event,
            model: TERM.name,
            target: term.to_string(),
            details,
        });
    }

    /// Adds the links that a term gets and loses, and their entries.
    fn link(&mut self, term: TermId, before: &ImportedTerm, after: &ImportedTerm) {
        let entry = |relation: &str, model: &str, id: i32| json!({ "relation": relation, "model": model, "id": id });
        for tag in added(&before.tags, &after.tags) {
            self.tags.added.push((term, tag));
            self.note(Event::Link, term, entry("categories", CATEGORY.name, tag.0));
        }
        for tag in added(&after.tags, &before.tags) {
            self.tags.removed.push((term, tag));
            self.note(Event::Unlink, term, entry("categories", CATEGORY.name, tag.0));
        }
        for company in added(&before.companies, &after.companies) {
            self.companies.added.push((term, company));
            let details = entry("canBeAccessBy", COMPANY_ACCOUNT.name, company.0);
            self.note(Event::Link, term, details);
        }
        for company in added(&after.companies, &before.companies) {
            self.companies.removed.push((term, company));
            let details = entry("canBeAccessBy", COMPANY_ACCOUNT.name, company.0);
            self.note(Event::Unlink, term, details);
        }
    }
}

/// The ids of a list that another one lacks.
fn added<Id: Copy + PartialEq>(before: &[Id], after: &[Id]) -> Vec<Id> {
    after.iter().filter(|id| !before.contains(id)).copied().collect()
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
