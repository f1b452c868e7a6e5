//! Change streams (decision D162): Postgres notifies every process of each committed change, and a stream passes on those of rows its reader may
//! see. A lost notification is a missed refresh, never lost data.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::response::sse::{Event as Message, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::{StreamExt, stream};
use postgres::changes::{Change, TableChange};
use postgres::resources::{self as rows, ReachedFrom};
use serde_json::{Value as Json, json};
use tokio::sync::broadcast::error::RecvError;
use vocabulary::UserId;
use vocabulary::resources::models::TERM;
use vocabulary::resources::rights::Permission;
use vocabulary::resources::{Condition, Filter, MAX_ROWS, Model, RowStore, Usage, Value, ValueTest};

use super::call::Call;
use super::{arguments, store};
use crate::failure::ApiError;

/// Notifications of a burst that are looked up together.
const AT_ONCE: usize = 64;
const HEARTBEAT: Duration = Duration::from_secs(15);
/// A stream ends after this, so that a session that is over ends with it; clients open the next by themselves.
const LONGEST: Duration = Duration::from_mins(15);
/// Streams one user may hold open with a process: some tabs with some lists each. Every one costs a look at the store for every change.
const MOST_OF_USER: usize = 12;
/// Rows of which a stream remembers what it said last; then it begins to do so again.
const MOST_REMEMBERED: usize = 10_000;
/// How soon somebody who has too many may try again.
const TRY_AGAIN: Duration = Duration::from_secs(30);

/// Open streams by user.
static OPEN: Mutex<BTreeMap<UserId, usize>> = Mutex::new(BTreeMap::new());

/// A place among the open streams of a user, given back when dropped.
struct StreamPermit(UserId);

impl StreamPermit {
    /// Takes one of the [`MOST_OF_USER`] places that a user has in this process; `Throttled` when all are taken.
    fn acquire(user: UserId) -> Result<Self, ApiError> {
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        let count = open.entry(user).or_default();
        if *count >= MOST_OF_USER {
            return Err(ApiError::Throttled(TRY_AGAIN));
        }
        *count += 1;
        Ok(Self(user))
    }
}

impl Drop for StreamPermit {
    /// Gives the user's place back, so that another stream can be opened.
    fn drop(&mut self) {
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = open.get_mut(&self.0) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.0);
            }
        }
    }
}

/// A stream of one reader.
struct ModelStream {
    call: Call,
    model: &'static Model,
    condition: Condition,
    /// By id, whether the last event said that the row is visible. Rows are read later than they are announced, so that an event may say already what
    /// is announced next.
    said: BTreeMap<i64, bool>,
}

/// Answers `/X/change-stream`: server-sent events for changes of rows that the caller sees and that meet `options.where`. The stream ends after
/// [`LONGEST`], or when the caller's session or right to read ends. Fails with `Throttled` when the user has [`MOST_OF_USER`] streams open.
pub(super) async fn stream(call: Call, model: &'static Model) -> Result<Response, ApiError> {
    let options = arguments::object(&call.pairs, "options")?;
    let condition = Condition::parse(model, options.get("where").unwrap_or(&Json::Null), Usage::Read)?;
    let permit = StreamPermit::acquire(call.caller.user.id)?;
    let heard = call.state.changes.listen(&call.state.postgres).await?;
    let changes = stream::unfold(heard, |mut heard| async move {
        loop {
            match heard.recv().await {
                Ok(change) => return Some((change, heard)),
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return None,
            }
        }
    });
    let is_on_links = condition.is_on_links();
    let of_reader = changes.filter(move |change| {
        std::future::ready(match change.change {
            Change::Rights { .. } => true,
            // No field of a row shows its links.
            Change::Links { .. } => is_on_links && change.table == model.table,
            _ => change.table == model.table,
        })
    });
    let reading = ModelStream {
        call,
        model,
        condition,
        said: BTreeMap::new(),
    };
    let bursts = Box::pin(of_reader.ready_chunks(AT_ONCE));
    let events = stream::unfold((bursts, reading), |(mut bursts, mut reading)| async move {
        let events = reading.events(&bursts.next().await?).await?;
        Some((stream::iter(events), (bursts, reading)))
    });
    let messages = stream::once(std::future::ready(Message::default().comment("ok")))
        .chain(
            events
                .flatten()
                .map(|event| Message::default().event("data").data(event.to_string())),
        )
        .map(move |message| {
            let _held = &permit;
            Ok::<_, Infallible>(message)
        })
        .take_until(tokio::time::sleep(LONGEST));
    Ok(Sse::new(messages)
        .keep_alive(KeepAlive::new().interval(HEARTBEAT))
        .into_response())
}

/// Several notifications merged: the columns each row had before the first of them, the ids that may exist after the last, and those of rows that did
/// not change but in their links.
#[derive(Default)]
struct Burst {
    was: BTreeMap<i64, Json>,
    is: BTreeSet<i64>,
    relinked: BTreeSet<i64>,
}

impl Burst {
    /// Merges notifications in their order: the ids of rows that are there, and rows as they were before the first change. A row that is created and
    /// deleted within them leaves no trace; changes of rights are skipped.
    fn from_changes(changes: &[Arc<TableChange>]) -> Self {
        let mut burst = Self::default();
        let id = |row: &Json| row.get("id").and_then(Json::as_i64);
        let mut made = BTreeSet::new();
        for change in changes {
            match &change.change {
                Change::Create { ids } => {
                    made.extend(ids);
                    burst.is.extend(ids);
                }
                Change::Update { was } => {
                    for (id, row) in was.iter().filter_map(|row| Some((id(row)?, row))) {
                        burst.is.insert(id);
                        burst.relinked.remove(&id);
                        burst.keep(&made, id, row);
                    }
                }
                Change::Links { was } => {
                    for (id, row) in was.iter().filter_map(|row| Some((id(row)?, row))) {
                        if burst.is.insert(id) {
                            burst.relinked.insert(id);
                        }
                        burst.keep(&made, id, row);
                    }
                }
                Change::Remove { row } => {
                    if let Some(id) = id(row) {
                        burst.is.remove(&id);
                        burst.relinked.remove(&id);
                        burst.keep(&made, id, row);
                    }
                }
                Change::Rights { .. } => {}
            }
        }
        burst
    }

    /// Keeps the oldest known columns of a row, and its oldest known links; a row created in this burst had none.
    fn keep(&mut self, made: &BTreeSet<i64>, id: i64, row: &Json) {
        if made.contains(&id) {
            return;
        }
        let was = self.was.entry(id).or_insert_with(|| json!({}));
        if let (Json::Object(was), Json::Object(row)) = (was, row) {
            for (name, value) in row {
                was.entry(name).or_insert_with(|| value.clone());
            }
        }
    }

    /// Whether the burst changed the row with this id.
    fn names(&self, id: i64) -> bool {
        self.was.contains_key(&id) || self.is.contains(&id)
    }
}

impl ModelStream {
    /// The events for a burst of notifications: `create` for rows that the caller sees from now on, `update` for rows still visible, and last
    /// `remove` for rows no longer visible, because the row or the caller's rights changed. `None` means that the stream must end. A failed look-up
    /// is logged, and its rows get no event.
    async fn events(&mut self, changes: &[Arc<TableChange>]) -> Option<Vec<Json>> {
        let burst = Burst::from_changes(changes);
        let rows: Vec<Json> = burst.was.values().cloned().collect();
        let mut before = BTreeSet::new();
        if !rows.is_empty() {
            before.extend(
                self.ids_seen_before(rows)
                    .await
                    .unwrap_or_else(|failure| missed(&failure)),
            );
        }
        let mut now = burst.is.clone();
        if changes.iter().any(|change| self.concerns(&change.change)) {
            match self.reload_rights().await {
                Ok(Some((lost, given))) => {
                    // A row that changed itself is already compared by its own columns.
                    before.extend(lost.into_iter().filter(|id| !burst.names(*id)));
                    now.extend(given.into_iter().filter(|id| !burst.names(*id)));
                }
                Ok(None) => return None,
                // The old rights may be gone: send nothing more.
                Err(failure) => {
                    failure.log();
                    return None;
                }
            }
        }
        for (id, is_visible) in &self.said {
            if *is_visible && burst.names(*id) {
                before.insert(*id);
            } else if !is_visible {
                before.remove(id);
            }
        }
        let mut events = Vec::new();
        let ids: Vec<i64> = now.into_iter().collect();
        for ids in ids.chunks(usize::try_from(MAX_ROWS).unwrap_or(usize::MAX)) {
            let rows = match self.rows(ids).await {
                Ok(rows) => rows,
                Err(failure) => {
                    // Whether they left sight is not known.
                    before.retain(|id| !ids.contains(id));
                    self.said.retain(|id, _| !ids.contains(id));
                    missed(&failure)
                }
            };
            self.remember(rows.iter().filter_map(|row| row.get("id").and_then(Json::as_i64)), true);
            events.extend(rows.into_iter().filter_map(|row| {
                let id = row.get("id").cloned()?;
                let number = id.as_i64()?;
                let kind = match (before.remove(&number), burst.relinked.contains(&number)) {
                    (true, true) => return None,
                    (true, false) => "update",
                    (false, _) => "create",
                };
                Some(json!({ "target": id, "data": row, "type": kind }))
            }));
        }
        self.remember(before.iter().copied(), false);
        events.extend(
            before
                .into_iter()
                .map(|id| json!({ "target": id, "where": { "id": id }, "type": "remove" })),
        );
        Some(events)
    }

    /// Remembers what is said of rows.
    fn remember(&mut self, ids: impl Iterator<Item = i64>, is_visible: bool) {
        if self.said.len() > MOST_REMEMBERED {
            self.said.clear();
        }
        self.said.extend(ids.map(|id| (id, is_visible)));
    }

    /// Whether this change may have changed the caller's own rights: it names the user or the user's company account.
    fn concerns(&self, change: &Change) -> bool {
        let Change::Rights { company, user } = change else {
            return false;
        };
        let reader = &self.call.caller.user;
        *user == Some(reader.id) || (company.is_some() && *company == reader.company.as_ref().map(|company| company.id))
    }

    /// Replaces the caller by one with the present rights, and returns the ids of rows that are no longer visible and of those that are now. `None`
    /// ends the stream: the session or the right to read is gone, or the scope of Sems changed, so that the client reads the list again.
    async fn reload_rights(&mut self) -> Result<Option<(Vec<i64>, Vec<i64>)>, ApiError> {
        let Some(caller) = self.call.caller.reloaded(&self.call.state).await? else {
            return Ok(None);
        };
        let former = std::mem::replace(&mut self.call.caller, caller).scope;
        if self.call.check_rights(self.model, &[Permission::Read]).is_err() {
            return Ok(None);
        }
        let scope = &self.call.caller.scope;
        if *scope == former {
            return Ok(Some((Vec::new(), Vec::new())));
        }
        if self.model.store == RowStore::Analytics {
            return Ok(None);
        }
        let mut connection = self
            .call
            .state
            .postgres
            .acquire()
            .await
            .map_err(postgres::Error::from)?;
        let condition = rows::settle(&mut connection, &former, self.model, self.condition.clone()).await?;
        let lost = rows::seen_by_first_only(&mut *connection, (&former, scope), self.model, &condition).await?;
        let condition = rows::settle(&mut connection, scope, self.model, self.condition.clone()).await?;
        let given = rows::seen_by_first_only(&mut *connection, (scope, &former), self.model, &condition).await?;
        Ok(Some((lost, given)))
    }

    /// The rows with these ids, at most `MAX_ROWS`, as they are now; without those that the caller does not see or that do not meet the condition.
    async fn rows(&self, ids: &[i64]) -> Result<Vec<Json>, ApiError> {
        let these = ValueTest::OneOf(ids.iter().copied().map(Value::Whole).collect());
        let filter = Filter {
            limit: MAX_ROWS,
            ..Filter::from_condition(Condition::test(self.model.id(), these).and(self.condition.clone()))
        };
        let found = store::find(&self.call, self.model, ReachedFrom::Anywhere, filter).await?;
        Ok(found.iter().map(super::Row::json).collect())
    }

    /// The ids of those rows, given by their columns before a change, that the caller saw and that met the condition of the stream. Sems are not
    /// tested against it: an administrator gets all of them, any other caller those whose term is visible now.
    async fn ids_seen_before(&self, was: Vec<Json>) -> Result<Vec<i64>, ApiError> {
        let (call, scope) = (&self.call, &self.call.caller.scope);
        let id = |row: &Json| row.get("id").and_then(Json::as_i64);
        match self.model.store {
            RowStore::Postgres => {
                let mut connection = call.state.postgres.acquire().await.map_err(postgres::Error::from)?;
                let condition =
                    rows::settle_for(&mut connection, scope, &was, self.model, self.condition.clone()).await?;
                Ok(rows::seen_before_change(&mut *connection, scope, self.model, &was, &condition).await?)
            }
            RowStore::Analytics if scope.administers() => Ok(was.iter().filter_map(id).collect()),
            RowStore::Analytics => {
                let term = |row: &Json| row.get("termId").and_then(Json::as_i64);
                let terms: BTreeSet<i64> = was.iter().filter_map(term).collect();
                let these = ValueTest::OneOf(terms.into_iter().map(Value::Whole).collect());
                let filter = Filter {
                    limit: MAX_ROWS,
                    ..Filter::from_condition(Condition::test(TERM.id(), these))
                };
                let rows = store::find(call, &TERM, ReachedFrom::Anywhere, filter).await?;
                let visible_terms: BTreeSet<i64> = rows.iter().filter_map(|row| id(&row.json())).collect();
                let visible = was
                    .iter()
                    .filter(|row| term(row).is_some_and(|term| visible_terms.contains(&term)));
                Ok(visible.filter_map(id).collect())
            }
        }
    }
}

/// Logs a failed look-up and returns nothing in its place: the client misses a refresh.
fn missed<T: Default>(failure: &ApiError) -> T {
    failure.log();
    T::default()
}
