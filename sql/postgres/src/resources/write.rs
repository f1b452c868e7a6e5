//! Creating, changing and deleting the rows of a model.

use chrono::{DateTime, Utc};
use serde_json::Value as Json;
use sqlx::types::Json as Typed;
use sqlx::{PgConnection, PgExecutor};
use vocabulary::Scope;
use vocabulary::resources::{Condition, Field, Fields, Model, Value};

use super::conditions::{push_condition, push_value};
use super::rows::{push_json, push_reached_alone};
use super::sight::push_reach;
use super::{ReachedFrom, Sql};
use crate::{Error, Result};

/// A field and its new value.
pub type Assignment = (&'static Field, Value);

/// Stores a row and returns its id; `None` if a unique key refused it and `skip_duplicates` is set. [`Error::OutOfReach`] if the scope may
/// not change the new row: the caller rolls the transaction back.
pub async fn insert(
    connection: &mut PgConnection,
    scope: &Scope,
    model: &'static Model,
    values: &[Assignment],
    skip_duplicates: bool,
) -> Result<Option<i64>> {
    let mut sql = Sql::new("insert into ");
    sql.push(model.table);
    if values.is_empty() {
        sql.push(" default values");
    } else {
        sql.push(" (");
        push_columns(&mut sql, values);
        sql.push(") values (");
        for (place, (_, value)) in values.iter().enumerate() {
            if place > 0 {
                sql.push(", ");
            }
            push_value(&mut sql, value);
        }
        sql.push(")");
    }
    if skip_duplicates {
        sql.push(" on conflict do nothing");
    }
    sql.push(" returning id::int8");
    let id: Option<i64> = sql.build_query_scalar().fetch_optional(&mut *connection).await?;
    if let Some(id) = id {
        refuse_out_of_reach(connection, scope, model, &[id]).await?;
    }
    Ok(id)
}

/// Changes the rows that the scope may change and that meet the condition, which must be settled; returns them as clients see them after it, in no
/// particular order. [`Error::OutOfReach`] if the scope may then no longer change one of them: the caller rolls the transaction back.
/// `changes` must not be empty.
pub async fn update(
    connection: &mut PgConnection,
    scope: &Scope,
    model: &'static Model,
    condition: &Condition,
    changes: &[Assignment],
) -> Result<Vec<Json>> {
    let mut sql = Sql::new("update ");
    sql.push(model.table).push(" t set ");
    for (place, (field, value)) in changes.iter().enumerate() {
        if place > 0 {
            sql.push(", ");
        }
        sql.push("\"").push(field.column).push("\" = ");
        push_value(&mut sql, value);
    }
    push_where(&mut sql, scope, model, ReachedFrom::Anywhere, condition);
    sql.push(" returning t.id::int8, ");
    push_json(&mut sql, model, &Fields::All);
    let rows: Vec<(i64, Typed<Json>)> = sql.build_query_as().fetch_all(&mut *connection).await?;
    let ids: Vec<i64> = rows.iter().map(|(id, _)| *id).collect();
    refuse_out_of_reach(connection, scope, model, &ids).await?;
    Ok(rows.into_iter().map(|(_, row)| row.0).collect())
}

/// Locks up to `most` rows within `within` that the scope may change and that meet the condition, which must be settled, until the transaction ends;
/// returns them as clients see them. They are locked by ascending id, so that two such changes never wait for each other; it waits for rows that
/// another transaction has locked, and leaves out those that do not meet the condition then.
pub async fn lock(
    connection: &mut PgConnection,
    scope: &Scope,
    model: &'static Model,
    within: ReachedFrom<'_>,
    condition: &Condition,
    most: usize,
) -> Result<Vec<Json>> {
    let mut sql = Sql::new("select ");
    push_json(&mut sql, model, &Fields::All);
    sql.push(" from ").push(model.table).push(" t");
    push_where(&mut sql, scope, model, within, condition);
    sql.push(" order by t.id limit ")
        .push_bind(i64::try_from(most).unwrap_or(i64::MAX))
        .push(" for update");
    let rows: Vec<Typed<Json>> = sql.build_query_scalar().fetch_all(connection).await?;
    Ok(rows.into_iter().map(|row| row.0).collect())
}

/// Deletes the rows that the scope may change and that meet the condition, which must be settled. Returns their ids as clients see them; rows it does
/// not reach are passed over without an error.
pub async fn remove(
    executor: impl PgExecutor<'_>,
    scope: &Scope,
    model: &'static Model,
    condition: &Condition,
) -> Result<Vec<Json>> {
    let mut sql = Sql::new("delete from ");
    sql.push(model.table).push(" t");
    push_where(&mut sql, scope, model, ReachedFrom::Anywhere, condition);
    sql.push(" returning ");
    push_json(&mut sql, model, &Fields::Only(["id"].into()));
    let removed: Vec<Typed<Json>> = sql.build_query_scalar().fetch_all(executor).await?;
    Ok(removed.into_iter().filter_map(|row| row.0.get("id").cloned()).collect())
}

/// Stores the history that a client gave a new action, one row for each entry (`ID`, `status`, `date`, `previousDate`). An entry without a
/// status is stored as `new`, one without a readable date as of `now`, one without a list of previous dates with an empty list.
pub async fn add_history(
    connection: &mut PgConnection,
    action: i64,
    entries: &[Json],
    now: DateTime<Utc>,
) -> Result<()> {
    for entry in entries {
        let text = |name: &str| entry.get(name).and_then(Json::as_str);
        let at = text("date").and_then(vocabulary::resources::parse_date);
        sqlx::query(
            "insert into action_history (action_id, outside_id, status, at, previous_dates)
             values ($1, $2, coalesce($3, 'new'), $4, coalesce($5, '[]'))",
        )
        .bind(i32::try_from(action).unwrap_or_default())
        .bind(text("ID"))
        .bind(text("status"))
        .bind(at.unwrap_or(now))
        .bind(entry.get("previousDate").filter(|dates| dates.is_array()))
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}

/// Appends the columns of the assignments, separated by commas.
fn push_columns(sql: &mut Sql, values: &[Assignment]) {
    for (place, (field, _)) in values.iter().enumerate() {
        sql.push(if place > 0 { ", \"" } else { "\"" })
            .push(field.column)
            .push("\"");
    }
}

/// Appends the `where` of a change, deletion or lock: rows that the scope may change, that are reached from `within` and that meet the
/// condition.
fn push_where(sql: &mut Sql, scope: &Scope, model: &'static Model, within: ReachedFrom<'_>, condition: &Condition) {
    sql.push(" where ");
    push_reach(sql, model, scope);
    sql.push(" and ");
    push_reached_alone(sql, scope, model, within);
    sql.push(" and ");
    push_condition(sql, condition);
}

/// Returns [`Error::OutOfReach`] unless the scope may change all of these rows, which must differ; a row that is missing counts as out of
/// reach. Administrators pass without a query.
async fn refuse_out_of_reach(
    connection: &mut PgConnection,
    scope: &Scope,
    model: &'static Model,
    ids: &[i64],
) -> Result<()> {
    if scope.administers() || ids.is_empty() {
        return Ok(());
    }
    let mut sql = Sql::new("select count(*) from ");
    sql.push(model.table)
        .push(" t where t.id = any(")
        .push_bind(ids.to_vec())
        .push(") and ");
    push_reach(&mut sql, model, scope);
    let reached: i64 = sql.build_query_scalar().fetch_one(connection).await?;
    if usize::try_from(reached) == Ok(ids.len()) {
        Ok(())
    } else {
        Err(Error::OutOfReach)
    }
}
