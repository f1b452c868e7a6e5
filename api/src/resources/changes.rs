//! Changes as they happen: told after the commit, heard by every process, shown to who may read the row (decision D162). A lost one is a
//! missed refresh, never lost data.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::response::sse::{Event as Message, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::{StreamExt, stream};
use records::resources::Within;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use vocabulary::UserId;
use vocabulary::resources::{Condition, Model, Usage};

use super::call::{Call, Id};
use super::{arguments, store, write};
use crate::failure::Failure;
use crate::state::ApiState;

const TOPIC: &str = "resource-changes";
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

/// What happened to a row.
#[derive(Clone, Debug)]
pub(super) enum Happening {
    Create(Json),
    Update(Json),
    Remove,
}

/// A change of a row, as processes tell each other.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Event {
    model: String,
    target: Json,
    #[serde(rename = "type")]
    kind: String,
    data: Option<Json>,
}

impl Event {
    pub(super) fn of(model: &Model, happening: Happening, target: Json) -> Self {
        let (kind, data) = match happening {
            Happening::Create(data) => ("create", Some(data)),
            Happening::Update(data) => ("update", Some(data)),
            Happening::Remove => ("remove", None),
        };
        Self {
            model: model.name.to_owned(),
            target,
            kind: kind.to_owned(),
            data,
        }
    }

    /// Tells every process.
    pub(super) async fn tell(self, state: &ApiState) {
        if let Ok(text) = serde_json::to_string(&self) {
            state.coordination.announce(TOPIC, text).await;
        }
    }

    fn shown(self) -> Json {
        match self.data {
            Some(data) => json!({ "target": self.target, "data": data, "type": self.kind }),
            None => json!({ "target": self.target, "where": { "id": self.target }, "type": self.kind }),
        }
    }
}

/// `/X/change-stream`: the changes of rows that the reader sees and that meet `options.where`.
pub(super) async fn stream(call: Call, model: &'static Model) -> Result<Response, Failure> {
    let options = arguments::object(&call.pairs, "options")?;
    let condition = Condition::parse(model, options.get("where").unwrap_or(&Json::Null), Usage::Read)?;
    let place = Place::take(call.caller.user.id)?;
    let heard = call.state.coordination.listen(TOPIC).await;
    let shown = heard.filter_map({
        let call = std::sync::Arc::new(call);
        move |text| {
            let (call, condition) = (std::sync::Arc::clone(&call), condition.clone());
            async move {
                let event: Event = serde_json::from_str(&text).ok()?;
                if event.model != model.name || !is_seen(&call, model, &event, condition).await {
                    return None;
                }
                Some(Message::default().event("data").data(event.shown().to_string()))
            }
        }
    });
    let messages = stream::once(std::future::ready(Message::default().comment("ok")))
        .chain(shown)
        .map(move |message| {
            let _held = &place;
            Ok::<_, Infallible>(message)
        })
        .take_until(tokio::time::sleep(LONGEST));
    Ok(Sse::new(messages)
        .keep_alive(KeepAlive::new().interval(HEARTBEAT))
        .into_response())
}

/// A row that is gone cannot be looked at any more: its end is shown only to who saw every row.
async fn is_seen(call: &Call, model: &'static Model, event: &Event, condition: Condition) -> bool {
    if event.data.is_none() {
        return call.caller.scope.administers();
    }
    let id = Id::of_json(model, &event.target);
    let condition = Condition::test(model.id(), write::by(&id)).and(condition);
    store::count(call, model, Within::Anywhere, condition)
        .await
        .is_ok_and(|count| count > 0)
}
