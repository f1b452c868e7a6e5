//! Conditions on sems as SQL.

use vocabulary::resources::{Condition, Field, Like, Value, ValueTest};

use super::sql::Sql;
use crate::statement::Value as Parameter;

/// Appends a condition as SQL. Without parts, `All` is met by everything and `Any` by nothing. A test of a path within a field is met by nothing,
/// since no field of a sem is JSON.
pub(super) fn push_condition(sql: &mut Sql, condition: &Condition) {
    match condition {
        Condition::All(list) => push_list(sql, list, " AND ", "1"),
        Condition::Any(list) => push_list(sql, list, " OR ", "0"),
        Condition::Test { field, path, test } if path.is_empty() => push_test(sql, field, test),
        // No field of a sem is JSON, and no join leads from one.
        Condition::Never | Condition::Test { .. } | Condition::Joined { .. } => {
            sql.push("0");
        }
    }
}

/// Appends the conditions in parentheses, joined by `word` (with its spaces, as in `" AND "`); for an empty list, appends `empty` instead.
fn push_list(sql: &mut Sql, list: &[Condition], word: &str, empty: &str) {
    if list.is_empty() {
        sql.push(empty);
        return;
    }
    sql.push("(");
    for (index, condition) in list.iter().enumerate() {
        if index > 0 {
            sql.push(word);
        }
        push_condition(sql, condition);
    }
    sql.push(")");
}

/// Appends the test of a field. Null meets only the test for null, also where a value is to differ or to be none of a list.
fn push_test(sql: &mut Sql, field: &Field, test: &ValueTest) {
    match test {
        ValueTest::IsNull => {
            sql.push("isNull(").push(field.column).push(")");
        }
        ValueTest::IsSomething => {
            sql.push("isNotNull(").push(field.column).push(")");
        }
        ValueTest::Equals(value) => push_compared(sql, field, " = ", value),
        ValueTest::Differs(value) => push_compared(sql, field, " != ", value),
        ValueTest::Greater(value) => push_compared(sql, field, " > ", value),
        ValueTest::AtLeast(value) => push_compared(sql, field, " >= ", value),
        ValueTest::Less(value) => push_compared(sql, field, " < ", value),
        ValueTest::AtMost(value) => push_compared(sql, field, " <= ", value),
        ValueTest::Between(low, high) => {
            push_compared(sql, field, " >= ", low);
            sql.push(" AND ");
            push_compared(sql, field, " <= ", high);
        }
        ValueTest::OneOf(values) => push_list_of_values(sql, field, values, false),
        ValueTest::NoneOf(values) => push_list_of_values(sql, field, values, true),
        ValueTest::Like(like) => push_like(sql, field, like),
        ValueTest::Matches(pattern) => {
            let expression = if pattern.folds_case() {
                format!("(?i){}", pattern.source())
            } else {
                pattern.source().to_owned()
            };
            sql.push("match(")
                .push(field.column)
                .push(", ")
                .push_bind("String", Parameter::Text(expression))
                .push(")");
        }
    }
}

/// Appends a comparison; it is false for null, which is neither like nor unlike anything.
fn push_compared(sql: &mut Sql, field: &Field, operator: &str, value: &Value) {
    sql.push("ifNull(").push(field.column).push(operator);
    push_value(sql, value);
    sql.push(", 0)");
}

/// Appends the test that a field equals one of the values or, with `negated`, none of them. A null field fails both; an empty list lets no row pass
/// or, negated, every row with a value.
fn push_list_of_values(sql: &mut Sql, field: &Field, values: &[Value], negated: bool) {
    sql.push("(isNotNull(")
        .push(field.column)
        .push(if negated { ") AND NOT (0" } else { ") AND (0" });
    for value in values {
        sql.push(" OR ");
        push_compared(sql, field, " = ", value);
    }
    sql.push("))");
}

/// Appends the test of a pattern with `%` (any text) and `_` (any character), of upper and lower case alike if `folds_case`; null meets neither it
/// nor its negation.
fn push_like(sql: &mut Sql, field: &Field, like: &Like) {
    let function = match (like.folds_case, like.negated) {
        (false, false) => "like(",
        (false, true) => "notLike(",
        (true, false) => "ilike(",
        (true, true) => "notILike(",
    };
    sql.push("ifNull(").push(function).push(field.column).push(", ");
    sql.push_bind("String", Parameter::Text(like.pattern.clone()))
        .push("), 0)");
}

/// Appends a value as a parameter. A null, truth value, JSON value, list of texts or file id, which no column of a sem can hold, becomes `NULL`, so
/// that comparisons with it are false.
fn push_value(sql: &mut Sql, value: &Value) {
    match value {
        Value::Whole(number) => sql.push_bind("Int64", Parameter::Integer(*number)),
        Value::Number(number) => sql.push_bind("Float64", Parameter::Text(number.to_string())),
        Value::Date(date) => sql.push_bind("Int64", Parameter::Integer(date.timestamp_millis())),
        Value::Text(text) => sql.push_bind("String", Parameter::Text(text.clone())),
        Value::Null | Value::Flag(_) | Value::Json(_) | Value::Texts(_) | Value::File(_) => sql.push("NULL"),
    };
}
