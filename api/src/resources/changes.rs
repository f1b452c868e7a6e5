//! Change streams (decision D162): Postgres notifies every process of each committed change, and a stream passes on those of rows its reader may
//! see. A lost notification is a missed refresh, never lost data.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::response::sse::{Event as Message, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::{StreamExt, stream};
use postgres::changes::Change;
use postgres::resources::{self as rows, ReachedFrom};
use serde_json::{Value as Json, json};
use tokio::sync::{Semaphore, mpsc};
use tokio_util::task::AbortOnDropHandle;
use vocabulary::resources::models::TERM;
use vocabulary::resources::rights::Permission;
use vocabulary::resources::{Condition, Filter, MAX_ROWS, Model, RowStore, Usage, Value, ValueTest, Visibility};
use vocabulary::{BrandId, SystemScope, UserId};

use super::call::Call;
use super::{arguments, store};
use crate::changes::{Burst, ChangeBatch, RowSight, SeenRows};
use crate::failure::ApiError;

const HEARTBEAT: Duration = Duration::from_secs(15);
/// A stream ends after this, so that a session that is over ends with it; clients open the next by themselves.
const LONGEST: Duration = Duration::from_mins(15);
/// Streams one user may hold open with a process: some tabs with some lists each.
const MOST_OF_USER: usize = 12;
/// Rows of which a stream remembers what it said last; then it begins to do so again.
const MOST_REMEMBERED: usize = 10_000;
/// How soon somebody who has too many may try again.
const TRY_AGAIN: Duration = Duration::from_secs(30);

/// How long a client may leave events unread before its stream ends. Until then the changes behind them stay in memory.
const MOST_UNREAD: Duration = Duration::from_secs(30);
/// Look-ups for streams in Postgres at a time: lists do not wait for them.
static LOOK_UPS: Semaphore = Semaphore::const_new(2);
/// The same in ClickHouse, where nothing is shared.
static LOOK_UPS_OF_ADS: Semaphore = Semaphore::const_new(1);
/// Brands are looked up once for all readers.
const SCOPE: SystemScope = SystemScope::new("brands of changed rows");

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
    is_on_links: bool,
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
    let mut heard = call.state.changes.listen(&call.state.direct).await?;
    let is_on_links = condition.is_on_links();
    let mut reading = ModelStream {
        call,
        model,
        condition,
        is_on_links,
        said: BTreeMap::new(),
    };
    let (sender, receiver) = mpsc::channel(1);
    let reading = async move {
        // A stream that is too far behind has missed changes. It ends, and its client opens the next and reads its list again.
        while let Ok(batch) = heard.recv().await {
            let Some(events) = reading.events(&batch).await else {
                return;
            };
            if !events.is_empty() && sender.send_timeout(events, MOST_UNREAD).await.is_err() {
                return;
            }
        }
    };
    // In a task of its own, since the body of a response is not polled while its client does not read: other streams may wait for this look-up.
    let work = AbortOnDropHandle::new(tokio::spawn(tokio::time::timeout(LONGEST, reading)));
    let events = stream::unfold(receiver, |mut receiver| async move {
        Some((stream::iter(receiver.recv().await?), receiver))
    });
    let messages = stream::once(std::future::ready(Message::default().comment("ok")))
        .chain(
            events
                .flatten()
                .map(|event| Message::default().event("data").data(event)),
        )
        .map(move |message| {
            let _held = (&permit, &work);
            Ok::<_, Infallible>(message)
        });
    Ok(Sse::new(messages)
        .keep_alive(KeepAlive::new().interval(HEARTBEAT))
        .into_response())
}

impl ModelStream {
    /// The events for a batch of changes: `create` for rows that the caller sees from now on, `update` for rows still visible, and last
    /// `remove` for rows no longer visible, because the row or the caller's rights changed. `None` means that the stream must end. A failed look-up
    /// is logged: rows that cannot be read get no event, and those of which it is not known whether they were visible count as new.
    async fn events(&mut self, batch: &ChangeBatch) -> Option<Vec<String>> {
        let burst = batch.burst(self.model.table, self.is_on_links);
        let seen = if batch.rights().any(|change| self.concerns(change)) {
            Arc::new(Box::pin(self.seen_with_new_rights(&burst)).await?)
        } else if burst.is_empty() {
            return Some(Vec::new());
        } else if self.model.store == RowStore::Postgres {
            let sight = RowSight {
                scope: self.call.caller.scope.clone(),
                model: self.model,
                condition: self.condition.clone(),
            };
            let look_up = Box::pin(self.seen(&burst));
            burst.seen.look_up_once(sight, look_up).await
        } else {
            Arc::new(Box::pin(self.seen(&burst)).await)
        };
        Some(self.told(&burst, &seen))
    }

    /// What the caller sees of changed rows, by the rights that they have all along.
    async fn seen(&self, burst: &Burst) -> SeenRows {
        let has_brands = self.model.sight == Visibility::OfBrand && self.model.store == RowStore::Postgres;
        let (was, is) = if has_brands {
            burst
                .of_brands(&self.call.caller.scope, |ids| self.brands_now(ids))
                .await
        } else {
            burst.whole()
        };
        let before = self.before(was).await;
        let (now, unread) = self.now(&is).await;
        SeenRows { before, now, unread }
    }

    /// What the caller sees of changed rows, and which other rows a change of rights gives or takes. `None` means that the stream must end.
    async fn seen_with_new_rights(&mut self, burst: &Burst) -> Option<SeenRows> {
        let (was, mut is) = burst.whole();
        let mut before = self.before(was).await;
        let (lost, given) = match self.reload_rights().await {
            Ok(rows) => rows?,
            // The old rights may be gone: send nothing more.
            Err(failure) => {
                failure.log();
                return None;
            }
        };
        // A row that changed itself is already compared by its own columns.
        before.extend(lost.into_iter().filter(|id| !burst.names(*id)));
        is.extend(given.into_iter().filter(|id| !burst.names(*id)));
        let (now, unread) = self.now(&is).await;
        Some(SeenRows { before, now, unread })
    }

    /// The events for what is seen of changed rows, by what was said of these before.
    fn told(&mut self, burst: &Burst, seen: &SeenRows) -> Vec<String> {
        let SeenRows { before, now, unread } = seen;
        let mut before = before.clone();
        before.extend(burst.ids().filter(|id| self.said.get(id) == Some(&true)));
        before.retain(|id| self.said.get(id) != Some(&false));
        if !unread.is_empty() {
            // Whether they left sight is not known.
            before.retain(|id| !unread.contains(id));
            self.said.retain(|id, _| !unread.contains(id));
        }
        self.remember(now.iter().map(|(id, _)| *id), true);
        let mut events: Vec<String> = now
            .iter()
            .filter_map(|(id, row)| {
                let kind = match (before.remove(id), burst.is_relinked(*id)) {
                    (true, true) => return None,
                    (true, false) => "update",
                    (false, _) => "create",
                };
                Some(format!(r#"{{"data":{row},"target":{id},"type":"{kind}"}}"#))
            })
            .collect();
        self.remember(before.iter().copied(), false);
        events.extend(
            before
                .into_iter()
                .map(|id| json!({ "target": id, "where": { "id": id }, "type": "remove" }).to_string()),
        );
        events
    }

    /// The ids of those of some rows, given by their columns before a change, that were in sight. None if they cannot be looked up.
    async fn before(&self, was: Vec<Json>) -> BTreeSet<i64> {
        if was.is_empty() {
            return BTreeSet::new();
        }
        let _permit = self.look_ups().acquire().await;
        let ids = self
            .ids_seen_before(was)
            .await
            .unwrap_or_else(|failure| missed(&failure));
        ids.into_iter().collect()
    }

    /// The rows with these ids that are in sight, and the ids of those that could not be read.
    async fn now(&self, ids: &[i64]) -> (Vec<(i64, String)>, BTreeSet<i64>) {
        let (mut now, mut unread) = (Vec::new(), BTreeSet::new());
        for ids in ids.chunks(usize::try_from(MAX_ROWS).unwrap_or(usize::MAX)) {
            let _permit = self.look_ups().acquire().await;
            match self.rows(ids).await {
                Ok(rows) => now.extend(rows),
                Err(failure) => {
                    failure.log();
                    unread.extend(ids);
                }
            }
        }
        (now, unread)
    }

    /// The brands that rows have now; `None` if they cannot be looked up.
    async fn brands_now(&self, ids: Vec<i64>) -> Option<BTreeMap<i64, Option<BrandId>>> {
        let _permit = LOOK_UPS.acquire().await;
        let found = rows::brands_of(&self.call.state.postgres, &SCOPE, self.model, &ids).await;
        match found {
            Ok(brands) => Some(brands.into_iter().collect()),
            Err(error) => {
                ApiError::from(error).log();
                None
            }
        }
    }

    /// The permits to look something up in the store of the model.
    const fn look_ups(&self) -> &'static Semaphore {
        match self.model.store {
            RowStore::Postgres => &LOOK_UPS,
            RowStore::Analytics => &LOOK_UPS_OF_ADS,
        }
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
        let _permit = LOOK_UPS.acquire().await;
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

    /// The rows with these ids, at most `MAX_ROWS`, as they are now, each with its id and as the text of its JSON; without those that the caller does not see
    /// or that do not meet the condition.
    async fn rows(&self, ids: &[i64]) -> Result<Vec<(i64, String)>, ApiError> {
        let these = ValueTest::OneOf(ids.iter().copied().map(Value::Whole).collect());
        let filter = Filter {
            limit: MAX_ROWS,
            ..Filter::from_condition(Condition::test(self.model.id(), these).and(self.condition.clone()))
        };
        let found = store::find(&self.call, self.model, ReachedFrom::Anywhere, filter).await?;
        let with_id = |row: &super::Row| Some((row.get("id")?.as_i64()?, row.text().to_owned()));
        Ok(found.iter().filter_map(with_id).collect())
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
