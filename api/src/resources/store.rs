//! Which store a model is kept in, so that the rest of the engine need not know.

use analytics::resources as ads;
use postgres::actions::events;
use postgres::audit;
use postgres::resources::{self as rows, Assignment, FoundRow, ReachedFrom};
use serde_json::Value as Json;
use vocabulary::resources::models::{CATEGORY_DEALER, ROLE, USER_ACCOUNT};
use vocabulary::resources::{Condition, Filter, Join, Link, Model, Relation, RowStore, Value, ValueTest};
use vocabulary::{CategoryId, DealerId, UserId};

use super::call::{Call, Id};
use super::record::{self, RowValues, WriteKind};
use super::row::{MOST_BYTES, Row};
use super::sem_names;
use super::sems;
use super::trail::AuditTrail;
use super::{accounts, protected};
use crate::failure::ApiError;

/// The reads of a request, one after the other on the same connection: taking one from the pool and giving it back costs as much as what
/// is asked on it.
pub(super) struct ReadConnection<'a> {
    pub(super) call: &'a Call,
    connection: Option<postgres::PooledConnection>,
    /// Rows and bytes read so far.
    read: (usize, usize),
}

/// Rows that one answer holds at most, those that are included among them.
const MOST_READ: usize = 50_000;
/// Rows that one call changes at most: their trail is kept in the same transaction, and others wait for their locks.
const MOST_CHANGED: usize = 10_000;

impl<'a> ReadConnection<'a> {
    pub(super) const fn new(call: &'a Call) -> Self {
        Self::on(call, None)
    }

    /// On a connection that is there already.
    pub(super) const fn on(call: &'a Call, connection: Option<postgres::PooledConnection>) -> Self {
        Self {
            call,
            connection,
            read: (0, 0),
        }
    }

    /// The rows a filter asks for, within sight of the caller, and the ids that they are reached from.
    pub(super) async fn find(
        &mut self,
        model: &'static Model,
        within: ReachedFrom<'_>,
        mut filter: Filter,
    ) -> Result<Vec<(Option<String>, Row)>, ApiError> {
        if ids_out_of_range(within) {
            return Ok(Vec::new());
        }
        let Self {
            call,
            connection: held,
            read,
        } = self;
        let scope = &call.caller.scope;
        let found: Vec<(Option<String>, Row)> = match model.store {
            RowStore::Postgres => {
                let connection = match held {
                    Some(connection) => connection,
                    None => held.insert(connection(call).await?),
                };
                filter.condition = rows::settle(connection, scope, model, filter.condition).await?;
                let found = rows::find(&mut **connection, scope, model, within, &filter).await?;
                let rows = found
                    .into_iter()
                    .map(|FoundRow { origin, row }| (origin, Row::new(row)));
                rows.collect()
            }
            RowStore::Analytics => {
                // Others may have the connection as long as the other store takes.
                *held = None;
                filter.condition = sem_names::settle(call, filter.condition).await?;
                let found = ads::find(&call.state.analytics, scope, origin(within), &filter).await?;
                let rows = sem_names::complete(call, found).await?.into_iter();
                rows.map(|found| (found.origin, Row::new(found.row.to_string())))
                    .collect()
            }
        };
        read.0 += found.len();
        read.1 += found.iter().map(|(_, row)| row.text().len()).sum::<usize>();
        if read.0 > MOST_READ || read.1 > MOST_BYTES {
            return Err(ApiError::BadRequest(format!(
                "This asks for more than {MOST_READ} rows or {} MiB with what they include. Include less, or narrow it by a limit.",
                MOST_BYTES >> 20
            )));
        }
        Ok(found)
    }

    /// The row with this id, within sight of the caller.
    pub(super) async fn by_id(
        &mut self,
        model: &'static Model,
        id: &Id,
        mut filter: Filter,
    ) -> Result<Option<Row>, ApiError> {
        let Some(value) = possible(model, id) else {
            return Ok(None);
        };
        filter.condition = Condition::test(model.id(), ValueTest::Equals(value));
        filter.limit = 1;
        filter.skip = 0;
        let found = self.find(model, ReachedFrom::Anywhere, filter).await?.pop();
        Ok(found.map(|(_, row)| row))
    }
}

/// The rows a filter asks for, within sight of the caller.
pub(super) async fn find(
    call: &Call,
    model: &'static Model,
    within: ReachedFrom<'_>,
    filter: Filter,
) -> Result<Vec<Row>, ApiError> {
    let found = ReadConnection::new(call).find(model, within, filter).await?;
    Ok(found.into_iter().map(|(_, row)| row).collect())
}

/// How many rows meet a condition, within sight of the caller.
pub(super) async fn count(
    call: &Call,
    model: &'static Model,
    within: ReachedFrom<'_>,
    condition: Condition,
) -> Result<i64, ApiError> {
    if ids_out_of_range(within) {
        return Ok(0);
    }
    match model.store {
        RowStore::Postgres => {
            let mut connection = connection(call).await?;
            let condition = rows::settle(&mut connection, &call.caller.scope, model, condition).await?;
            Ok(rows::count(&mut *connection, &call.caller.scope, model, within, &condition).await?)
        }
        RowStore::Analytics => {
            let condition = sem_names::settle(call, condition).await?;
            Ok(ads::count(&call.state.analytics, &call.caller.scope, origin(within), &condition).await?)
        }
    }
}

/// Whether a condition holds for every row that the caller may change.
pub(super) async fn holds_for_all(call: &Call, model: &'static Model, condition: Condition) -> Result<bool, ApiError> {
    let scope = &call.caller.scope;
    match model.store {
        RowStore::Postgres => {
            let mut connection = connection(call).await?;
            let condition = rows::settle(&mut connection, scope, model, condition).await?;
            Ok(rows::holds_for_all(&mut *connection, scope, model, &condition).await?)
        }
        RowStore::Analytics => {
            let of_all = ads::count(&call.state.analytics, scope, None, &Condition::everything()).await?;
            let selected = ads::count(&call.state.analytics, scope, None, &condition).await?;
            Ok(of_all > 0 && selected >= of_all)
        }
    }
}

/// The row with this id, within sight of the caller.
pub(super) async fn by_id(
    call: &Call,
    model: &'static Model,
    id: &Id,
    filter: Filter,
) -> Result<Option<Json>, ApiError> {
    let row = ReadConnection::new(call).by_id(model, id, filter).await?;
    Ok(row.as_ref().map(Row::json))
}

/// Whether the caller sees a row with this id.
pub(super) async fn exists(call: &Call, model: &'static Model, id: &Id) -> Result<bool, ApiError> {
    match possible(model, id) {
        Some(value) => {
            let condition = Condition::test(model.id(), ValueTest::Equals(value));
            Ok(count(call, model, ReachedFrom::Anywhere, condition).await? > 0)
        }
        None => Ok(false),
    }
}

/// What new rows are joined with: the relation that they are made through, and the row at its other end.
#[derive(Clone, Copy)]
pub(super) struct Association {
    pub(super) model: &'static Model,
    pub(super) relation: &'static Relation,
    pub(super) own: i64,
}

/// Stores rows, all or none, joined with what they are tied to, and answers their ids. `None` for a row that is there already, where the
/// model skips such.
pub(super) async fn insert(
    call: &Call,
    model: &'static Model,
    list: &[RowValues],
    skip_duplicates: bool,
    tie: Option<Association>,
) -> Result<Vec<Option<i64>>, ApiError> {
    let scope = &call.caller.scope;
    let mut trail = AuditTrail::new(call, model);
    let mut ids = Vec::with_capacity(list.len());
    match model.store {
        RowStore::Postgres => {
            let mut transaction = begin(call).await?;
            for record in list {
                let values = &record.values;
                let made = rows::insert(&mut transaction, scope, model, values, skip_duplicates).await;
                let id = made.map_err(|error| record::refused(model, values, error))?;
                if let Some(id) = id {
                    rows::keep_history(&mut transaction, id, &record.history)
                        .await
                        .map_err(|error| record::refused(model, values, error))?;
                    trail.made(id, values);
                    if let Some(tie) = tie {
                        join_within(&mut transaction, call, tie, id).await?;
                    }
                    for (relation, others) in &record.links {
                        let tie = Association {
                            model,
                            relation,
                            own: id,
                        };
                        for other in others {
                            join_within(&mut transaction, call, tie, *other).await?;
                        }
                    }
                    accounts::mail_holder(&mut transaction, model, id, values, WriteKind::Create).await?;
                }
                ids.push(id);
            }
            trail.store(&mut *transaction).await?;
            commit(transaction).await?;
        }
        RowStore::Analytics => ids.extend(sems::insert(call, list).await?.into_iter().map(Some)),
    }
    Ok(ids)
}

/// Changes the rows that meet a condition and answers them as they are then. With no changes they are only read. The sessions of
/// `signed_out` end with the change, but for the one that asks.
pub(super) async fn update(
    call: &Call,
    model: &'static Model,
    within: ReachedFrom<'_>,
    condition: Condition,
    changes: &[Assignment],
    signed_out: Option<UserId>,
) -> Result<Vec<Json>, ApiError> {
    if changes.is_empty() {
        let filter = Filter {
            limit: vocabulary::resources::MAX_ROWS,
            ..Filter::from_condition(condition)
        };
        return Ok(find(call, model, within, filter).await?.iter().map(Row::json).collect());
    }
    if ids_out_of_range(within) {
        return Ok(Vec::new());
    }
    let scope = &call.caller.scope;
    let mut trail = AuditTrail::new(call, model);
    let rows = match model.store {
        RowStore::Postgres => {
            let mut transaction = begin(call).await?;
            let condition = rows::settle(&mut transaction, scope, model, condition).await?;
            let before = lock(&mut transaction, call, model, within, &condition).await?;
            protected::check_change(model, &before, changes)?;
            let rows = rows::update(&mut transaction, scope, model, within, &condition, changes)
                .await
                .map_err(|error| record::refused(model, changes, error))?;
            if model.name != USER_ACCOUNT.name {
                protected::check_administrator_left(&mut transaction, model).await?;
            }
            trail.changed(&before, &rows, changes);
            if let Some(user) = signed_out {
                postgres::tokens::revoke_all(&mut *transaction, user, Some(call.caller.session.id)).await?;
            }
            trail.store(&mut *transaction).await?;
            for id in rows.iter().filter_map(|row| row.get("id").and_then(Json::as_i64)) {
                accounts::mail_holder(&mut transaction, model, id, changes, WriteKind::Patch).await?;
            }
            commit(transaction).await?;
            rows
        }
        RowStore::Analytics => {
            let condition = sem_names::settle(call, condition).await?;
            sems::update(call, origin(within), &condition, changes).await?
        }
    };
    Ok(rows)
}

/// The rows that a change meets, as they are before it.
async fn lock(
    transaction: &mut postgres::Tx,
    call: &Call,
    model: &'static Model,
    within: ReachedFrom<'_>,
    condition: &Condition,
) -> Result<Vec<Json>, ApiError> {
    let before = rows::lock(
        transaction,
        &call.caller.scope,
        model,
        within,
        condition,
        MOST_CHANGED + 1,
    )
    .await?;
    if before.len() > MOST_CHANGED {
        return Err(ApiError::BadRequest(format!(
            "More than {MOST_CHANGED} rows meet this where. Change fewer at once, such as by ranges of ids."
        )));
    }
    Ok(before)
}

/// Deletes the rows that meet a condition and answers their ids.
pub(super) async fn remove(
    call: &Call,
    model: &'static Model,
    within: ReachedFrom<'_>,
    condition: Condition,
) -> Result<Vec<Json>, ApiError> {
    if ids_out_of_range(within) {
        return Ok(Vec::new());
    }
    let scope = &call.caller.scope;
    let mut trail = AuditTrail::new(call, model);
    let removed = match model.store {
        RowStore::Postgres => {
            let mut transaction = begin(call).await?;
            let condition = rows::settle(&mut transaction, scope, model, condition).await?;
            let before = lock(&mut transaction, call, model, within, &condition).await?;
            protected::check_removal(call, &mut transaction, model, &before).await?;
            let removed = rows::remove(&mut *transaction, scope, model, within, &condition)
                .await
                .map_err(|error| record::refused(model, &[], error))?;
            protected::check_administrator_left(&mut transaction, model).await?;
            trail.removed(&removed, &before);
            trail.store(&mut *transaction).await?;
            commit(transaction).await?;
            removed
        }
        RowStore::Analytics => {
            let condition = sem_names::settle(call, condition).await?;
            sems::remove(call, origin(within), &condition).await?
        }
    };
    Ok(removed)
}

/// Joins a row with another; answers the join, where it is a row of its own.
pub(super) async fn join(call: &Call, tie: Association, other: i64) -> Result<Option<Json>, ApiError> {
    let mut transaction = begin(call).await?;
    let joined = join_within(&mut transaction, call, tie, other).await?;
    commit(transaction).await?;
    Ok(joined)
}

async fn join_within(
    connection: &mut postgres::Connection,
    call: &Call,
    tie: Association,
    other: i64,
) -> Result<Option<Json>, ApiError> {
    let joined = match tie.relation.link {
        Link::Through { join, own, other: key } => {
            let scope = &call.caller.scope;
            let joined = rows::link(&mut *connection, scope, join, (own, tie.own), (key, other)).await?;
            if let Some((tag, dealer)) = tagged_dealer(join, [(own, tie.own), (key, other)]) {
                let now = call.state.clock.now();
                events::put_official_aside(&mut *connection, scope, tag, dealer, now).await?;
            }
            Some(joined)
        }
        Link::References { column } => {
            rows::keep_reference(&mut *connection, column, tie.own, other).await?;
            None
        }
        Link::HasMany { .. } | Link::BelongsTo { .. } => {
            return Err(ApiError::internal("this relation joins no rows"));
        }
    };
    note_join(connection, call, tie, audit::Event::Link, other).await?;
    Ok(joined)
}

/// The tag and the dealer that gets it, where this join gives one.
fn tagged_dealer(join: &Join, keys: [(&str, i64); 2]) -> Option<(CategoryId, DealerId)> {
    let id = |name: &str| {
        let (_, id) = keys.into_iter().find(|(key, _)| *key == name)?;
        i32::try_from(id).ok()
    };
    if join.table != CATEGORY_DEALER.table {
        return None;
    }
    Some((CategoryId(id("categoryId")?), DealerId(id("dealerId")?)))
}

/// Parts a row from another, or from all (`None`) that the caller may part it from.
pub(super) async fn unlink(call: &Call, tie: Association, other: Option<i64>) -> Result<(), ApiError> {
    let mut transaction = begin(call).await?;
    let parted = match tie.relation.link {
        Link::Through { join, own, other: key } => {
            rows::unlink(&mut transaction, &call.caller.scope, join, (own, tie.own), (key, other)).await?
        }
        Link::References { column } => {
            let user = UserId(i32::try_from(tie.own).unwrap_or_default());
            rows::drop_references(&mut *transaction, column, user, other).await?
        }
        Link::HasMany { .. } | Link::BelongsTo { .. } => Vec::new(),
    };
    if tie.relation.target.name == ROLE.name {
        protected::check_administrator_left(&mut transaction, &ROLE).await?;
    }
    let mut trail = AuditTrail::new(call, tie.model);
    for other in parted {
        trail.joined(audit::Event::Unlink, tie.own, tie.relation, other);
    }
    trail.store(&mut *transaction).await?;
    commit(transaction).await
}

async fn note_join(
    connection: &mut postgres::Connection,
    call: &Call,
    tie: Association,
    event: audit::Event,
    other: i64,
) -> Result<(), ApiError> {
    let mut trail = AuditTrail::new(call, tie.model);
    trail.joined(event, tie.own, tie.relation, other);
    trail.store(connection).await
}

/// The value of an id, unless no row of the model can have it.
fn possible(model: &Model, id: &Id) -> Option<Value> {
    let value = id.value.clone()?;
    match (&value, model.store) {
        (Value::Whole(number), RowStore::Postgres) => i32::try_from(*number).is_ok().then_some(value),
        _ => Some(value),
    }
}

/// Ids of rows come from paths; one that no row can have reaches nothing.
fn ids_out_of_range(within: ReachedFrom<'_>) -> bool {
    let ReachedFrom::Related(_, ids) = within else {
        return false;
    };
    ids.iter()
        .any(|id| id.parse::<i32>().is_err() && id.parse::<uuid::Uuid>().is_err())
}

fn origin(within: ReachedFrom<'_>) -> Option<(&'static str, &[String])> {
    match within {
        ReachedFrom::Related(relation, ids) => match relation.link {
            vocabulary::resources::Link::HasMany { key } => Some((key, ids)),
            _ => Some(("id", ids)),
        },
        ReachedFrom::Anywhere => None,
    }
}

async fn connection(call: &Call) -> Result<postgres::PooledConnection, ApiError> {
    Ok(call.state.postgres.acquire().await.map_err(postgres::Error::from)?)
}

async fn begin(call: &Call) -> Result<postgres::Tx, ApiError> {
    Ok(postgres::begin(&call.state.postgres).await?)
}

async fn commit(transaction: postgres::Tx) -> Result<(), ApiError> {
    Ok(transaction.commit().await.map_err(postgres::Error::from)?)
}
