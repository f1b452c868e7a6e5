//! Reads of sems as SQL.

use vocabulary::Scope;
use vocabulary::resources::models::SEM;
use vocabulary::resources::{Condition, Filter, OrderBy};

use super::Origin;
use super::conditions::push_condition;
use super::narrowing::narrow;
use crate::statement::{Statement, Value as Parameter};

const SEMS: &str = include_str!("../../../sql/clickhouse/queries/sems.sql");

/// A statement that grows.
pub(super) struct Sql {
    text: String,
    parameters: Vec<(String, Parameter)>,
}

impl Sql {
    pub(super) fn reading(scope: &Scope, origin: Origin<'_>, condition: &Condition) -> Self {
        Self::new(
            "SELECT id, by_hand, brand_id, term, date, brand, title, description, display_url, target_url, position, real_position, \
             domain, country, language, region, engine, type, device, term_id, dealer_id",
            scope,
            origin,
            condition,
        )
    }

    pub(super) fn counting(scope: &Scope, origin: Origin<'_>, condition: &Condition) -> Self {
        Self::new("SELECT count()", scope, origin, condition)
    }

    fn new(select: &str, scope: &Scope, origin: Origin<'_>, condition: &Condition) -> Self {
        let mut sql = Self {
            text: String::new(),
            parameters: Vec::new(),
        };
        let narrowed = narrow(&mut sql, scope, origin, condition);
        sql.text = format!("{select}\nFROM ({}) AS sems", SEMS.replace("${narrowed}", &narrowed));
        sql
    }

    pub(super) fn push(&mut self, text: &str) -> &mut Self {
        self.text.push_str(text);
        self
    }

    /// Appends a parameter of this type.
    pub(super) fn push_bind(&mut self, kind: &str, value: Parameter) -> &mut Self {
        let name = self.parameter(value);
        self.push(&format!("{{{name}:{kind}}}"))
    }

    pub(super) fn parameter(&mut self, value: Parameter) -> String {
        let name = format!("p{}", self.parameters.len());
        self.parameters.push((name.clone(), value));
        name
    }

    pub(super) fn push_where(&mut self, scope: &Scope, origin: Origin<'_>, condition: &Condition) {
        self.push("\nWHERE ");
        if let (Some(brands), Some(terms)) = (scope.brands(), scope.terms()) {
            let brands = brands.iter().map(|brand| brand.0.into()).collect();
            let terms = terms.iter().map(|term| term.0.into()).collect();
            self.push("(brand_id IN ")
                .push_bind("Array(UInt32)", Parameter::Integers(brands));
            self.push(" OR ifNull(term_id, 0) IN ")
                .push_bind("Array(Int64)", Parameter::Integers(terms))
                .push(") AND ");
        }
        if let Some((field, ids)) = origin {
            let column = SEM.field(field).unwrap_or(SEM.id()).column;
            let ids = ids.iter().filter_map(|id| id.parse().ok()).collect();
            self.push(column)
                .push(" IN ")
                .push_bind("Array(Int64)", Parameter::Integers(ids))
                .push(" AND ");
        }
        push_condition(self, condition);
    }

    pub(super) fn push_order(&mut self, order: &[OrderBy]) {
        self.push("\nORDER BY ");
        for step in order {
            self.push(step.field.column).push(if step.descending {
                " DESC NULLS FIRST, "
            } else {
                " ASC NULLS LAST, "
            });
        }
        self.push("id");
    }

    pub(super) fn push_limit(&mut self, origin: Origin<'_>, filter: &Filter) {
        let (limit, skip) = (filter.limit.to_string(), filter.skip.to_string());
        match origin {
            Some((field, ids)) if ids.len() > 1 => {
                let column = SEM.field(field).unwrap_or(SEM.id()).column;
                self.push("\nLIMIT ")
                    .push(&skip)
                    .push(", ")
                    .push(&limit)
                    .push(" BY ")
                    .push(column);
            }
            _ => {
                self.push("\nLIMIT ").push(&skip).push(", ").push(&limit);
            }
        }
    }

    pub(super) fn statement(self) -> Statement {
        let statement = Statement::new(&self.text);
        self.parameters
            .into_iter()
            .fold(statement, |statement, (name, value)| statement.with(&name, value))
    }
}
