//! What a scope means in SQL.

use vocabulary::Scope;

use crate::statement::{Conditions, Value};

/// The conditions that every read of tenant data starts from: brands of the scope, or terms that it was given access to (decision D94). None for a
/// scope that sees everything; a scope without brands and terms sees nothing.
pub(crate) fn conditions(scope: &Scope) -> Conditions {
    let mut conditions = Conditions::default();
    let (Some(brands), Some(terms)) = (scope.brands(), scope.terms()) else {
        return conditions;
    };
    let brands = Value::Integers(brands.iter().map(|brand| brand.0.into()).collect());
    let terms = Value::Integers(terms.iter().map(|term| term.0.into()).collect());
    let one_of = "# IN {$:Array(UInt32)}";
    match (is_empty(&brands), is_empty(&terms)) {
        (true, true) => conditions.push_nothing(),
        (false, true) => conditions.push("brand_id", one_of, brands),
        (true, false) => conditions.push("term_id", one_of, terms),
        (false, false) => conditions.push_either(one_of, [("brand_id", brands), ("term_id", terms)]),
    }
    conditions
}

fn is_empty(value: &Value) -> bool {
    matches!(value, Value::Integers(list) if list.is_empty())
}
