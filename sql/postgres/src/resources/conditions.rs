//! Conditions as SQL.

use serde_json::Value as Json;
use sqlx::types::Json as Jsonb;
use vocabulary::resources::{Condition, Field, Kind, Like, Value, ValueTest};

use super::Sql;

/// Numbers from which on a list is compared as a subquery, whose values the database puts into a hash table; it compares those of an array one by one.
const HASHED_FROM: usize = 1_000;

/// Appends a condition on the row `t`. A regular expression that is more than literal text and anchors, and a condition on joined rows, are
/// met by no row: [`super::settle`] replaces them first.
pub(super) fn push_condition(sql: &mut Sql, condition: &Condition) {
    match condition {
        Condition::All(list) => push_list(sql, list, " and ", "true"),
        Condition::Any(list) => push_list(sql, list, " or ", "false"),
        Condition::Never | Condition::Joined { .. } => {
            sql.push("false");
        }
        Condition::Test { field, path, test } if path.is_empty() => match field.kind {
            Kind::Texts => push_among(sql, field, test),
            _ => push_test(sql, &ConditionTarget::Column(field), test),
        },
        Condition::Test { field, path, test } => push_test(sql, &ConditionTarget::Inside(field, path), test),
    }
}

/// Appends the conditions in brackets, joined by `word` (with its spaces, as in `" AND "`); for an empty list, appends `empty` instead.
fn push_list(sql: &mut Sql, list: &[Condition], word: &str, empty: &str) {
    if list.is_empty() {
        sql.push(empty);
        return;
    }
    sql.push("(");
    for (place, condition) in list.iter().enumerate() {
        if place > 0 {
            sql.push(word);
        }
        push_condition(sql, condition);
    }
    sql.push(")");
}

/// What is tested.
enum ConditionTarget<'a> {
    Column(&'static Field),
    /// A place inside a JSON column.
    Inside(&'static Field, &'a [String]),
}

impl ConditionTarget<'_> {
    /// Appends the column, or the text at the place inside its JSON.
    fn push(&self, sql: &mut Sql) {
        match self {
            Self::Column(field) => {
                sql.push("t.\"").push(field.column).push("\"");
            }
            Self::Inside(field, path) => {
                sql.push("(t.\"").push(field.column).push("\" #>> ");
                sql.push_bind(path.to_vec()).push(")");
            }
        }
    }

    /// Appends the target as a number; a place inside JSON that holds no number is null.
    fn push_number(&self, sql: &mut Sql) {
        if let Self::Inside(field, path) = self {
            sql.push("(case when jsonb_typeof(t.\"")
                .push(field.column)
                .push("\" #> ");
            sql.push_bind(path.to_vec()).push(") = 'number' then ");
            self.push(sql);
            sql.push("::float8 end)");
        } else {
            self.push(sql);
        }
    }
}

/// Appends a test of one value. A null meets no test but `IsNull`, and `NoneOf` without values. A pattern that is no `LIKE` pattern matches nothing.
fn push_test(sql: &mut Sql, target: &ConditionTarget<'_>, test: &ValueTest) {
    match test {
        ValueTest::IsNull => {
            target.push(sql);
            sql.push(" is null");
        }
        ValueTest::IsSomething => {
            target.push(sql);
            sql.push(" is not null");
        }
        ValueTest::Equals(value) => push_compared(sql, target, " = ", value),
        ValueTest::Differs(value) => push_compared(sql, target, " <> ", value),
        ValueTest::Greater(value) => push_compared(sql, target, " > ", value),
        ValueTest::AtLeast(value) => push_compared(sql, target, " >= ", value),
        ValueTest::Less(value) => push_compared(sql, target, " < ", value),
        ValueTest::AtMost(value) => push_compared(sql, target, " <= ", value),
        ValueTest::Between(low, high) => {
            push_compared(sql, target, " >= ", low);
            sql.push(" and ");
            push_compared(sql, target, " <= ", high);
        }
        ValueTest::OneOf(values) => push_one_of(sql, target, values, true),
        ValueTest::NoneOf(values) => push_one_of(sql, target, values, false),
        ValueTest::Like(like) => push_like(sql, target, like),
        // Before this, literal ones were turned into LIKE, others into ids.
        ValueTest::Matches(pattern) => match pattern.as_like() {
            Some(like) => push_like(sql, target, &like),
            None => {
                sql.push("false");
            }
        },
    }
}

/// Appends a comparison with one value. Numbers inside JSON are compared as numbers; a list compared with a value that is no list is
/// searched for it, whatever the operator except ` <> `, which is met by lists without it.
fn push_compared(sql: &mut Sql, target: &ConditionTarget<'_>, operator: &str, value: &Value) {
    if let (ConditionTarget::Inside(..), Value::Json(Json::Number(number))) = (target, value)
        && let Some(number) = number.as_f64()
    {
        target.push_number(sql);
        sql.push(operator).push_bind(number);
        return;
    }
    if let (ConditionTarget::Column(field), Value::Json(json)) = (target, value)
        && field.kind == Kind::List
        && !json.is_array()
    {
        // One of the listed values.
        sql.push(if operator == " <> " { "not " } else { "" });
        target.push(sql);
        sql.push(" @> ").push_bind(Jsonb(Json::Array(vec![json.clone()])));
        return;
    }
    target.push(sql);
    sql.push(operator);
    push_operand(sql, target, value);
}

/// Appends a value in the form that the target is compared in: as text for a place inside JSON, as bytes for a digest (no bytes for a text that is no
/// hex), otherwise as it is.
fn push_operand(sql: &mut Sql, target: &ConditionTarget<'_>, value: &Value) {
    match (target, value) {
        (ConditionTarget::Inside(..), Value::Json(json)) => {
            sql.push_bind(scalar_text(json));
        }
        (ConditionTarget::Column(field), Value::Text(text)) if field.kind == Kind::Digest => {
            // A text that is no hex is the digest of no row.
            sql.push_bind(hex::decode(text).unwrap_or_default());
        }
        _ => push_value(sql, value),
    }
}

/// Appends that the target is one of the values, or without `is_one` that it is none of them. Without values, appends `false`, or without `is_one`
/// `true`. Whole numbers compared with a column go into one parameter, since there may be more than a statement takes.
fn push_one_of(sql: &mut Sql, target: &ConditionTarget<'_>, values: &[Value], is_one: bool) {
    if values.is_empty() {
        sql.push(if is_one { "false" } else { "true" });
        return;
    }
    target.push(sql);
    if let (ConditionTarget::Column(_), Some(numbers)) = (target, whole_numbers(values)) {
        let (opening, closing) = match (numbers.len() > HASHED_FROM, is_one) {
            (false, true) => (" = any(", ")"),
            (false, false) => (" <> all(", ")"),
            (true, true) => (" in (select unnest(", "::int8[]))"),
            (true, false) => (" not in (select unnest(", "::int8[]))"),
        };
        sql.push(opening).push_bind(numbers).push(closing);
        return;
    }
    sql.push(if is_one { " in (" } else { " not in (" });
    for (place, value) in values.iter().enumerate() {
        if place > 0 {
            sql.push(", ");
        }
        push_operand(sql, target, value);
    }
    sql.push(")");
}

/// The integers of a list of values; `None` if any value is something else.
fn whole_numbers(values: &[Value]) -> Option<Vec<i64>> {
    let numbers = values.iter().map(|value| match value {
        Value::Whole(number) => Some(*number),
        _ => None,
    });
    numbers.collect()
}

/// Appends a match with a `LIKE` pattern, or with its negation; of upper and lower case alike if `folds_case`.
fn push_like(sql: &mut Sql, target: &ConditionTarget<'_>, like: &Like) {
    if like.folds_case {
        // `ilike` finds the same, but folds the pattern again for every row.
        sql.push("lower(");
        target.push(sql);
        sql.push(if like.negated {
            ") not like lower("
        } else {
            ") like lower("
        })
        .push_bind(like.pattern.clone())
        .push(")");
        return;
    }
    target.push(sql);
    sql.push(if like.negated { " not like " } else { " like " })
        .push_bind(like.pattern.clone());
}

/// Appends a test of a column of texts: whether the value is, or for negated tests is not, one of them. A null meets only `IsNull`; tests that make
/// no sense for a list are met by no row.
fn push_among(sql: &mut Sql, field: &Field, value_test: &ValueTest) {
    let column = format!("t.\"{}\"", field.column);
    match value_test {
        ValueTest::IsNull => {
            sql.push(column).push(" is null");
        }
        ValueTest::IsSomething => {
            sql.push(column).push(" is not null");
        }
        ValueTest::Equals(Value::Text(text)) => {
            sql.push_bind(text.clone()).push(" = any(").push(column).push(")");
        }
        ValueTest::Differs(Value::Text(text)) => {
            sql.push("not ")
                .push_bind(text.clone())
                .push(" = any(")
                .push(column)
                .push(")");
        }
        ValueTest::OneOf(values) => {
            sql.push(column).push(" && ").push_bind(texts_among(values));
        }
        ValueTest::NoneOf(values) => {
            sql.push("not ")
                .push(column)
                .push(" && ")
                .push_bind(texts_among(values));
        }
        _ => {
            sql.push("false");
        }
    }
}

/// The texts among values; all others are dropped.
fn texts_among(values: &[Value]) -> Vec<String> {
    let texts = values.iter().filter_map(|value| match value {
        Value::Text(text) => Some(text.clone()),
        _ => None,
    });
    texts.collect()
}

/// A text as it is, without quotes; any other JSON as it is written.
fn scalar_text(json: &Json) -> String {
    json.as_str().map_or_else(|| json.to_string(), str::to_owned)
}

/// Appends a value as a parameter of the Postgres type that fits it; null as the word `null`.
pub(super) fn push_value(sql: &mut Sql, value: &Value) {
    match value {
        Value::Null => sql.push("null"),
        Value::Flag(flag) => sql.push_bind(*flag),
        Value::Whole(number) => sql.push_bind(*number),
        Value::Number(number) => sql.push_bind(*number),
        Value::Text(text) => sql.push_bind(text.clone()),
        Value::Date(date) => sql.push_bind(*date),
        Value::Json(json) => sql.push_bind(Jsonb(json.clone())),
        Value::Texts(texts) => sql.push_bind(texts.clone()),
        Value::File(id) => sql.push_bind(*id),
    };
}
