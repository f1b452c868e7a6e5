//! Links between rows: rows of a table that joins two models, and lists of ids in a user account.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};
use sqlx::types::Json as Typed;
use sqlx::{PgConnection, PgExecutor};
use vocabulary::resources::{Join, JoinKey, Labelled};
use vocabulary::{Scope, UserId};

use super::Sql;
use crate::{Error, Result};

/// A link that was asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Linked {
    /// The link as clients see it.
    pub link: Json,
    /// Its row in the table of the join, if it was not there before.
    pub made: Option<Json>,
}

/// A link that was ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Ended {
    /// The id of the other row.
    pub other: i64,
    /// The row that the table of the join had.
    pub row: Json,
}

/// Links two rows, each given as the name of a key of the join and an id; returns the link, also one that exists already.
/// Rights are checked for tags only: a company user may put its brands' own tags on any row, and shared tags on rows of its brands, which
/// makes the link the company's own; else [`Error::OutOfReach`].
pub async fn link(
    connection: &mut PgConnection,
    scope: &Scope,
    join: &'static Join,
    own: (&str, i64),
    other: (&str, i64),
) -> Result<Linked> {
    let of_company = owner_of_link(&mut *connection, scope, join, own, other).await?;
    let (own_key, other_key) = (join.key(own.0), join.key(other.0));
    let mut sql = Sql::new("insert into ");
    sql.push(join.table)
        .push(" as j (")
        .push(own_key.column)
        .push(", ")
        .push(other_key.column);
    if of_company.is_some() {
        sql.push(", company_account_id");
    }
    sql.push(") values (");
    push_id(&mut sql, own_key, own.1);
    sql.push(", ");
    push_id(&mut sql, other_key, other.1);
    if let Some(company) = of_company {
        sql.push(", ").push_bind(company);
    }
    sql.push(") on conflict do nothing returning j.id::int8, to_jsonb(j)");
    let inserted: Option<(i64, Typed<Json>)> = sql.build_query_as().fetch_optional(&mut *connection).await?;
    let (id, made) = if let Some((id, row)) = inserted {
        (id, Some(row.0))
    } else {
        let mut sql = Sql::new("select j.id::int8 from ");
        push_pair(&mut sql, join, (own_key, own.1), (other_key, other.1));
        sql.push(" order by j.id limit 1");
        (sql.build_query_scalar().fetch_one(connection).await?, None)
    };
    let link = json!({ "id": id, own.0: id_json(own_key, own.1), other.0: id_json(other_key, other.1) });
    Ok(Linked { link, made })
}

/// Whether two rows, each given as the name of a key of the join and an id, are joined by a link that the scope sees.
pub async fn is_linked(
    executor: impl PgExecutor<'_>,
    scope: &Scope,
    join: &'static Join,
    own: (&str, i64),
    other: (&str, i64),
) -> Result<bool> {
    let mut sql = Sql::new("select exists (select 1 from ");
    push_pair(&mut sql, join, (join.key(own.0), own.1), (join.key(other.0), other.1));
    if let Some(only) = join.only {
        sql.push(" and ").push(only);
    }
    sql.push(" and ");
    push_seen_link(&mut sql, join, scope);
    sql.push(")");
    Ok(sql.build_query_scalar().fetch_one(executor).await?)
}

/// Deletes those links between `own` and `other` that the scope may end; other links stay, without an error. Each of the two is a name for
/// [`Join::key`] and an id; `other` without an id means every row linked to `own`. Returns the deleted links, ascending by the id on the `other` side:
/// empty if the scope sees no such link, [`Error::OutOfReach`] if it sees some but may end none.
pub async fn unlink(
    connection: &mut PgConnection,
    scope: &Scope,
    join: &'static Join,
    own: (&str, i64),
    other: (&str, Option<i64>),
) -> Result<Vec<Ended>> {
    let (own_key, other_key) = (join.key(own.0), join.key(other.0));
    let pairs = |sql: &mut Sql| {
        sql.push(join.table)
            .push(" j where j.\"")
            .push(own_key.column)
            .push("\" = ");
        push_id(sql, own_key, own.1);
        if let Some(other) = other.1 {
            sql.push(" and j.\"").push(other_key.column).push("\" = ");
            push_id(sql, other_key, other);
        }
        if let Some(only) = join.only {
            sql.push(" and ").push(only);
        }
        sql.push(" and ");
    };
    let mut sql = Sql::new("delete from ");
    pairs(&mut sql);
    push_own_link(&mut sql, join, scope);
    sql.push(" returning j.\"")
        .push(other_key.column)
        .push(if other_key.is_text { "\"" } else { "\"::text" })
        .push(", to_jsonb(j)");
    let ended: Vec<(String, Typed<Json>)> = sql.build_query_as().fetch_all(&mut *connection).await?;
    if ended.is_empty() {
        let mut sql = Sql::new("select exists (select 1 from ");
        pairs(&mut sql);
        push_seen_link(&mut sql, join, scope);
        sql.push(")");
        if sql.build_query_scalar().fetch_one(connection).await? {
            return Err(Error::OutOfReach);
        }
    }
    let ended = ended.into_iter().filter_map(|(id, row)| {
        let other = id.parse().ok()?;
        Some(Ended { other, row: row.0 })
    });
    let mut ended: Vec<Ended> = ended.collect();
    ended.sort_unstable_by_key(|link| link.other);
    Ok(ended)
}

/// Links every row of one side of a join with every row of the other, each given as the name of a key and ids; rows that are linked stay so. Returns the
/// new rows of the join. For joins without labels alone: rights are not checked.
pub async fn link_all(
    executor: impl PgExecutor<'_>,
    join: &'static Join,
    own: (&str, &[i32]),
    others: (&str, &[i32]),
) -> Result<Vec<Json>> {
    let mut sql = Sql::new("insert into ");
    sql.push(join.table)
        .push(" as j (")
        .push(join.key(own.0).column)
        .push(", ")
        .push(join.key(others.0).column)
        .push(") select own, other from unnest(")
        .push_bind(own.1.to_vec())
        .push(") own cross join unnest(")
        .push_bind(others.1.to_vec())
        .push(") other order by 1, 2 on conflict do nothing returning to_jsonb(j)");
    let made: Vec<Typed<Json>> = sql.build_query_scalar().fetch_all(executor).await?;
    Ok(made.into_iter().map(|row| row.0).collect())
}

/// Ends the links between the rows of both sides of a join, like [`link_all`]. Returns the rows that the join had.
pub async fn unlink_all(
    executor: impl PgExecutor<'_>,
    join: &'static Join,
    own: (&str, &[i32]),
    others: (&str, &[i32]),
) -> Result<Vec<Json>> {
    let mut sql = Sql::new("delete from ");
    sql.push(join.table)
        .push(" j where j.")
        .push(join.key(own.0).column)
        .push(" = any(")
        .push_bind(own.1.to_vec())
        .push(") and j.")
        .push(join.key(others.0).column)
        .push(" = any(")
        .push_bind(others.1.to_vec())
        .push(") returning to_jsonb(j)");
    let ended: Vec<Typed<Json>> = sql.build_query_scalar().fetch_all(executor).await?;
    Ok(ended.into_iter().map(|row| row.0).collect())
}

/// Deletes rows of a join by their ids, as far as the scope may end these links. Returns how many it deleted.
pub async fn end_links(
    executor: impl PgExecutor<'_>,
    scope: &Scope,
    join: &'static Join,
    ids: &[i32],
) -> Result<usize> {
    let mut sql = Sql::new("delete from ");
    push_these(&mut sql, join, scope, ids);
    let done = sql.build().execute(executor).await?;
    Ok(usize::try_from(done.rows_affected()).unwrap_or(usize::MAX))
}

/// Stores deleted rows of a join again, with their former ids. Returns how many of them the scope has and may end: fewer than given where two rows were
/// linked again meanwhile. Fails if a linked row is gone.
pub async fn restore_links(
    connection: &mut PgConnection,
    scope: &Scope,
    join: &'static Join,
    links: &BTreeMap<i32, Json>,
) -> Result<usize> {
    let mut sql = Sql::new("insert into ");
    sql.push(join.table)
        .push(" select stored.* from unnest(")
        .push_bind(links.values().cloned().map(Typed).collect::<Vec<_>>())
        .push(") link cross join lateral jsonb_populate_record(null::")
        .push(join.table)
        .push(", link) stored on conflict do nothing");
    sql.build().execute(&mut *connection).await?;
    let ids: Vec<i32> = links.keys().copied().collect();
    let mut sql = Sql::new("select count(*) from ");
    push_these(&mut sql, join, scope, &ids);
    let there: i64 = sql.build_query_scalar().fetch_one(connection).await?;
    Ok(usize::try_from(there).unwrap_or_default())
}

/// Appends `<table> j where` and the condition that `j` has one of these ids and that the scope may end it.
fn push_these(sql: &mut Sql, join: &'static Join, scope: &Scope, ids: &[i32]) {
    sql.push(join.table)
        .push(" j where j.id = any(")
        .push_bind(ids.to_vec())
        .push(") and ");
    push_own_link(sql, join, scope);
}

/// Appends an id to the list `column` of a user account; if the list has it already, it is moved to the end. Does nothing for an unknown
/// user, and does not check what the id refers to.
pub async fn append_reference(executor: impl PgExecutor<'_>, column: &'static str, user: i64, id: i64) -> Result<()> {
    let mut sql = Sql::new("update user_account set ");
    sql.push(column)
        .push(" = array_remove(")
        .push(column)
        .push(", ")
        .push_bind(id)
        .push("::int4) || ")
        .push_bind(id)
        .push("::int4 where id = ")
        .push_bind(user);
    sql.build().execute(executor).await?;
    Ok(())
}

/// Takes an id, or all (`None`), out of the list `column` of a user account. Returns the ids that were taken out; empty if the list did not
/// have it or there is no such user.
pub async fn drop_references(
    executor: impl PgExecutor<'_>,
    column: &'static str,
    user: UserId,
    id: Option<i64>,
) -> Result<Vec<i64>> {
    let mut sql = Sql::new("update user_account u set ");
    sql.push(column).push(" = ");
    match id {
        Some(id) => sql
            .push("array_remove(u.")
            .push(column)
            .push(", ")
            .push_bind(id)
            .push("::int4)"),
        None => sql.push("'{}'"),
    };
    sql.push(" from (select id, ")
        .push(column)
        .push(" as held from user_account where id = ")
        .push_bind(user.0)
        .push(" for update) before where u.id = before.id returning coalesce(before.held, '{}')::int8[]");
    let linked: Option<Vec<i64>> = sql.build_query_scalar().fetch_optional(executor).await?;
    let linked = linked.unwrap_or_default().into_iter();
    Ok(linked.filter(|linked| id.is_none_or(|id| id == *linked)).collect())
}

/// Appends the condition that the scope sees the link in the row with alias `j`: always true for staff or for a join without labels; otherwise a link
/// of a company is seen by that company only, and a link of no company by everyone.
pub(super) fn push_seen_link(sql: &mut Sql, join: &Join, scope: &Scope) {
    if join.labels.is_none() || scope.is_everything() {
        sql.push("true");
        return;
    }
    sql.push("(j.company_account_id is null or j.company_account_id = ")
        .push_bind(scope.company().map(|company| company.0))
        .push(")");
}

/// Appends the condition that the scope may end the link `j`. Staff may end any, and in a join without labels everyone; else it must be the
/// company's own, or no company's and of a tag that is the brands' own and not shared.
fn push_own_link(sql: &mut Sql, join: &Join, scope: &Scope) {
    let (Some(labels), Some(brands)) = (join.labels, scope.brands()) else {
        sql.push("true");
        return;
    };
    sql.push("(j.company_account_id = ")
        .push_bind(scope.company().map(|company| company.0))
        .push(" or (j.company_account_id is null and exists (select from category c where c.id = j.")
        .push(join.key(labels.tag).column)
        .push(" and c.visibility is distinct from 'all' and c.brand_owner_id = any(")
        .push_bind(brands.iter().map(|brand| brand.0).collect::<Vec<_>>())
        .push("))))");
}

/// The company account that a new link will belong to: the scope's for a shared tag, `None` for a brand's own tag, for staff and for a join
/// without labels. [`Error::OutOfReach`] if the scope may not make the link.
async fn owner_of_link(
    connection: &mut PgConnection,
    scope: &Scope,
    join: &'static Join,
    own: (&str, i64),
    other: (&str, i64),
) -> Result<Option<i32>> {
    let (Some(labels), Some(brands)) = (join.labels, scope.brands()) else {
        return Ok(None);
    };
    let (tag, labelled) = if own.0 == labels.tag {
        (own.1, other.1)
    } else {
        (other.1, own.1)
    };
    let brands: Vec<i32> = brands.iter().map(|brand| brand.0).collect();
    let query = match labels.labelled {
        Labelled::Dealers => {
            "select c.visibility is not distinct from 'all', coalesce(c.brand_owner_id = any($3), false), exists (
                 select from dealer d join action a on a.advertiser_id = d.id or a.domain = d.domain
                 where d.id = $2 and a.brand_id = any($3)) from category c where c.id = $1"
        }
        Labelled::Terms => {
            "select c.visibility is not distinct from 'all', coalesce(c.brand_owner_id = any($3), false), exists (
                 select from term t where t.id = $2 and t.brand_id = any($3)) from category c where c.id = $1"
        }
    };
    let found: Option<(bool, bool, bool)> = sqlx::query_as(query)
        .bind(tag)
        .bind(labelled)
        .bind(brands)
        .fetch_optional(connection)
        .await?;
    match (found, scope.company()) {
        (Some((false, true, _)), _) => Ok(None),
        (Some((true, _, true)), Some(company)) => Ok(Some(company.0)),
        _ => Err(Error::OutOfReach),
    }
}

/// Appends `<table> j where` and the condition that `j` joins these two rows. The join's own condition (`only`) is left out.
fn push_pair(sql: &mut Sql, join: &'static Join, own: (&JoinKey, i64), other: (&JoinKey, i64)) {
    sql.push(join.table)
        .push(" j where j.\"")
        .push(own.0.column)
        .push("\" = ");
    push_id(sql, own.0, own.1);
    sql.push(" and j.\"").push(other.0.column).push("\" = ");
    push_id(sql, other.0, other.1);
}

/// Appends an id as a parameter, in the type of its column.
fn push_id(sql: &mut Sql, key: &JoinKey, id: i64) {
    if key.is_text {
        sql.push_bind(id.to_string());
    } else {
        sql.push_bind(id);
    }
}

/// An id as clients see it: a text where the join keeps it as text.
fn id_json(key: &JoinKey, id: i64) -> Json {
    if key.is_text {
        Json::String(id.to_string())
    } else {
        Json::from(id)
    }
}
