//! Conditions that the database cannot run as they are. Regular expressions of clients never run there: literal ones become LIKE, others run
//! here over the texts in scope. Conditions on joined rows become ids, found within the scope.

use futures::TryStreamExt;
use serde_json::Value as Json;
use sqlx::PgConnection;
use vocabulary::Scope;
use vocabulary::resources::{Condition, Field, Join, Link, Model, Pattern, Relation, Value, ValueTest};

use super::Sql;
use super::links::push_seen_link;
use super::sight::push_sight;
use crate::{Error, Result};

/// Texts that one expression runs over, and joined rows that one condition names, at most (decision D160).
const MAX_TEXTS: i64 = 200_000;
/// The rest of a longer text is ignored.
const MAX_TEXT: i32 = 4_000;

/// Replaces the regular expressions of a condition by tests that the database can run: literal ones by `LIKE`, any other by the ids of the
/// visible rows whose text matches now. A condition on joined rows becomes one on the ids of the rows that the scope sees joined. Only the first
/// `MAX_TEXT` characters of a text count. [`Error::TooMany`] if the field of such an expression is set in more than `MAX_TEXTS` visible rows, or if as
/// many are joined.
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
            let joined = ids_of_joined(connection, scope, model, relation, ids).await?;
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

/// Like [`settle()`], but expressions run over the given rows (JSON by column name, with a number as `id`), whatever is stored now; no scope and no limit
/// on their number applies to these. A row holds the links that it had under the name of their table, as pairs of the other id and the company account
/// that the link belongs to; a row without any such list meets every condition on links.
pub async fn settle_for(
    connection: &mut PgConnection,
    scope: &Scope,
    rows: &[Json],
    model: &'static Model,
    condition: Condition,
) -> Result<Condition> {
    let of_rows = |meets: &dyn Fn(&Json) -> bool| {
        let meeting = rows.iter().filter(|row| meets(row));
        let ids = meeting.filter_map(|row| row.get("id")?.as_i64()).map(Value::Whole);
        has_one_of_ids(model, ids.collect())
    };
    Ok(match condition {
        Condition::All(list) => Condition::All(settle_all_for(connection, scope, rows, model, list).await?),
        Condition::Any(list) => Condition::Any(settle_all_for(connection, scope, rows, model, list).await?),
        Condition::Test {
            field,
            path,
            test: ValueTest::Matches(pattern),
        } => {
            if let Some(like) = pattern.as_like() {
                let test = ValueTest::Like(like);
                return Ok(Condition::Test { field, path, test });
            }
            of_rows(&|row| text_at(row, field, &path).is_some_and(|text| pattern.matches(&text)))
        }
        Condition::Joined { relation, ids, is_one } => {
            let Link::Through { join, .. } = relation.link else {
                return Ok(Condition::Never);
            };
            let others = ids_in_sight(connection, scope, relation.target, ids).await?;
            of_rows(&|row| is_joined(row, scope, join, &others).is_none_or(|joined| joined == is_one))
        }
        other => other,
    })
}

/// The conditions of a list, each settled for the rows.
async fn settle_all_for(
    connection: &mut PgConnection,
    scope: &Scope,
    rows: &[Json],
    model: &'static Model,
    list: Vec<Condition>,
) -> Result<Vec<Condition>> {
    let mut settled = Vec::with_capacity(list.len());
    for condition in list {
        settled.push(Box::pin(settle_for(connection, scope, rows, model, condition)).await?);
    }
    Ok(settled)
}

/// Those of the ids whose rows the scope sees; all, whether they exist or not, for a scope that sees everything.
async fn ids_in_sight(
    connection: &mut PgConnection,
    scope: &Scope,
    model: &'static Model,
    ids: Vec<i64>,
) -> Result<Vec<i64>> {
    if scope.is_everything() {
        return Ok(ids);
    }
    let mut sql = Sql::new("select t.id::int8 from ");
    sql.push(model.table)
        .push(" t where t.id = any(")
        .push_bind(ids)
        .push(") and ");
    push_sight(&mut sql, model, scope);
    Ok(sql.build_query_scalar().fetch_all(connection).await?)
}

/// Whether a row has a link that the scope sees to one of these, by the list that it holds; `None` if it holds none.
fn is_joined(row: &Json, scope: &Scope, join: &Join, others: &[i64]) -> Option<bool> {
    let links = row.get(join.table)?.as_array()?;
    let company = scope.company().map(|company| i64::from(company.0));
    let is_seen = |of: Option<i64>| join.labels.is_none() || scope.is_everything() || of.is_none() || of == company;
    Some(links.iter().any(|link| {
        let number = |place: usize| link.get(place).and_then(Json::as_i64);
        number(0).is_some_and(|other| others.contains(&other)) && is_seen(number(1))
    }))
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

/// The ids of the visible rows that are joined with one of these, as far as the scope sees the links and the other rows. None for a relation that
/// does not lead through a third table. [`Error::TooMany`] for more than `MAX_TEXTS`.
async fn ids_of_joined(
    connection: &mut PgConnection,
    scope: &Scope,
    model: &'static Model,
    relation: &'static Relation,
    ids: Vec<i64>,
) -> Result<Vec<Value>> {
    let Link::Through { join, own, other } = relation.link else {
        return Ok(Vec::new());
    };
    let mut sql = Sql::new("select t.id::int8 from ");
    sql.push(model.table).push(" t where ");
    push_sight(&mut sql, model, scope);
    sql.push(" and t.id in (select j.\"")
        .push(join.key(own).column)
        .push("\" from ")
        .push(join.table)
        .push(" j join ")
        .push(relation.target.table)
        .push(" t on t.id = j.\"")
        .push(join.key(other).column)
        .push("\" where t.id = any(")
        .push_bind(ids)
        .push(") and ");
    push_sight(&mut sql, relation.target, scope);
    sql.push(" and ");
    push_seen_link(&mut sql, join, scope);
    sql.push(") limit ").push_bind(MAX_TEXTS + 1);
    let joined: Vec<i64> = sql.build_query_scalar().fetch_all(connection).await?;
    if i64::try_from(joined.len()).is_ok_and(|found| found > MAX_TEXTS) {
        return Err(Error::TooMany);
    }
    Ok(joined.into_iter().map(Value::Whole).collect())
}
