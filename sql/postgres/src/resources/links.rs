//! Rows that join two others, and lists of ids.

use serde_json::{Value as Json, json};
use sqlx::{PgConnection, PgExecutor};
use vocabulary::resources::{Join, JoinKey};

use super::Sql;
use crate::Result;

/// Joins two rows, once; answers the join as clients see it.
pub async fn link(
    connection: &mut PgConnection,
    join: &'static Join,
    own: (&str, i64),
    other: (&str, i64),
) -> Result<Json> {
    let (own_key, other_key) = (join.key(own.0), join.key(other.0));
    let mut sql = Sql::new("insert into ");
    sql.push(join.table)
        .push(" (")
        .push(own_key.column)
        .push(", ")
        .push(other_key.column)
        .push(") values (");
    push_id(&mut sql, own_key, own.1);
    sql.push(", ");
    push_id(&mut sql, other_key, other.1);
    sql.push(") on conflict do nothing returning id::int8");
    let made: Option<i64> = sql.build_query_scalar().fetch_optional(&mut *connection).await?;
    let id = if let Some(id) = made {
        id
    } else {
        let mut sql = Sql::new("select j.id::int8 from ");
        push_pair(&mut sql, join, (own_key, own.1), (other_key, other.1));
        sql.build_query_scalar().fetch_one(connection).await?
    };
    Ok(json!({ "id": id, own.0: shown(own_key, own.1), other.0: shown(other_key, other.1) }))
}

/// Whether two rows are joined.
pub async fn is_linked(
    executor: impl PgExecutor<'_>,
    join: &'static Join,
    own: (&str, i64),
    other: (&str, i64),
) -> Result<bool> {
    let mut sql = Sql::new("select exists (select 1 from ");
    push_pair(&mut sql, join, (join.key(own.0), own.1), (join.key(other.0), other.1));
    sql.push(")");
    Ok(sql.build_query_scalar().fetch_one(executor).await?)
}

/// Parts two rows.
pub async fn unlink(
    executor: impl PgExecutor<'_>,
    join: &'static Join,
    own: (&str, i64),
    other: (&str, i64),
) -> Result<()> {
    let mut sql = Sql::new("delete from ");
    push_pair(&mut sql, join, (join.key(own.0), own.1), (join.key(other.0), other.1));
    sql.build().execute(executor).await?;
    Ok(())
}

/// Adds an id to the list of a user account, once.
pub async fn keep_reference(executor: impl PgExecutor<'_>, column: &'static str, user: i64, id: i64) -> Result<()> {
    change_reference(executor, column, user, id, true).await
}

/// Takes an id out of the list of a user account.
pub async fn drop_reference(executor: impl PgExecutor<'_>, column: &'static str, user: i64, id: i64) -> Result<()> {
    change_reference(executor, column, user, id, false).await
}

async fn change_reference(
    executor: impl PgExecutor<'_>,
    column: &'static str,
    user: i64,
    id: i64,
    keep: bool,
) -> Result<()> {
    let mut sql = Sql::new("update user_account set ");
    sql.push(column)
        .push(" = array_remove(")
        .push(column)
        .push(", ")
        .push_bind(id)
        .push("::int4)");
    if keep {
        sql.push(" || ").push_bind(id).push("::int4");
    }
    sql.push(" where id = ").push_bind(user);
    sql.build().execute(executor).await?;
    Ok(())
}

fn push_pair(sql: &mut Sql, join: &'static Join, own: (&JoinKey, i64), other: (&JoinKey, i64)) {
    sql.push(join.table)
        .push(" j where j.\"")
        .push(own.0.column)
        .push("\" = ");
    push_id(sql, own.0, own.1);
    sql.push(" and j.\"").push(other.0.column).push("\" = ");
    push_id(sql, other.0, other.1);
}

fn push_id(sql: &mut Sql, key: &JoinKey, id: i64) {
    if key.is_text {
        sql.push_bind(id.to_string());
    } else {
        sql.push_bind(id);
    }
}

fn shown(key: &JoinKey, id: i64) -> Json {
    if key.is_text {
        Json::String(id.to_string())
    } else {
        Json::from(id)
    }
}
