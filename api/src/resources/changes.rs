//! Changes as they happen: told by Postgres after the commit, whoever made them, heard by every process, shown to who may read the row
//! (decision D162). A lost one is a missed refresh, never lost data.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::response::sse::{Event as Message, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::{StreamExt, stream};
use records::changes::{self, Change, Told};
use records::resources::{self as rows, Within};
use serde_json::{Value as Json, json};
use tokio::sync::broadcast::{self, error::RecvError};
use tokio::task::JoinHandle;
use vocabulary::UserId;
use vocabulary::resources::models::TERM;
use vocabulary::resources::{Condition, Filter, MAX_ROWS, Model, Store, Test, Usage, Value};

use super::call::{Call, Id};
use super::{arguments, store};
use crate::failure::Failure;
use crate::state::ApiState;

/// What a slow stream may be behind before it misses some.
const BACKLOG: usize = 1_024;
/// What is told in a burst is looked up together.
const AT_ONCE: usize = 64;
const HEARTBEAT: Duration = Duration::from_secs(15);
/// A stream ends after this, so that rights that were lost end with it; clients open the next by themselves.
const LONGEST: Duration = Duration::from_mins(15);
/// Streams one user may hold open with a process: some tabs with some lists each. Every one costs a look at the store for every change.
const MOST_OF_USER: usize = 12;
/// How soon somebody who has too many may try again.
const TRY_AGAIN: Duration = Duration::from_secs(30);

/// Open streams by user.
static OPEN: Mutex<BTreeMap<UserId, usize>> = Mutex::new(BTreeMap::new());

/// A place among the open streams of a user, given back when dropped.
struct Place(UserId);

impl Place {
    fn take(user: UserId) -> Result<Self, Failure> {
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        let count = open.entry(user).or_default();
        if *count >= MOST_OF_USER {
            return Err(Failure::Throttled(TRY_AGAIN));
        }
        *count += 1;
        Ok(Self(user))
    }
}

impl Drop for Place {
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

/// What Postgres tells of changes, heard once for all streams of a process.
#[derive(Clone, Debug)]
pub struct Changes {
    heard: broadcast::Sender<Arc<Told>>,
    ear: Arc<tokio::sync::Mutex<Option<JoinHandle<()>>>>,
}

impl Default for Changes {
    fn default() -> Self {
        Self {
            heard: broadcast::channel(BACKLOG).0,
            ear: Arc::default(),
        }
    }
}

impl Changes {
    /// What is told from now on.
    async fn listen(&self, pool: &records::Pool) -> Result<broadcast::Receiver<Arc<Told>>, Failure> {
        let mut ear = self.ear.lock().await;
        if ear.as_ref().is_none_or(JoinHandle::is_finished) {
            let told = changes::listen(pool).await?;
            let heard = self.heard.clone();
            *ear = Some(tokio::spawn(async move {
                let mut told = std::pin::pin!(told);
                while let Some(told) = told.next().await {
                    match told {
                        // Fails when nobody listens.
                        Ok(told) => drop(heard.send(Arc::new(told))),
                        // The next stream begins to listen again.
                        Err(error) => return tracing::warn!(%error, "changes are not heard any more"),
                    }
                }
            }));
        }
        Ok(self.heard.subscribe())
    }
}

/// Tells of Sems that a call made, changed or deleted. Their change stands whether it is told or not.
pub(super) async fn tell_of_sems(state: &ApiState, change: Change) {
    if let Err(error) = changes::tell(&state.records, changes::SEMS, change).await {
        tracing::warn!(%error, "a change of Sems is not told");
    }
}

/// A stream of one reader.
struct Reading {
    call: Call,
    model: &'static Model,
    condition: Condition,
}

/// `/X/change-stream`: the changes of rows that the reader sees and that meet `options.where`.
pub(super) async fn stream(call: Call, model: &'static Model) -> Result<Response, Failure> {
    let options = arguments::object(&call.pairs, "options")?;
    let condition = Condition::parse(model, options.get("where").unwrap_or(&Json::Null), Usage::Read)?;
    let place = Place::take(call.caller.user.id)?;
    let heard = call.state.changes.listen(&call.state.records).await?;
    let told = stream::unfold(heard, |mut heard| async move {
        loop {
            match heard.recv().await {
                Ok(told) => return Some((told, heard)),
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return None,
            }
        }
    });
    let of_model = told.filter(move |told| std::future::ready(told.table == model.table));
    let reading = Arc::new(Reading { call, model, condition });
    let shown = of_model.ready_chunks(AT_ONCE).then(move |told| {
        let reading = Arc::clone(&reading);
        async move { stream::iter(reading.events(&told).await) }
    });
    let messages = stream::once(std::future::ready(Message::default().comment("ok")))
        .chain(
            shown
                .flatten()
                .map(|event| Message::default().event("data").data(event.to_string())),
        )
        .map(move |message| {
            let _held = &place;
            Ok::<_, Infallible>(message)
        })
        .take_until(tokio::time::sleep(LONGEST));
    Ok(Sse::new(messages)
        .keep_alive(KeepAlive::new().interval(HEARTBEAT))
        .into_response())
}

impl Reading {
    /// What the reader is shown of it. What cannot be looked up is a missed refresh.
    async fn events(&self, told: &[Arc<Told>]) -> Vec<Json> {
        let mut kinds = BTreeMap::new();
        let mut events = Vec::new();
        for told in told {
            match &told.change {
                Change::Create { ids } => kinds.extend(ids.iter().map(|id| (*id, "create"))),
                Change::Update { ids } => {
                    for id in ids {
                        kinds.entry(*id).or_insert("update");
                    }
                }
                Change::Remove { row } => {
                    let id = row.get("id").cloned().unwrap_or_default();
                    if let Some(id) = id.as_i64() {
                        kinds.remove(&id);
                    }
                    if self.saw(row).await.unwrap_or_else(|failure| missed(&failure)) {
                        events.push(json!({ "target": id, "where": { "id": id }, "type": "remove" }));
                    }
                }
            }
        }
        let ids: Vec<i64> = kinds.keys().copied().collect();
        for ids in ids.chunks(usize::try_from(MAX_ROWS).unwrap_or(usize::MAX)) {
            let rows = self.rows(ids).await.unwrap_or_else(|failure| missed(&failure));
            events.extend(rows.into_iter().filter_map(|row| {
                let id = row.get("id").cloned()?;
                let kind = kinds.get(&id.as_i64()?)?;
                Some(json!({ "target": id, "data": row, "type": kind }))
            }));
        }
        events
    }

    /// Those of the rows that the reader sees and that meet the condition, as they are now.
    async fn rows(&self, ids: &[i64]) -> Result<Vec<Json>, Failure> {
        let these = Test::OneOf(ids.iter().copied().map(Value::Whole).collect());
        let filter = Filter {
            limit: MAX_ROWS,
            ..Filter::of(Condition::test(self.model.id(), these).and(self.condition.clone()))
        };
        let found = store::find(&self.call, self.model, Within::Anywhere, filter).await?;
        Ok(found.iter().map(super::Row::json).collect())
    }

    /// Whether the reader saw a row that is gone. Of a Sem only its term is known to Postgres.
    async fn saw(&self, row: &Json) -> Result<bool, Failure> {
        let (call, scope) = (&self.call, &self.call.caller.scope);
        match self.model.store {
            Store::Postgres => {
                let mut connection = call.state.records.acquire().await.map_err(records::Error::from)?;
                let condition = rows::settle(&mut connection, scope, self.model, self.condition.clone()).await?;
                Ok(rows::saw(&mut *connection, scope, self.model, row, &condition).await?)
            }
            Store::Analytics if scope.administers() => Ok(true),
            Store::Analytics => match row.get("termId").and_then(Json::as_i64) {
                Some(term) => store::exists(call, &TERM, &Id::known(Value::Whole(term))).await,
                None => Ok(false),
            },
        }
    }
}

fn missed<T: Default>(failure: &Failure) -> T {
    failure.log();
    T::default()
}
