//! The terms of a file as they would be captured before and after the import.

use std::collections::HashMap;

use postgres::Connection;
use postgres::term_dues::{self, TermToPlan};
use postgres::term_import::ImportedTerm;
use vocabulary::{Device, Engine, Frequency, Locale, Scope, TermId, TermState};

use super::names::References;
use super::plan::{Outcome, Plan};
use crate::failure::ApiError;
use crate::plan_cost::{CostedTerm, CountsFor};

/// Each new or changed term of a plan as it is captured now and would be.
pub(super) async fn costed(
    connection: &mut Connection,
    scope: &Scope,
    plan: &Plan,
) -> Result<Vec<CostedTerm>, ApiError> {
    let changed = plan.lines.iter().filter_map(|line| match &line.outcome {
        Outcome::Change { stored, .. } => Some(stored.id),
        Outcome::Create(_) | Outcome::Unchanged(_) | Outcome::Refused(_) => None,
    });
    let changed: Vec<TermId> = changed.collect();
    let now = term_dues::to_plan(connection, scope, &changed).await?;
    let now: HashMap<TermId, TermToPlan> = now.into_iter().map(|term| (term.term.id, term)).collect();
    let terms = plan.lines.iter().filter_map(|line| {
        let (before, values) = match &line.outcome {
            Outcome::Create(term) => (None, term),
            Outcome::Change { stored, becomes } => (now.get(&stored.id).cloned(), becomes),
            Outcome::Unchanged(_) | Outcome::Refused(_) => return None,
        };
        Some(CostedTerm {
            after: planned(before.as_ref(), values, &plan.references),
            before,
            counts_for: CountsFor::These {
                brand: values.brand,
                companies: values.companies.clone(),
            },
        })
    });
    Ok(terms.collect())
}

/// A term with these values, captured as often as its searches and rate say.
fn planned(before: Option<&TermToPlan>, values: &ImportedTerm, references: &References) -> TermToPlan {
    let locale = references
        .place(values.localization)
        .and_then(|place| place.locale.clone());
    let has_words = values.words.as_deref().is_some_and(|words| !words.trim().is_empty());
    let is_searchable = locale.as_deref().is_some_and(|locale| locale.parse::<Locale>().is_ok());
    let is_complete = has_words && values.engine.is_some() && is_searchable;
    let state: Option<TermState> = values.state.as_deref().and_then(|state| state.parse().ok());
    let devices = values.devices.iter().flatten();
    let devices: Vec<Device> = devices.filter_map(|device| device.parse().ok()).collect();
    let engine: Option<Engine> = values.engine.as_deref().and_then(|engine| engine.parse().ok());
    let every = values.every.and_then(Frequency::from_millis).unwrap_or(Frequency::AUTO);
    let is_enabled = state == Some(TermState::Enabled);
    let engine = engine.unwrap_or(Engine::Google);
    let mut planned = TermToPlan::new(engine, locale, every, is_complete, is_enabled);
    planned.term.devices = devices;
    if let Some(before) = before {
        planned.term.id = before.term.id;
        planned.term.monthly_searches = before.term.monthly_searches;
        planned.term.convert_rate = before.term.convert_rate;
    }
    planned
}
