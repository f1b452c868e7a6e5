//! Whatever `filter` and `where` contain, in either encoding: nothing panics, limits hold, and nothing hidden is named.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::Value as Json;
use vocabulary::resources::brackets::{Argument, argument, object, pairs};
use vocabulary::resources::models::ALL;
use vocabulary::resources::{Condition, Field, Filter, Include, MAX_ROWS, Model, Usage, ValueTest};

/// Long enough for a runaway regular expression to exceed the fuzzer's time limit.
const TEXT: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!";
/// As the limits of a filter say (decision D160).
const MAX_TESTS: usize = 200;

fuzz_target!(|input: &str| {
    for json in readings(input) {
        for model in ALL {
            check(model, &json);
        }
    }
});

/// The input as a JSON text, and as a query with arguments in brackets.
fn readings(input: &str) -> Vec<Json> {
    let pairs = pairs(input).unwrap_or_default();
    let spelled = ["filter", "where"].map(|name| match argument(&pairs, name) {
        Ok(Argument::Spelled(json)) => Some(json),
        Ok(Argument::Plain(text)) => serde_json::from_str(&text).ok(),
        Ok(Argument::None | Argument::Twice) | Err(_) => None,
    });
    let _ = object(&pairs);
    spelled.into_iter().flatten().chain(serde_json::from_str(input).ok()).collect()
}

fn check(model: &'static Model, json: &Json) {
    if let Ok(filter) = Filter::parse(model, json) {
        holds(&filter);
    }
    for usage in [Usage::Read, Usage::Change] {
        if let Ok(condition) = Condition::parse(model, json, usage) {
            assert!(tests(&condition) <= MAX_TESTS);
        }
    }
}

fn holds(filter: &Filter) {
    assert!(filter.limit <= MAX_ROWS);
    assert!(tests(&filter.condition) <= MAX_TESTS);
    for step in &filter.order {
        is_open(step.field);
    }
    for include in &filter.include {
        if let Include::Relation { filter, .. } = include {
            holds(filter);
        }
    }
}

/// How many tests there are; each is of a field that clients may read.
fn tests(condition: &Condition) -> usize {
    match condition {
        Condition::All(list) | Condition::Any(list) => list.iter().map(tests).sum(),
        Condition::Never | Condition::Joined { .. } => 1,
        Condition::Test { field, test, .. } => {
            is_open(field);
            if let ValueTest::Matches(pattern) = test {
                let _ = pattern.matches(TEXT);
                let _ = (pattern.as_text(), pattern.as_like());
            }
            1
        }
    }
}

fn is_open(field: &Field) {
    assert!(field.is_readable() && !field.column.is_empty(), "{}", field.name);
}
