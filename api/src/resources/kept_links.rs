//! Links that an operation made or ended, and cases that it set aside by them: they are kept, so that its author can take them back with all else it did.

use std::collections::{BTreeMap, BTreeSet};

use axum::http::StatusCode;
use postgres::actions::events;
use postgres::audit::Event;
use postgres::kept_changes::{self, KeptChange, Operation, TakenChange};
use postgres::resources::{self as rows, ReachedFrom};
use serde_json::{Value as Json, json};
use vocabulary::resources::models::{ACTION, DEALER, TERM};
use vocabulary::resources::{Condition, Join, Link, Model, Relation, Value, ValueTest};
use vocabulary::{ActionId, ActionStatus};

use super::call::Call;
use super::trail::AuditTrail;
use crate::failure::ApiError;

/// The relations whose links can be made and ended for many rows at once, and be undone: the tags of terms and advertisers, and who may see a term.
const UNDONE: [(&Model, &str); 3] = [(&TERM, "categories"), (&TERM, "canBeAccessBy"), (&DEALER, "categories")];

/// The rows of one join that an operation changed, by their ids.
#[derive(Debug, Default)]
struct ChangedLinks {
    /// Those it made.
    made: BTreeMap<i32, Json>,
    /// Those it ended.
    ended: BTreeMap<i32, Json>,
}

/// A relation and its join, with the names of the keys of its own and of the other row.
#[derive(Clone, Copy)]
struct Joined {
    model: &'static Model,
    relation: &'static Relation,
    join: &'static Join,
    own: &'static str,
    other: &'static str,
}

impl Joined {
    /// The relation of a model by its name; `None` unless a join makes it.
    fn find((model, name): (&'static Model, &str)) -> Option<Self> {
        let relation = model.relation(name)?;
        let Link::Through { join, own, other } = relation.link else {
            return None;
        };
        Some(Self {
            model,
            relation,
            join,
            own,
            other,
        })
    }

    /// All that can be undone.
    fn all() -> impl Iterator<Item = Self> {
        UNDONE.into_iter().filter_map(Self::find)
    }

    /// The ids of the two rows that a row of the join links, the own one first; `None` for an empty object.
    fn ends(&self, link: &Json) -> Option<(i64, i64)> {
        let id = |key: &str| link.get(self.join.key(key).column).and_then(Json::as_i64);
        Some((id(self.own)?, id(self.other)?))
    }
}

/// Keeps links that were made, and such as were ended, as the rows of their join, so that they can be undone, in the transaction that changed them. Without
/// the name of an operation, and for links that cannot be undone, nothing is kept.
pub(super) async fn keep_changed<'r>(
    connection: &mut postgres::Connection,
    call: &Call,
    join: &'static Join,
    made: impl IntoIterator<Item = &'r Json>,
    ended: impl IntoIterator<Item = &'r Json>,
) -> Result<(), ApiError> {
    let made = made
        .into_iter()
        .filter_map(|row| kept(join, row, (json!({}), row.clone())));
    let ended = ended
        .into_iter()
        .filter_map(|row| kept(join, row, (row.clone(), json!({}))));
    if Joined::all().all(|joined| joined.join.name != join.name) {
        return Ok(());
    }
    let changes: Vec<KeptChange> = ended.chain(made).collect();
    keep(connection, call, &changes).await
}

/// The change of a row of a join: what it was before and is after, an empty object where it was or is not there. `None` for a row without an id.
fn kept(join: &Join, row: &Json, (before, after): (Json, Json)) -> Option<KeptChange> {
    Some(KeptChange {
        model: join.name.to_owned(),
        row: i32::try_from(row.get("id")?.as_i64()?).ok()?,
        before,
        after,
    })
}

/// Keeps what the operation of a call replaced; nothing where the call has no name of an operation.
pub(super) async fn keep(
    connection: &mut postgres::Connection,
    call: &Call,
    changes: &[KeptChange],
) -> Result<(), ApiError> {
    let Some(name) = call.operation()? else {
        return Ok(());
    };
    let author = call.caller.audit_actor();
    let operation = Operation { author: &author, name };
    Ok(kept_changes::keep(connection, operation, call.state.clock.now(), changes).await?)
}

/// Ends the links that an operation made and restores those that it ended, and writes the audit log. Returns how many they are. A conflict when one of
/// them was changed since, or a row that it links is gone or out of the caller's reach; `Forbidden` where the caller may not link such rows any more.
pub(super) async fn put_back(
    transaction: &mut postgres::Tx,
    call: &Call,
    taken: &[TakenChange],
) -> Result<usize, ApiError> {
    let mut undone = 0;
    for joined in Joined::all() {
        let ChangedLinks { made, ended } = changed_links(taken, joined.join);
        if made.is_empty() && ended.is_empty() {
            continue;
        }
        if !joined.relation.linked_by_all && !call.caller.scope.administers() {
            return Err(ApiError::Forbidden);
        }
        check_reach(transaction, call, joined, made.values().chain(ended.values())).await?;
        let scope = &call.caller.scope;
        let ids: Vec<i32> = made.keys().copied().collect();
        let parted = rows::end_links(&mut **transaction, scope, joined.join, &ids).await?;
        let restored = rows::restore_links(transaction, scope, joined.join, &ended).await;
        let restored = restored.map_err(|error| {
            if error.violates_reference() {
                changed_meanwhile()
            } else {
                error.into()
            }
        })?;
        if (parted, restored) != (made.len(), ended.len()) {
            return Err(changed_meanwhile());
        }
        let mut trail = AuditTrail::new(call, joined.model);
        for (event, links) in [(Event::Unlink, &made), (Event::Link, &ended)] {
            for (own, other) in links.values().filter_map(|link| joined.ends(link)) {
                trail.linked_or_unlinked(event, own, joined.relation, other);
            }
        }
        trail.store(&mut **transaction).await?;
        undone += parted + restored;
    }
    Ok(undone)
}

/// The rows of a join that an operation left made or ended; those that it both made and ended are left out.
fn changed_links(taken: &[TakenChange], join: &Join) -> ChangedLinks {
    let mut links = ChangedLinks::default();
    for TakenChange { change, .. } in taken.iter().filter(|taken| taken.change.model == join.name) {
        let is_there = change.after.get("id").is_some();
        let (to, from, row) = if is_there {
            (&mut links.made, &mut links.ended, &change.after)
        } else {
            (&mut links.ended, &mut links.made, &change.before)
        };
        if from.remove(&change.row).is_none() {
            to.insert(change.row, row.clone());
        }
    }
    links
}

/// Refuses, with a conflict, links of rows that are gone or that the caller does not see.
async fn check_reach<'l>(
    transaction: &mut postgres::Tx,
    call: &Call,
    joined: Joined,
    links: impl Iterator<Item = &'l Json>,
) -> Result<(), ApiError> {
    let (own, other): (BTreeSet<i64>, BTreeSet<i64>) = links.filter_map(|link| joined.ends(link)).unzip();
    for (model, ids) in [(joined.model, own), (joined.relation.target, other)] {
        let all = these(model, ids.iter().filter_map(|id| i32::try_from(*id).ok()));
        let scope = &call.caller.scope;
        let seen = rows::count(&mut **transaction, scope, model, ReachedFrom::Anywhere, &all).await?;
        if usize::try_from(seen) != Ok(ids.len()) {
            return Err(changed_meanwhile());
        }
    }
    Ok(())
}

/// Keeps which cases became ignored, so that they can be taken back with the link that did it, in the transaction that did. Without the name of an operation
/// nothing is kept.
pub(super) async fn keep_set_aside(
    connection: &mut postgres::Connection,
    call: &Call,
    set_aside: &[(ActionId, ActionStatus)],
) -> Result<(), ApiError> {
    let kept = set_aside.iter().map(|(id, was)| KeptChange {
        model: ACTION.name.to_owned(),
        row: id.0,
        before: json!({ "status": was }),
        after: json!({ "status": ActionStatus::Ignored }),
    });
    keep(connection, call, &kept.collect::<Vec<_>>()).await
}

/// Gives the cases that an operation set to ignored their status back, and returns how many they are. A conflict when one of them is no longer ignored.
pub(super) async fn put_back_cases(
    transaction: &mut postgres::Tx,
    call: &Call,
    taken: &[TakenChange],
) -> Result<usize, ApiError> {
    let of_cases = taken.iter().filter(|taken| taken.change.model == ACTION.name);
    let aside: Vec<(ActionId, ActionStatus)> = of_cases
        .filter_map(|taken| {
            let was = taken.change.before.get("status")?;
            Some((ActionId(taken.change.row), serde_json::from_value(was.clone()).ok()?))
        })
        .collect();
    if aside.is_empty() {
        return Ok(0);
    }
    let now = call.state.clock.now();
    if events::take_back(transaction, &call.caller.scope, &aside, now).await? {
        Ok(aside.len())
    } else {
        Err(changed_meanwhile())
    }
}

/// The condition that a row has one of these ids.
pub(super) fn these(model: &'static Model, ids: impl Iterator<Item = i32>) -> Condition {
    let ids = ids.map(|id| Value::Whole(id.into())).collect();
    Condition::test(model.id(), ValueTest::OneOf(ids))
}

/// The refusal to undo what somebody has changed since.
pub(super) fn changed_meanwhile() -> ApiError {
    let text = "Somebody has changed the same since; nothing was undone.";
    ApiError::Coded(StatusCode::CONFLICT, "CHANGED_MEANWHILE", text.to_owned())
}
