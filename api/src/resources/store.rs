//! Reads and writes rows in the store of their model, Postgres or ClickHouse, so that the rest of the engine need not know which it is.

use analytics::resources as ads;
use postgres::actions::events;
use postgres::audit;
use postgres::resources::{self as rows, Assignment, FoundRow, ReachedFrom};
use serde_json::Value as Json;
use vocabulary::resources::models::{CATEGORY_DEALER, ROLE, USER_ACCOUNT};
use vocabulary::resources::{Condition, Filter, Join, Link, Model, Relation, RowStore, Value, ValueTest};
use vocabulary::{ActionId, ActionStatus, CategoryId, DealerId, UserId};

use super::call::{Call, Id};
use super::record::{self, RowValues, WriteKind};
use super::row::{MOST_BYTES, Row};
use super::sem_names;
use super::sems;
use super::since_seen::{self, ShownState};
use super::trail::AuditTrail;
use super::{accounts, brands, deleted, is_steering, kept_links, protected, undo};
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
    /// Takes a connection from the pool at the first read that needs one.
    pub(super) const fn new(call: &'a Call) -> Self {
        Self::on(call, None)
    }

    /// Reads on a connection that was taken before, if there is one.
    pub(super) const fn on(call: &'a Call, connection: Option<postgres::PooledConnection>) -> Self {
        Self {
            call,
            connection,
            read: (0, 0),
        }
    }

    /// The rows that a filter asks for and the caller sees, in its order but without its `include`, each with the id of the row it was reached from
    /// (`None` unless reached through a relation). Reached from several rows, limit and skip apply to each. A `BadRequest` once the reads of this
    /// value together exceed [`MOST_READ`] rows or `MOST_BYTES`. Before it reads Sems it gives the connection back.
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
                let connection = held_or_taken(call, held).await?;
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
                filter.condition = sem_names::also_match_captured(call, filter.condition).await?;
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

    /// Which state of the database an answer shows whose rows of a model are read after this.
    pub(super) async fn shown_state(&mut self, model: &Model) -> Result<ShownState, ApiError> {
        if !is_steering(model) {
            return Ok(ShownState::NONE);
        }
        let connection = held_or_taken(self.call, &mut self.connection).await?;
        ShownState::now(&mut **connection).await
    }

    /// The row with this id, with the fields that the filter asks for; all else in the filter is ignored. `None` when the caller sees no such row.
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

/// The rows that a filter asks for and the caller sees, in its order; see [`ReadConnection::find`].
pub(super) async fn find(
    call: &Call,
    model: &'static Model,
    within: ReachedFrom<'_>,
    filter: Filter,
) -> Result<Vec<Row>, ApiError> {
    let found = ReadConnection::new(call).find(model, within, filter).await?;
    Ok(found.into_iter().map(|(_, row)| row).collect())
}

/// How many rows that the caller sees within `within` meet a condition; 0 when `within` names an id that no row can have.
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
            let condition = sem_names::also_match_captured(call, condition).await?;
            Ok(ads::count(&call.state.analytics, &call.caller.scope, origin(within), &condition).await?)
        }
    }
}

/// Whether a condition is met by every row that the caller may change (of Sems: sees), so that a change by it means all. False when there are no
/// rows. In Postgres a row without a value to compare counts as meeting the condition.
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

/// The row with this id as JSON, with the fields that the filter asks for; all else in the filter is ignored. `None` when the caller sees no such
/// row.
pub(super) async fn by_id(
    call: &Call,
    model: &'static Model,
    id: &Id,
    filter: Filter,
) -> Result<Option<Json>, ApiError> {
    let row = ReadConnection::new(call).by_id(model, id, filter).await?;
    Ok(row.as_ref().map(Row::json))
}

/// Whether there is a row with this id that the caller sees; false also for an id that no row of the model can have.
pub(super) async fn exists(call: &Call, model: &'static Model, id: &Id) -> Result<bool, ApiError> {
    match possible(model, id) {
        Some(value) => {
            let condition = Condition::test(model.id(), ValueTest::Equals(value));
            Ok(count(call, model, ReachedFrom::Anywhere, condition).await? > 0)
        }
        None => Ok(false),
    }
}

/// One end of a link: the row `own` of `model`, and the relation to the rows at the other end.
#[derive(Clone, Copy)]
pub(super) struct Association {
    pub(super) model: &'static Model,
    pub(super) relation: &'static Relation,
    pub(super) own: i64,
}

/// Stores rows, all or none, completed with the name of a brand and the brand of a term where none is given, with the links that `association` and they
/// themselves name; writes the audit log and queues the mail to a new account's holder. Returns an id for each row, in their order: `None` for one that
/// exists already, which is an error without `skip_duplicates`. Sems are not linked, and none of them is skipped.
pub(super) async fn insert(
    call: &Call,
    model: &'static Model,
    list: &mut [RowValues],
    skip_duplicates: bool,
    association: Option<Association>,
) -> Result<Vec<Option<i64>>, ApiError> {
    let scope = &call.caller.scope;
    let mut trail = AuditTrail::new(call, model);
    let mut ids = Vec::with_capacity(list.len());
    match model.store {
        RowStore::Postgres => {
            let mut transaction = begin(call).await?;
            brands::match_terms(&mut transaction, scope, model, list).await?;
            for record in list {
                brands::name_by_label(&mut transaction, model, record).await?;
                let values = &record.values;
                let made = rows::insert(&mut transaction, scope, model, values, skip_duplicates).await;
                let id = made.map_err(|error| record::refused(model, values, error))?;
                if let Some(id) = id {
                    rows::add_history(&mut transaction, id, &record.history, call.state.clock.now())
                        .await
                        .map_err(|error| record::refused(model, values, error))?;
                    trail.made(id, values);
                    if let Some(association) = association {
                        link_within(&mut transaction, call, association, id).await?;
                    }
                    for (relation, others) in &record.links {
                        let association = Association {
                            model,
                            relation,
                            own: id,
                        };
                        for other in others {
                            link_within(&mut transaction, call, association, *other).await?;
                        }
                    }
                    accounts::mail_holder(&mut transaction, model, id, values, WriteKind::Create).await?;
                }
                ids.push(id);
            }
            trail.store(&mut *transaction).await?;
            protected::keep_quotas(&mut transaction, call, model, ids.iter().flatten().copied()).await?;
            commit(transaction).await?;
        }
        RowStore::Analytics => ids.extend(sems::insert(call, list).await?.into_iter().map(Some)),
    }
    Ok(ids)
}

/// Changes the rows that the caller may change and that meet a condition, and returns them as they are then. Rows that meet it only while this goes on
/// are left as they are. The same transaction writes the audit
/// log, ends the sessions of `signed_out` but the caller's own and queues a notice of a new password. A conflict for protected rows and where somebody
/// else changed the same since the caller saw it, a `BadRequest` for over [`MOST_CHANGED`]. Without changes: the rows the caller sees, at most `MAX_ROWS`. For Sems see [`sems::update`].
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
            let rows = rows::update(&mut transaction, scope, model, &one_of(model, &before), changes)
                .await
                .map_err(|error| record::refused(model, changes, error))?;
            if model.name != USER_ACCOUNT.name {
                protected::check_administrator_left(&mut transaction, model).await?;
            }
            trail.changed(&before, &rows, changes);
            since_seen::check(&mut transaction, call, model, &before, trail.done()).await?;
            undo::keep_changes(&mut transaction, call, model, (&before, &rows), changes).await?;
            if let Some(user) = signed_out {
                postgres::tokens::revoke_all(&mut *transaction, user, Some(call.caller.session.id)).await?;
            }
            trail.store(&mut *transaction).await?;
            let ids = rows.iter().filter_map(|row| row.get("id").and_then(Json::as_i64));
            for id in ids.clone() {
                accounts::mail_holder(&mut transaction, model, id, changes, WriteKind::Patch).await?;
            }
            protected::keep_quotas(&mut transaction, call, model, ids).await?;
            commit(transaction).await?;
            rows
        }
        RowStore::Analytics => {
            let condition = sem_names::also_match_captured(call, condition).await?;
            sems::update(call, origin(within), &condition, changes).await?
        }
    };
    Ok(rows)
}

/// Locks until the transaction ends the rows that the caller may change and that meet the condition, and returns them as they are. A `BadRequest` for
/// more than [`MOST_CHANGED`].
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

/// The condition that a row is one of these, whose ids clients may read.
fn one_of(model: &'static Model, rows: &[Json]) -> Condition {
    let id = |row: &Json| Value::compared(model.id(), row.get("id")?).ok();
    Condition::test(model.id(), ValueTest::OneOf(rows.iter().filter_map(id).collect()))
}

/// Deletes the rows that `within` reaches, that meet a condition and that the caller may delete, in one transaction with the audit log, and returns
/// their ids; brands, tags and terms can be brought back. A conflict for rows that [`protected`] guards, that other rows still need or that somebody
/// else changed since the caller saw them; a `BadRequest` for more than [`MOST_CHANGED`]. Sems go through [`sems::remove`].
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
            deleted::keep(&mut transaction, call, model, &before).await?;
            let removed = rows::remove(&mut *transaction, scope, model, &one_of(model, &before))
                .await
                .map_err(|error| record::refused(model, &[], error))?;
            protected::check_administrator_left(&mut transaction, model).await?;
            trail.removed(&removed, &before);
            since_seen::check(&mut transaction, call, model, &before, trail.done()).await?;
            trail.store(&mut *transaction).await?;
            commit(transaction).await?;
            removed
        }
        RowStore::Analytics => {
            let condition = sem_names::also_match_captured(call, condition).await?;
            sems::remove(call, origin(within), &condition).await?
        }
    };
    Ok(removed)
}

/// Links a row with another, unless they are linked already, and notes it in the audit log. Returns the link, also one that existed, where it is a
/// row of its own; `None` for a list of references. `Forbidden` when the caller may not make this link.
pub(super) async fn link(call: &Call, association: Association, other: i64) -> Result<Option<Json>, ApiError> {
    let mut transaction = begin(call).await?;
    let (linked, set_aside) = link_within(&mut transaction, call, association, other).await?;
    kept_links::keep_set_aside(&mut transaction, call, &set_aside).await?;
    if let (Link::Through { join, .. }, Some(row)) = (
        association.relation.link,
        linked.as_ref().and_then(|linked| linked.made.as_ref()),
    ) {
        kept_links::keep_changed(&mut transaction, call, join, [row], []).await?;
    }
    protected::keep_quota_of_linked(&mut transaction, call, association.relation, [association.own, other]).await?;
    commit(transaction).await?;
    Ok(linked.map(|linked| linked.link))
}

/// Like [`link`], in a transaction of the caller, and not to be undone. Where a dealer gets the tag `official` of a brand, its new and reappeared
/// actions against that brand become ignored; they are returned with their status before.
async fn link_within(
    connection: &mut postgres::Connection,
    call: &Call,
    association: Association,
    other: i64,
) -> Result<(Option<rows::Linked>, Vec<(ActionId, ActionStatus)>), ApiError> {
    let mut set_aside = Vec::new();
    let linked = match association.relation.link {
        Link::Through { join, own, other: key } => {
            let scope = &call.caller.scope;
            let linked = rows::link(&mut *connection, scope, join, (own, association.own), (key, other)).await?;
            if let Some((tag, dealer)) = tagged_dealer(join, [(own, association.own), (key, other)]) {
                let now = call.state.clock.now();
                set_aside = events::put_official_aside(&mut *connection, scope, tag, &[dealer], now).await?;
            }
            Some(linked)
        }
        Link::References { column } => {
            rows::append_reference(&mut *connection, column, association.own, other).await?;
            None
        }
        Link::HasMany { .. } | Link::BelongsTo { .. } => {
            return Err(ApiError::internal("this relation joins no rows"));
        }
    };
    note_join(connection, call, association, audit::Event::Link, other).await?;
    Ok((linked, set_aside))
}

/// The tag and the dealer that a link connects, from the names and values of its two keys; `None` for links of other models.
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

/// Ends the links of a row with another, or with all of the relation (`None`), as far as the caller may, and notes each that ended in the audit log;
/// without a link it does nothing, and the rows stay. `Forbidden` when the caller may end none of the links, a conflict when the last administrator
/// would lose the role.
pub(super) async fn unlink(call: &Call, association: Association, other: Option<i64>) -> Result<(), ApiError> {
    let mut transaction = begin(call).await?;
    let parted = match association.relation.link {
        Link::Through { join, own, other: key } => {
            let ended = rows::unlink(
                &mut transaction,
                &call.caller.scope,
                join,
                (own, association.own),
                (key, other),
            )
            .await?;
            kept_links::keep_changed(&mut transaction, call, join, [], ended.iter().map(|link| &link.row)).await?;
            let mut others: Vec<i64> = ended.iter().map(|link| link.other).collect();
            others.dedup();
            others
        }
        Link::References { column } => {
            let user = UserId(i32::try_from(association.own).unwrap_or_default());
            rows::drop_references(&mut *transaction, column, user, other).await?
        }
        Link::HasMany { .. } | Link::BelongsTo { .. } => Vec::new(),
    };
    if association.relation.target.name == ROLE.name {
        protected::check_administrator_left(&mut transaction, &ROLE).await?;
    }
    let mut trail = AuditTrail::new(call, association.model);
    for other in parted {
        trail.linked_or_unlinked(audit::Event::Unlink, association.own, association.relation, other);
    }
    trail.store(&mut *transaction).await?;
    commit(transaction).await
}

/// Writes to the audit log that two rows were linked or unlinked, as `event` says.
async fn note_join(
    connection: &mut postgres::Connection,
    call: &Call,
    association: Association,
    event: audit::Event,
    other: i64,
) -> Result<(), ApiError> {
    let mut trail = AuditTrail::new(call, association.model);
    trail.linked_or_unlinked(event, association.own, association.relation, other);
    trail.store(connection).await
}

/// The value of an id; `None` when no row of the model can have it, as for numbers over 32 bits in Postgres.
fn possible(model: &Model, id: &Id) -> Option<Value> {
    let value = id.value.clone()?;
    match (&value, model.store) {
        (Value::Whole(number), RowStore::Postgres) => i32::try_from(*number).is_ok().then_some(value),
        _ => Some(value),
    }
}

/// Whether one of the ids that rows are reached from is neither a 32-bit number nor a UUID, so that no row can have it. The reads then find nothing.
fn ids_out_of_range(within: ReachedFrom<'_>) -> bool {
    let ReachedFrom::Related(_, ids) = within else {
        return false;
    };
    ids.iter()
        .any(|id| id.parse::<i32>().is_err() && id.parse::<uuid::Uuid>().is_err())
}

/// The field of a Sem and its values that Sems are reached by: the key of a has-many relation, else `id`. `None` for all Sems.
fn origin(within: ReachedFrom<'_>) -> Option<(&'static str, &[String])> {
    match within {
        ReachedFrom::Related(relation, ids) => match relation.link {
            vocabulary::resources::Link::HasMany { key } => Some((key, ids)),
            _ => Some(("id", ids)),
        },
        ReachedFrom::Anywhere => None,
    }
}

/// The held connection, or one that is taken from the pool and held from then on.
async fn held_or_taken<'h>(
    call: &Call,
    held: &'h mut Option<postgres::PooledConnection>,
) -> Result<&'h mut postgres::PooledConnection, ApiError> {
    match held {
        Some(held) => Ok(held),
        None => Ok(held.insert(connection(call).await?)),
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
