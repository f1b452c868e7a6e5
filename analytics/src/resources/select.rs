//! Statements that read sems (captured ads).

use vocabulary::Scope;
use vocabulary::resources::models::SEM;
use vocabulary::resources::{Condition, Filter, OrderBy};

use super::Origin;
use super::conditions::push_condition;
use super::narrowing::narrow;
use super::sql::Sql;
use crate::statement::{Statement, Value as Parameter};

const SEMS: &str = include_str!("../../../sql/clickhouse/queries/sems.sql");
const COLUMNS: &str = "id, by_hand, brand_id, term, date, brand, title, description, display_url, target_url, position, real_position, \
    domain, country, language, region, engine, type, device, term_id, dealer_id";

/// The query of the rows that [`super::find`] returns.
pub(super) fn rows(scope: &Scope, origin: Origin<'_>, filter: &Filter) -> Statement {
    let mut sql = selecting(COLUMNS, scope, origin, &filter.condition);
    push_order(&mut sql, &filter.order);
    push_limit(&mut sql, origin, filter);
    sql.statement()
}

/// The query of how many rows there are without skip and limit.
pub(super) fn count(scope: &Scope, origin: Origin<'_>, condition: &Condition) -> Statement {
    selecting("count()", scope, origin, condition).statement()
}

/// Begins a query: these columns of the sems that the scope sees, that have the origin and that meet the condition; without order and limit.
fn selecting(columns: &str, scope: &Scope, origin: Origin<'_>, condition: &Condition) -> Sql {
    let mut sql = Sql::default();
    let narrowed = narrow(&mut sql, scope, origin, condition);
    let sems = SEMS.replace("${narrowed}", &narrowed);
    sql.push(&format!("SELECT {columns}\nFROM ({sems}) AS sems"));
    push_where(&mut sql, scope, origin, condition);
    sql
}

/// Appends `WHERE` with the conditions of the scope, the origin and the condition. Ids of an origin that are not numbers are dropped; an origin with
/// none left matches no row.
fn push_where(sql: &mut Sql, scope: &Scope, origin: Origin<'_>, condition: &Condition) {
    sql.push("\nWHERE ");
    if let (Some(brands), Some(terms)) = (scope.brands(), scope.terms()) {
        let brands = brands.iter().map(|brand| brand.0.into()).collect();
        let terms = terms.iter().map(|term| term.0.into()).collect();
        sql.push("(brand_id IN ")
            .push_bind("Array(UInt32)", Parameter::Integers(brands));
        sql.push(" OR ifNull(term_id, 0) IN ")
            .push_bind("Array(Int64)", Parameter::Integers(terms))
            .push(") AND ");
    }
    if let Some((field, ids)) = origin {
        let column = SEM.field(field).unwrap_or(SEM.id()).column;
        let ids = ids.iter().filter_map(|id| id.parse().ok()).collect();
        sql.push(column)
            .push(" IN ")
            .push_bind("Array(Int64)", Parameter::Integers(ids))
            .push(" AND ");
    }
    push_condition(sql, condition);
}

/// Appends the order, in which null is the largest value: last if ascending, first if descending. Equal rows are ordered by id, ascending.
fn push_order(sql: &mut Sql, order: &[OrderBy]) {
    sql.push("\nORDER BY ");
    for step in order {
        sql.push(step.field.column).push(if step.descending {
            " DESC NULLS FIRST, "
        } else {
            " ASC NULLS LAST, "
        });
    }
    sql.push("id");
}

/// Appends skip and limit. With several rows as origin they apply to the sems of each, not to all together.
fn push_limit(sql: &mut Sql, origin: Origin<'_>, filter: &Filter) {
    let (limit, skip) = (filter.limit.to_string(), filter.skip.to_string());
    match origin {
        Some((field, ids)) if ids.len() > 1 => {
            let column = SEM.field(field).unwrap_or(SEM.id()).column;
            sql.push("\nLIMIT ")
                .push(&skip)
                .push(", ")
                .push(&limit)
                .push(" BY ")
                .push(column);
        }
        _ => {
            sql.push("\nLIMIT ").push(&skip).push(", ").push(&limit);
        }
    }
}
