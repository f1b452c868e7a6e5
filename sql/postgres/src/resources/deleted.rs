//! Deleted rows, which can be brought back for a while.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::Value as Json;
use sqlx::types::Json as Typed;
use sqlx::{PgConnection, PgExecutor};
use vocabulary::resources::models::{BRAND, CATEGORY, TERM};
use vocabulary::resources::{Fields, Model};
use vocabulary::{Scope, SystemScope};

use super::Sql;
use super::rows::push_json;
use super::sight::push_reach;
use crate::audit::AuditActor;
use crate::authors::{KnownAuthor, push_known_author};
use crate::kept_changes::Operation;
use crate::{Error, Result};

/// How long deleted rows can be brought back.
pub const BROUGHT_BACK_WITHIN: TimeDelta = TimeDelta::days(30);

/// The deletion of rows by one author.
#[derive(Clone, Copy, Debug)]
pub struct Deletion<'a> {
    /// Its author; the id of the request does not matter.
    pub author: &'a AuditActor,
    /// What the author's client calls the operation, if it has a name.
    pub operation: Option<uuid::Uuid>,
    /// When it happens.
    pub at: DateTime<Utc>,
}

/// A deleted row.
#[derive(Clone, Debug, PartialEq)]
pub struct DeletedRow {
    /// Number of its deletion; later ones have higher numbers.
    pub deletion: i64,
    /// When it was deleted.
    pub at: DateTime<Utc>,
    /// The author of the deletion; `None` if the reader may not know.
    pub by: Option<KnownAuthor>,
    /// It as clients saw it.
    pub row: Json,
}

/// Why a deleted row cannot come back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString, strum::Display)]
#[strum(serialize_all = "snake_case")]
pub enum Obstacle {
    /// There is another of the same name or words.
    Exists,
    /// Its brand was deleted.
    Brand,
    /// Its localization was deleted.
    Localization,
}

/// A deleted row that cannot come back, by what it is called, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldBack {
    /// The words of a term, the label of a brand or tag.
    pub called: String,
    /// What is in its way.
    pub obstacle: Obstacle,
    /// What the deleted brand is called, where that is the obstacle and it can be brought back.
    pub brand: Option<String>,
}

/// Keeps rows that are about to be deleted, with all that the database deletes with them or cuts off from them. Call it in the transaction of the
/// deletion, with the rows locked; rights are not checked here.
pub async fn keep_deleted(
    connection: &mut PgConnection,
    model: &'static Model,
    ids: &[i64],
    deletion: Deletion<'_>,
) -> Result<()> {
    let mut sql = Sql::new(
        "with kept as (insert into deleted_row (model, row_id, row, actor_id, acting_as_id, operation, at) select ",
    );
    sql.push_bind(model.name)
        .push(", t.id, to_jsonb(t), ")
        .push_bind(deletion.author.actor.0)
        .push(", ")
        .push_bind(deletion.author.acting_as.map(|user| user.0))
        .push(", ")
        .push_bind(deletion.operation)
        .push(", ")
        .push_bind(deletion.at)
        .push(" from ")
        .push(model.table)
        .push(" t where t.id = any(")
        .push_bind(ids.to_vec())
        .push(") order by t.id returning id, row_id) select array_agg(id), array_agg(row_id::bigint) from kept");
    let (owners, keys): (Option<Vec<i64>>, Option<Vec<i64>>) = sql.build_query_as().fetch_one(&mut *connection).await?;
    if let (Some(owners), Some(keys)) = (owners, keys) {
        sqlx::query("select keep_what_goes_with($1::regclass, $2, $3, 1)")
            .bind(model.table)
            .bind(owners)
            .bind(keys)
            .execute(connection)
            .await?;
    }
    Ok(())
}

/// The deleted rows of a model that the scope could delete if they were there, newest first: since an instant, with numbers below `before` where that is
/// given, at most `limit`.
pub async fn find_deleted(
    executor: impl PgExecutor<'_>,
    scope: &Scope,
    model: &'static Model,
    since: DateTime<Utc>,
    before: Option<i64>,
    limit: i64,
) -> Result<Vec<DeletedRow>> {
    let mut sql = select_deleted(scope, model);
    sql.push(" and d.at >= ").push_bind(since);
    if let Some(before) = before {
        sql.push(" and d.id < ").push_bind(before);
    }
    sql.push(" order by d.id desc limit ").push_bind(limit);
    read_deleted(executor, sql).await
}

/// Locks until the transaction ends those of the deleted rows with these ids that [`find_deleted`] finds. It waits for other transactions that have
/// locked them, and leaves out what they have brought back.
pub async fn lock_deleted(
    executor: impl PgExecutor<'_>,
    scope: &Scope,
    model: &'static Model,
    since: DateTime<Utc>,
    ids: &[i64],
) -> Result<Vec<DeletedRow>> {
    let mut sql = select_deleted(scope, model);
    sql.push(" and d.at >= ").push_bind(since);
    sql.push(" and d.row_id = any(").push_bind(ids.to_vec());
    sql.push(") order by d.id for update of d");
    read_deleted(executor, sql).await
}

/// Locks like [`lock_deleted`] the rows of a model that an operation deleted. [`Error::OutOfReach`] if the scope does not reach all of them any more.
pub async fn lock_deleted_by(
    connection: &mut PgConnection,
    scope: &Scope,
    model: &'static Model,
    operation: Operation<'_>,
) -> Result<Vec<DeletedRow>> {
    let mut sql = select_deleted(scope, model);
    sql.push(" and d.actor_id = ")
        .push_bind(operation.author.actor.0)
        .push(" and d.acting_as_id is not distinct from ")
        .push_bind(operation.author.acting_as.map(|user| user.0))
        .push(" and d.operation = ")
        .push_bind(operation.name)
        .push(" order by d.id for update of d");
    let found = read_deleted(&mut *connection, sql).await?;
    let all: i64 = sqlx::query_scalar(
        "select count(*) from deleted_row
         where model = $1 and actor_id = $2 and acting_as_id is not distinct from $3 and operation = $4",
    )
    .bind(model.name)
    .bind(operation.author.actor.0)
    .bind(operation.author.acting_as.map(|user| user.0))
    .bind(operation.name)
    .fetch_one(connection)
    .await?;
    if usize::try_from(all) == Ok(found.len()) {
        Ok(found)
    } else {
        Err(Error::OutOfReach)
    }
}

/// Begins a query of deleted rows within reach of the scope, in the order of the fields of [`DeletedRow`].
fn select_deleted(scope: &Scope, model: &'static Model) -> Sql {
    let mut sql = Sql::new("select d.id, d.at, ");
    push_known_author(&mut sql, scope, "d.actor_id, d.acting_as_id, null, null");
    sql.push(", ");
    push_json(&mut sql, model, &Fields::All);
    sql.push(" from deleted_row d cross join lateral jsonb_populate_record(null::")
        .push(model.table)
        .push(", d.row) t where d.model = ")
        .push_bind(model.name)
        .push(" and ");
    push_reach(&mut sql, model, scope);
    sql
}

/// The columns of [`select_deleted`].
type StoredRow = (i64, DateTime<Utc>, Option<Typed<KnownAuthor>>, Typed<Json>);

/// Runs a query of [`select_deleted`].
async fn read_deleted(executor: impl PgExecutor<'_>, mut sql: Sql) -> Result<Vec<DeletedRow>> {
    let rows: Vec<StoredRow> = sql.build_query_as().fetch_all(executor).await?;
    let rows = rows.into_iter().map(|(deletion, at, by, row)| DeletedRow {
        deletion,
        at,
        by: by.map(|by| by.0),
        row: row.0,
    });
    Ok(rows.collect())
}

/// The first of these deletions whose row cannot come back now, and why; `None` if all can.
pub async fn held_back(
    executor: impl PgExecutor<'_>,
    model: &'static Model,
    deletions: &[i64],
) -> Result<Option<HeldBack>> {
    let obstacles = match model.name {
        name if name == TERM.name => {
            "case
                 when exists (
                     select from term o
                     where lower(regexp_replace(btrim(o.term), '\\s+', ' ', 'g')) = lower(regexp_replace(btrim(t.term), '\\s+', ' ', 'g'))
                         and o.engine is not distinct from t.engine and o.localization_id is not distinct from t.localization_id
                         and o.region is not distinct from t.region
                 ) then 'exists'
                 when t.brand_id is not null and not exists (select from brand o where o.id = t.brand_id) then 'brand'
                 when t.localization_id is not null and not exists (select from localization o where o.id = t.localization_id)
                     then 'localization'
             end as obstacle, t.term as called, t.brand_id as of_brand
             from deleted_row d cross join lateral jsonb_populate_record(null::term, d.row) t"
        }
        name if name == BRAND.name => {
            "case when exists (select from brand o where o.name = t.name) then 'exists' end as obstacle,
             coalesce(t.label, t.name) as called, null::integer as of_brand
             from deleted_row d cross join lateral jsonb_populate_record(null::brand, d.row) t"
        }
        name if name == CATEGORY.name => {
            "case
                 when exists (
                     select from category o where o.name = t.name and o.scope is not distinct from t.scope
                         and o.brand_owner_id is not distinct from t.brand_owner_id
                 ) then 'exists'
                 when t.brand_owner_id is not null and not exists (select from brand o where o.id = t.brand_owner_id) then 'brand'
             end as obstacle, coalesce(t.label, t.name) as called, t.brand_owner_id as of_brand
             from deleted_row d cross join lateral jsonb_populate_record(null::category, d.row) t"
        }
        _ => return Ok(None),
    };
    let mut sql = Sql::new(
        "select coalesce(called, ''), obstacle,
             (select coalesce(b.row ->> 'label', b.row ->> 'name') from deleted_row b where b.model = 'Brand' and b.row_id = of_brand)
         from (select d.id, ",
    );
    sql.push(obstacles).push(" where d.id = any(");
    sql.push_bind(deletions.to_vec())
        .push(")) deleted where obstacle is not null order by id limit 1");
    let found: Option<(String, String, Option<String>)> = sql.build_query_as().fetch_optional(executor).await?;
    found
        .map(|(called, obstacle, brand)| {
            Ok(HeldBack {
                called,
                obstacle: crate::stored::parse("obstacle", &obstacle)?,
                brand,
            })
        })
        .transpose()
}

/// Brings rows of a model back, by the numbers of their deletions, with what was deleted with them: they have their ids again, terms are planned from that moment on. Lock
/// them first, and ask [`held_back`]; rights are not checked here. A broken rule of the database means that something changed in between.
pub async fn bring_back(connection: &mut PgConnection, model: &'static Model, deletions: &[i64]) -> Result<()> {
    sqlx::query("select bring_back($1::regclass, $2)")
        .bind(model.table)
        .bind(deletions)
        .execute(connection)
        .await?;
    Ok(())
}

/// Forgets rows that were deleted before an instant. Returns how many.
pub async fn forget_deleted_before(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    before: DateTime<Utc>,
) -> Result<u64> {
    let done = sqlx::query("delete from deleted_row where at < $1")
        .bind(before)
        .execute(executor)
        .await?;
    Ok(done.rows_affected())
}
