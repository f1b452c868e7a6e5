//! Conditions that the database cannot run as they are. Regular expressions of clients never run there: literal ones become LIKE, others run
//! here over the texts in scope. Conditions on joined rows become ids, found within the scope.

use futures::TryStreamExt;
use serde_json::Value as Json;
use sqlx::PgConnection;
use vocabulary::Scope;
use vocabulary::resources::{Condition, Field, Link, Model, Pattern, Relation, Value, ValueTest};

use super::Sql;
use super::links::push_seen_link;
use super::sight::push_sight;
use crate::{Error, Result};

/// Texts that one expression runs over at most (decision D160).
const MAX_TEXTS: i64 = 200_000;
/// The rest of a longer text is ignored.
const MAX_TEXT: i32 = 4_000;

/// Replaces the regular expressions of a condition by tests that the database can run: literal ones by `LIKE`, any other by the ids of the
/// visible rows whose text matches now. A condition on joined rows becomes one on the ids of the rows that the scope sees joined. Only the first
/// `MAX_TEXT` characters of a text count. [`Error::TooMany`] if the field of such an expression is set in more than `MAX_TEXTS` visible rows.
pub async fn settle(
    connection: &mut PgConnection,
    scope: &Scope,
    model: &'static Model,
    condition: Condition,
) -> Result<Condition> {
    Ok(match condition {
        Condition::All(list) => Condition::All(settle_all(connection, scope, model, list).await?),
        Condition::Any(list) => Condition::Any(settle_all(connection, scope, model, list).await?),
        Condition::Test {
            field,
            path,
            test: ValueTest::Matches(pattern),
        } => {
            if let Some(like) = pattern.as_like() {
                let test = ValueTest::Like(like);
                return Ok(Condition::Test { field, path, test });
            }
            has_one_of_ids(
                model,
                ids_of_matching(connection, scope, model, field, &path, &pattern).await?,
            )
        }
        Condition::Joined { relation, ids, is_one } => {
            let joined = ids_of_joined(connection, scope, relation, ids).await?;
            if is_one {
                has_one_of_ids(model, joined)
            } else if joined.is_empty() {
                Condition::everything()
            } else {
                Condition::test(model.id(), ValueTest::NoneOf(joined))
            }
        }
        other => other,
    })
}

/// The conditions of a list, each settled.
async fn settle_all(
    connection: &mut PgConnection,
    scope: &Scope,
    model: &'static Model,
    list: Vec<Condition>,
) -> Result<Vec<Condition>> {
    let mut settled = Vec::with_capacity(list.len());
    for condition in list {
        settled.push(Box::pin(settle(connection, scope, model, condition)).await?);
    }
    Ok(settled)
}

/// The condition that a row has one of these ids; no row meets it if there are none.
fn has_one_of_ids(model: &'static Model, ids: Vec<Value>) -> Condition {
    if ids.is_empty() {
        Condition::Never
    } else {
        Condition::test(model.id(), ValueTest::OneOf(ids))
    }
}

/// Like [`settle()`], but expressions run over the given rows (JSON by column name, with a number as `id`), whatever is stored now; no scope
/// and no limit on their number applies. What the rows were joined with is
/// not known any more: every row meets a condition on it.
pub fn settle_for(rows: &[Json], model: &'static Model, condition: Condition) -> Condition {
    let all = |list: Vec<Condition>| {
        let list = list.into_iter().map(|condition| settle_for(rows, model, condition));
        list.collect()
    };
    match condition {
        Condition::All(list) => Condition::All(all(list)),
        Condition::Any(list) => Condition::Any(all(list)),
        Condition::Test {
            field,
            path,
            test: ValueTest::Matches(pattern),
        } => {
            if let Some(like) = pattern.as_like() {
                let test = ValueTest::Like(like);
                return Condition::Test { field, path, test };
            }
            let matching = rows.iter().filter(|row| {
                let text = text_at(row, field, &path);
                text.is_some_and(|text| pattern.matches(&text))
            });
            let ids = matching.filter_map(|row| row.get("id")?.as_i64()).map(Value::Whole);
            has_one_of_ids(model, ids.collect())
        }
        Condition::Joined { .. } => Condition::everything(),
        other => other,
    }
}

/// The first `MAX_TEXT` characters of the text in a column of a row, or at a path inside its JSON; other JSON as it is written. `None`
/// where there is nothing or null.
fn text_at(row: &Json, field: &Field, path: &[String]) -> Option<String> {
    let found = path
        .iter()
        .try_fold(row.get(field.column)?, |inside, step| match inside {
            Json::Array(items) => items.get(step.parse::<usize>().ok()?),
            other => other.get(step),
        })?;
    let text = match found {
        Json::Null => return None,
        Json::String(text) => text.clone(),
        other => other.to_string(),
    };
    Some(
        text.chars()
            .take(usize::try_from(MAX_TEXT).unwrap_or_default())
            .collect(),
    )
}

/// The ids of the visible rows whose text in the field, or at `path` inside its JSON, matches in its first `MAX_TEXT` characters.
/// [`Error::TooMany`] if the field is set in more than `MAX_TEXTS` visible rows.
async fn ids_of_matching(
    connection: &mut PgConnection,
    scope: &Scope,
    model: &'static Model,
    field: &Field,
    path: &[String],
    pattern: &Pattern,
) -> Result<Vec<Value>> {
    let mut sql = Sql::new("select t.id::int8, left(");
    sql.push("t.\"").push(field.column).push("\"");
    if !path.is_empty() {
        sql.push(" #>> ").push_bind(path.to_vec());
    }
    sql.push(", ")
        .push_bind(MAX_TEXT)
        .push(") from ")
        .push(model.table)
        .push(" t where ");
    push_sight(&mut sql, model, scope);
    sql.push(" and t.\"")
        .push(field.column)
        .push("\" is not null limit ")
        .push_bind(MAX_TEXTS + 1);
    let mut rows = sql.build_query_as::<(i64, Option<String>)>().fetch(connection);
    let (mut seen, mut ids) = (0, Vec::new());
    while let Some((id, text)) = rows.try_next().await? {
        seen += 1;
        if seen > MAX_TEXTS {
            return Err(Error::TooMany);
        }
        if text.is_some_and(|text| pattern.matches(&text)) {
            ids.push(Value::Whole(id));
        }
    }
    Ok(ids)
}

/// The ids of the rows that are joined with one of these, as far as the scope sees the links and the other rows. None for a relation that
/// does not lead through a third table.
async fn ids_of_joined(
    connection: &mut PgConnection,
    scope: &Scope,
    relation: &'static Relation,
    ids: Vec<i64>,
) -> Result<Vec<Value>> {
    let Link::Through { join, own, other } = relation.link else {
        return Ok(Vec::new());
    };
    let other = join.key(other).column;
    let mut sql = Sql::new("select distinct j.\"");
    sql.push(join.key(own).column)
        .push("\"::int8 from ")
        .push(join.table)
        .push(" j join ")
        .push(relation.target.table)
        .push(" t on t.id = j.\"")
        .push(other)
        .push("\" where t.id = any(")
        .push_bind(ids)
        .push(") and ");
    push_sight(&mut sql, relation.target, scope);
    sql.push(" and ");
    push_seen_link(&mut sql, join, scope);
    let joined: Vec<i64> = sql.build_query_scalar().fetch_all(connection).await?;
    Ok(joined.into_iter().map(Value::Whole).collect())
}
