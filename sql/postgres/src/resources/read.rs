//! Reading and counting the rows of a model.

use futures::TryStreamExt;
use serde_json::Value as Json;
use sqlx::PgExecutor;
use sqlx::types::Json as Jsonb;
use vocabulary::resources::{Condition, Filter, MAX_ROWS, Model, OrderBy, Value};
use vocabulary::{BrandId, Scope, SystemScope};

use super::conditions::push_condition;
use super::rows::{hidden_columns, push_from, push_json, push_origin, push_reached, push_table};
use super::sight::{push_reach, push_sight};
use super::{ReachedFrom, Sql};
use crate::{Error, Result};

/// The most rows, and the most bytes, that one query from several rows may return: bounds the memory of a request.
const MOST_ROWS: i64 = 50_000;
const MOST_BYTES: usize = 64 << 20;

/// A row that a query found, and the id of the row that it was reached from.
#[derive(Clone, Debug)]
pub struct FoundRow {
    /// Id of the row that it was reached from; `None` from [`ReachedFrom::Anywhere`].
    pub origin: Option<String>,
    /// Its fields as the text of a JSON object, since most rows are passed on unparsed.
    pub row: String,
}

/// The rows within `within` that the scope sees and that match the filter, in its order; its `include` is ignored, its condition must be settled (see
/// [`super::settle`]). Reached from several rows, limit and skip apply to the rows of each (without skip, a limit of `MAX_ROWS` or more counts as
/// none); all come in one list, not grouped, each with its `origin`. [`Error::TooMany`] beyond `MOST_ROWS` rows or `MOST_BYTES` bytes.
pub async fn find(
    executor: impl PgExecutor<'_>,
    scope: &Scope,
    model: &'static Model,
    within: ReachedFrom<'_>,
    filter: &Filter,
) -> Result<Vec<FoundRow>> {
    let from_many = matches!(within, ReachedFrom::Related(_, ids) if ids.len() > 1);
    let per_origin = from_many && (filter.limit < MAX_ROWS || filter.skip > 0);
    let (limit, skip) = (as_bigint(filter.limit), as_bigint(filter.skip));
    let mut sql = if from_many {
        let mut sql = Sql::new(if per_origin {
            "select origin, found from (select "
        } else {
            "select "
        });
        push_origin(&mut sql, model, within);
        sql.push(" as origin, ");
        push_json(&mut sql, model, &filter.fields);
        sql.push("::text as found");
        if per_origin {
            sql.push(", row_number() over (partition by ");
            push_origin(&mut sql, model, within);
            push_order(&mut sql, model, &filter.order);
            sql.push(") as place");
        }
        sql
    } else {
        // What is selected is built before rows are sorted: here, of the rows of the page alone.
        let mut sql = Sql::new("select reached_from as origin, ");
        push_json(&mut sql, model, &filter.fields);
        sql.push("::text as found from (select t.*, ");
        push_origin(&mut sql, model, within);
        sql.push(" as reached_from");
        sql
    };
    sql.push(" from ");
    push_from(&mut sql, scope, model, within);
    push_where(&mut sql, scope, model, within, &filter.condition);
    if per_origin {
        sql.push(") x where place > ")
            .push_bind(skip)
            .push(" and place <= ")
            .push_bind(skip.saturating_add(limit));
        sql.push(" order by place limit ").push_bind(MOST_ROWS + 1);
    } else if from_many {
        push_order(&mut sql, model, &filter.order);
        sql.push(" limit ").push_bind(MOST_ROWS + 1);
    } else {
        push_order(&mut sql, model, &filter.order);
        sql.push(" limit ").push_bind(limit).push(" offset ").push_bind(skip);
        sql.push(") t");
        push_order(&mut sql, model, &filter.order);
    }
    let mut rows = sql.build_query_as::<(Option<String>, String)>().fetch(executor);
    let (mut found, mut bytes) = (Vec::new(), 0);
    while let Some((origin, row)) = rows.try_next().await? {
        bytes += row.len();
        if bytes > MOST_BYTES || i64::try_from(found.len()) == Ok(MOST_ROWS) {
            return Err(Error::TooMany);
        }
        found.push(FoundRow { origin, row });
    }
    Ok(found)
}

/// How many rows within `within` the scope sees that meet the condition, which must be settled (see [`super::settle`]).
pub async fn count(
    executor: impl PgExecutor<'_>,
    scope: &Scope,
    model: &'static Model,
    within: ReachedFrom<'_>,
    condition: &Condition,
) -> Result<i64> {
    let mut sql = Sql::new("select count(*) from ");
    push_from(&mut sql, scope, model, within);
    push_where(&mut sql, scope, model, within, condition);
    Ok(sql.build_query_scalar().fetch_one(executor).await?)
}

/// Whether a condition, which must be settled, holds for every row that the scope may change. A row without a value to compare counts as
/// meeting it; `false` when there are no such rows.
pub async fn holds_for_all(
    executor: impl PgExecutor<'_>,
    scope: &Scope,
    model: &'static Model,
    condition: &Condition,
) -> Result<bool> {
    let mut sql = Sql::new("select coalesce(bool_and((");
    push_condition(&mut sql, condition);
    sql.push(") is not false), false) from ")
        .push(model.table)
        .push(" t where ");
    push_reach(&mut sql, model, scope);
    Ok(sql.build_query_scalar().fetch_one(executor).await?)
}

/// Whether a row with this id exists and the scope sees it.
pub async fn sees(executor: impl PgExecutor<'_>, scope: &Scope, model: &'static Model, id: &Value) -> Result<bool> {
    let condition = Condition::test(model.id(), vocabulary::resources::ValueTest::Equals(id.clone()));
    Ok(count(executor, scope, model, ReachedFrom::Anywhere, &condition).await? > 0)
}

/// The ids of those of `rows` (JSON by column name, as they were before a change) that the scope saw then and that met the condition, which must be
/// settled for them (see [`super::settle_for`]). Other tables are read as they are now.
pub async fn seen_before_change(
    executor: impl PgExecutor<'_>,
    scope: &Scope,
    model: &'static Model,
    rows: &[Json],
    condition: &Condition,
) -> Result<Vec<i64>> {
    let mut sql = Sql::new("select t.id::int8 from jsonb_array_elements(");
    sql.push_bind(Jsonb(rows))
        .push(") was cross join lateral jsonb_populate_record(null::")
        .push(model.table)
        .push(", was - ")
        .push_bind(hidden_columns(scope, model))
        .push(") t where ");
    push_sight(&mut sql, model, scope);
    sql.push(" and ");
    push_condition(&mut sql, condition);
    Ok(sql.build_query_scalar().fetch_all(executor).await?)
}

/// The brands that rows of a model with a brand ([`Visibility::OfBrand`](vocabulary::resources::Visibility)) have now, by their ids; rows that are
/// gone are left out.
pub async fn brands_of(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    model: &'static Model,
    ids: &[i64],
) -> Result<Vec<(i64, Option<BrandId>)>> {
    let mut sql = Sql::new("select t.id::int8, t.brand_id from ");
    sql.push(model.table)
        .push(" t where t.id = any(")
        .push_bind(ids)
        .push(")");
    let rows: Vec<(i64, Option<i32>)> = sql.build_query_as().fetch_all(executor).await?;
    Ok(rows.into_iter().map(|(id, brand)| (id, brand.map(BrandId))).collect())
}

/// The ids of the rows that meet a condition (settled, see [`super::settle`]) and that the first scope sees and the second does not,
/// ascending: those a reader lost or got by a change of rights. [`Error::TooMany`] if there are more than [`MAX_ROWS`].
pub async fn seen_by_first_only(
    executor: impl PgExecutor<'_>,
    (scope, other): (&Scope, &Scope),
    model: &'static Model,
    condition: &Condition,
) -> Result<Vec<i64>> {
    let mut sql = Sql::new("select t.id::int8 from ");
    push_table(&mut sql, scope, model);
    sql.push(" t where ");
    push_sight(&mut sql, model, scope);
    sql.push(" and (");
    push_sight(&mut sql, model, other);
    sql.push(") is not true and ");
    push_condition(&mut sql, condition);
    sql.push(" order by t.id limit ").push_bind(as_bigint(MAX_ROWS) + 1);
    let ids: Vec<i64> = sql.build_query_scalar().fetch_all(executor).await?;
    if u64::try_from(ids.len()).is_ok_and(|found| found <= MAX_ROWS) {
        Ok(ids)
    } else {
        Err(Error::TooMany)
    }
}

/// Appends the `where` of a read from the tables of [`push_from`]: rows that the scope sees, that are reached from `within` and that meet
/// the condition.
pub(super) fn push_where(
    sql: &mut Sql,
    scope: &Scope,
    model: &'static Model,
    within: ReachedFrom<'_>,
    condition: &Condition,
) {
    sql.push(" where ");
    push_sight(sql, model, scope);
    sql.push(" and ");
    push_reached(sql, model, within);
    sql.push(" and ");
    push_condition(sql, condition);
}

/// Appends the `order by`: these fields, one after the other, then the id, ascending. Nulls come last ascending and first descending, or always last
/// where `nulls_last` says so. The table must have the alias `t`.
fn push_order(sql: &mut Sql, model: &Model, order: &[OrderBy]) {
    sql.push(" order by ");
    for step in order {
        sql.push("t.\"")
            .push(step.field.column)
            .push(if step.descending { "\" desc" } else { "\"" });
        // Every row has an id, and its index has no place for nulls.
        let is_id = step.field.name == model.id().name;
        sql.push(if step.nulls_last && !is_id {
            " nulls last, "
        } else {
            ", "
        });
    }
    sql.push("t.id");
}

/// The number as the database takes it; one too large becomes the largest.
fn as_bigint(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
