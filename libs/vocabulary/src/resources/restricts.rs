//! Whether a condition leaves rows out, so that a change of many rows cannot become a change of all by a slip.

use super::condition::{Condition, ValueTest};
use super::model::{Field, Kind};
use super::value::Value;

impl Condition {
    /// Whether the condition, by its form, leaves out any row. False for the empty condition and for tautologies that are recognized: ids above zero,
    /// an `or` of a test and its negation, and the like. A test of a place inside JSON counts as leaving rows out.
    pub fn restricts(&self) -> bool {
        match self {
            Self::Never => true,
            Self::All(list) => list.iter().any(Self::restricts),
            Self::Any(list) => list.iter().all(Self::restricts) && !covers_all(list),
            Self::Test { field, path, test } => !path.is_empty() || leaves_out(field, test),
            Self::Joined { ids, is_one, .. } => *is_one || !ids.is_empty(),
        }
    }
}

impl Condition {
    /// Whether it names its rows: by ids, or by one value of a field that names rows ([`Field::names_rows`]); of an `and`, one part is enough, and an
    /// `or` never does. Any other condition has to be checked against the rows, because one that holds for all of them can be written in too many ways
    /// to recognize.
    pub fn names_rows(&self) -> bool {
        match self {
            Self::Never => true,
            Self::All(list) => list.iter().any(Self::names_rows),
            Self::Test { field, path, test } if path.is_empty() && field.names_rows() => match test {
                ValueTest::Equals(value) => *value != Value::Null,
                ValueTest::OneOf(values) => values.len() <= 1 || field.kind == Kind::Id,
                _ => false,
            },
            Self::Any(_) | Self::Joined { .. } | Self::Test { .. } => false,
        }
    }
}

/// Whether a test of a field can leave rows out. False for tests that every value passes: `IsSomething` of a required field, `LIKE` of `%` alone, an
/// expression that matches the empty text, and comparisons that all ids (1 to `i32::MAX`) pass. True for any test not recognized.
fn leaves_out(field: &Field, test: &ValueTest) -> bool {
    let always_there = field.kind == Kind::Id || field.required;
    match test {
        ValueTest::IsSomething => !always_there,
        ValueTest::NoneOf(values) => field.kind != Kind::Id || values.iter().any(|value| at_least(value, 1.0)),
        ValueTest::Differs(value) | ValueTest::Less(value) | ValueTest::AtMost(value) if field.kind == Kind::Id => {
            at_least(value, 1.0) && !at_least(value, f64::from(i32::MAX))
        }
        ValueTest::Greater(value) | ValueTest::AtLeast(value) if field.kind == Kind::Id => at_least(value, 1.5),
        ValueTest::Between(low, high) if field.kind == Kind::Id => {
            at_least(low, 1.5) || !at_least(high, f64::from(i32::MAX))
        }
        ValueTest::Like(like) => !like.is_anything(),
        ValueTest::Matches(pattern) => !pattern.matches(""),
        _ => true,
    }
}

/// Whether a number is at least the bound. True for a value that is no number, which is compared otherwise.
fn at_least(value: &Value, bound: f64) -> bool {
    match value {
        #[expect(clippy::cast_precision_loss, reason = "compared with small bounds")]
        Value::Whole(number) => *number as f64 >= bound,
        Value::Number(number) => *number >= bound,
        _ => true,
    }
}

/// Whether two branches complement each other, so that every row with the field meets one.
fn covers_all(branches: &[Condition]) -> bool {
    branches
        .iter()
        .enumerate()
        .any(|(index, one)| branches[index + 1..].iter().any(|other| are_contrary(one, other)))
}

/// Whether two conditions, or the only ones in lists of one, test the same field or place inside its JSON, and every value passes one of them.
fn are_contrary(one: &Condition, other: &Condition) -> bool {
    let (
        Condition::Test { field, path, test },
        Condition::Test {
            field: other_field,
            path: other_path,
            test: other_test,
        },
    ) = (innermost_condition(one), innermost_condition(other))
    else {
        return false;
    };
    field.name == other_field.name
        && path == other_path
        && (are_opposite(test, other_test) || are_opposite(other_test, test))
}

/// The condition itself, or the innermost one where it is a list of one.
fn innermost_condition(condition: &Condition) -> &Condition {
    match condition {
        Condition::All(list) | Condition::Any(list) if list.len() == 1 => innermost_condition(&list[0]),
        other => other,
    }
}

/// Whether every value passes one of the two tests, given in this order; the caller tries both orders. Ranges in opposite directions count without a
/// look at their ends, two exclusions of which one is a list without a look at their values.
fn are_opposite(one: &ValueTest, other: &ValueTest) -> bool {
    match (one, other) {
        // Two exclusions: each admits what the other leaves out, unless both leave out the same.
        (ValueTest::Differs(a), ValueTest::Differs(b)) => a != b,
        (ValueTest::Equals(a), ValueTest::Differs(b)) => a == b,
        (ValueTest::OneOf(inside), ValueTest::NoneOf(outside)) => outside.iter().all(|value| inside.contains(value)),
        (ValueTest::OneOf(inside), ValueTest::Differs(b)) => inside.contains(b),
        (ValueTest::Equals(a), ValueTest::NoneOf(outside)) => outside.iter().all(|value| value == a),
        (ValueTest::IsNull, ValueTest::IsSomething)
        | (ValueTest::Differs(_) | ValueTest::NoneOf(_), ValueTest::NoneOf(_))
        | (ValueTest::Greater(_) | ValueTest::AtLeast(_), ValueTest::Less(_) | ValueTest::AtMost(_)) => true,
        (ValueTest::Like(a), ValueTest::Like(b)) => a.pattern == b.pattern && a.negated != b.negated,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::super::condition::Usage;
    use super::super::models::{BRAND, CATEGORY, TERM};
    use super::*;

    fn restricts(where_: &Json) -> bool {
        Condition::parse(&TERM, where_, Usage::Change).unwrap().restricts()
    }

    #[test]
    fn conditions_that_hold_for_every_row_are_seen() {
        for always in [
            json!({}),
            json!(null),
            json!({"and": []}),
            json!({"id": {"neq": null}}),
            json!({"id": {"gt": 0}}),
            json!({"id": {"lt": 999_999_999_999_i64}}),
            json!({"id": {"nin": []}}),
            json!({"id": {"neq": -1}}),
            json!({"term": {"like": "%"}}),
            json!({"term": {"regexp": ".*"}}),
            json!({"or": [{"state": "enabled"}, {"state": {"neq": "enabled"}}]}),
            json!({"or": [{"every": {"gt": 5}}, {"every": {"lte": 5}}]}),
            json!({"or": [{"region": null}, {"region": {"neq": null}}]}),
            json!({"or": [{"term": "x"}, {}]}),
            json!({"and": [{"or": [{"id": 1}, {"id": {"neq": 1}}]}]}),
        ] {
            assert!(!restricts(&always), "{always}");
        }
    }

    #[test]
    fn conditions_that_name_rows_are_let_through() {
        for restricting in [
            json!({"id": 5}),
            json!({"id": {"inq": [1, 2]}}),
            json!({"id": {"inq": []}}),
            json!({"term": {"like": "a%"}, "every": {"gt": 1}}),
            json!({"state": {"neq": "archived"}}),
            json!({"or": [{"state": "enabled"}, {"state": "disabled"}]}),
            json!({"options.saveShoppingAds": true}),
        ] {
            assert!(restricts(&restricting), "{restricting}");
        }
    }

    #[test]
    fn a_value_that_many_rows_share_names_none() {
        let names = |model, where_: &Json| Condition::parse(model, where_, Usage::Change).unwrap().names_rows();
        for naming in [
            json!({"id": 5}),
            json!({"id": {"inq": [1, 2]}}),
            json!({"brandId": 5}),
            json!({"term": "red shoes"}),
            json!({"term": ["red shoes"]}),
            json!({"state": "enabled", "term": "red shoes"}),
        ] {
            assert!(names(&TERM, &naming), "{naming}");
        }
        for shared in [
            json!({"state": "disabled"}),
            json!({"state": {"inq": ["disabled"]}}),
            json!({"engine": "GOOGLE"}),
            json!({"devices": "DESKTOP"}),
            json!({"every": 3_600_000}),
            json!({"region": "Bretagne"}),
            json!({"options.saveShoppingAds": true}),
        ] {
            assert!(!names(&TERM, &shared), "{shared}");
        }
        assert!(!names(&CATEGORY, &json!({"visibility": "owner", "scope": "tag"})));
        assert!(!names(&BRAND, &json!({"validated": true})));
        assert!(names(&BRAND, &json!({"label": "Acme"})));
    }
}
