//! What somebody else did to rows since the caller saw them.
//!
//! Answers say which state of the database they show (`X-As-Of`); a change that gives it back (`X-Seen-At`) overwrites nothing of a later one.

use std::collections::{BTreeSet, HashMap, HashSet};

use axum::http::{HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};
use postgres::as_of::{self, AsOf, DoneToRow};
use postgres::audit::{AuditedChange, Event};
use serde_json::Value as Json;
use vocabulary::resources::Model;

use super::call::Call;
use super::is_steering;
use super::row_names::called;
use crate::failure::{ApiError, ChangedSinceSeen};

/// The header by which an answer says which state of the database it shows.
const AS_OF: HeaderName = HeaderName::from_static("x-as-of");
/// Rows that a refusal names.
const MOST_NAMED: usize = 100;

/// Which state of the database an answer shows; none where its rows are not compared with it when they are changed.
#[derive(Clone, Debug)]
pub(super) struct ShownState(Option<AsOf>);

impl ShownState {
    /// For rows that nobody compares.
    pub(super) const NONE: Self = Self(None);

    /// The present state, for rows that are read after this.
    pub(super) async fn now(executor: impl postgres::Executor<'_>) -> Result<Self, ApiError> {
        Ok(Self(Some(AsOf::now(executor).await?)))
    }

    /// The answer with the header that says so.
    pub(super) fn on(self, answer: impl IntoResponse) -> Response {
        let mut answer = answer.into_response();
        if let Some(value) = self.0.and_then(|state| HeaderValue::try_from(state.to_string()).ok()) {
            answer.headers_mut().insert(AS_OF, value);
        }
        answer
    }
}

/// Refuses, with a conflict, what the caller does to rows of a model where another person did the same since the caller saw them, as far as the request says
/// when that was: changed a field that this changes, or did anything to a row that this deletes. What the caller has overwritten already is past. `before`
/// are the rows, locked, before what is `done`.
pub(super) async fn check(
    connection: &mut postgres::Connection,
    call: &Call,
    model: &'static Model,
    before: &[Json],
    done: &[AuditedChange],
) -> Result<(), ApiError> {
    let Some(seen) = call.seen()?.filter(|_| is_steering(model) && !done.is_empty()) else {
        return Ok(());
    };
    let targets: Vec<String> = done.iter().map(|done| done.target.clone()).collect();
    let author = call.caller.audit_actor().actor;
    let by_others = as_of::done_by_others(&mut *connection, &seen, author, model, &targets).await?;
    if by_others.is_empty() {
        return Ok(());
    }
    let own: HashMap<&str, &AuditedChange> = done.iter().map(|done| (done.target.as_str(), done)).collect();
    let collides = |other: &&DoneToRow| {
        let own = own.get(other.target.as_str());
        own.is_some_and(|own| overwrites(own, other, model))
    };
    let changed: BTreeSet<i64> = by_others
        .iter()
        .filter(collides)
        .filter_map(|other| other.target.parse().ok())
        .collect();
    if changed.is_empty() {
        return Ok(());
    }
    let named: HashSet<i64> = changed.iter().copied().take(MOST_NAMED).collect();
    let mut rows: Vec<(i64, String)> = before
        .iter()
        .filter_map(|row| Some((row.get("id")?.as_i64()?, row)))
        .filter(|(id, _)| named.contains(id))
        .map(|(id, row)| (id, called(model, row)))
        .collect();
    rows.sort_unstable();
    Err(ApiError::ChangedSinceSeen(Box::new(ChangedSinceSeen {
        model: model.name,
        count: changed.len(),
        rows,
        as_of: AsOf::now(connection).await?,
    })))
}

/// Whether a change or deletion overwrites what somebody else did to the row; the time of a change does not count.
fn overwrites(own: &AuditedChange, other: &DoneToRow, model: &Model) -> bool {
    let mut fields = other
        .fields
        .iter()
        .filter(|name| model.field(name).is_none_or(|field| !field.moves));
    match (own.event, other.event) {
        (Event::Remove, Event::Change) => fields.next().is_some(),
        (Event::Remove, _) => true,
        _ => fields.any(|name| own.details["after"].get(name).is_some()),
    }
}
