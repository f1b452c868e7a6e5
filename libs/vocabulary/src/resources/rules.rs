//! What values must satisfy beyond their type: each rule returns the code and text of the error, or `None` for a value that it accepts.

use serde_json::Value as Json;

use super::value::Value;
use crate::MatchPattern;

/// Characters of a label or name (decision D103).
const MAX_LABEL: usize = 255;
/// Days between reminders.
const REMINDER_DAYS: std::ops::RangeInclusive<f64> = 1.0..=365.0;
/// Reminders of a case.
const REMINDERS: std::ops::RangeInclusive<f64> = 0.0..=50.0;
/// Captures that the terms of a company account may make in a month.
const CAPTURE_QUOTAS: std::ops::RangeInclusive<i64> = 0..=100_000_000;

/// The error for a text that is empty, blank or too long; `None` for anything else, null among it.
pub(super) fn label_error(value: &Value) -> Option<(&'static str, &'static str)> {
    let Value::Text(text) = value else { return None };
    if text.trim().is_empty() {
        return Some(("presence", "can't be blank"));
    }
    (text.chars().count() > MAX_LABEL).then_some(("length.max", "is longer than 255 characters"))
}

/// The error for a pattern that terms cannot be matched with; `None` for a blank one and null.
pub(super) fn pattern_error(value: &Value) -> Option<(&'static str, &'static str)> {
    let Value::Text(pattern) = value else { return None };
    let error = MatchPattern::parse(pattern).err()?;
    Some((error.code(), error.text()))
}

/// The error for reminders whose `frequency` is no whole number of days from 1 to 365, or whose `quota` is none from 0 to 50. `None` where each fits,
/// is missing or is null, and for a value that is no JSON.
pub(super) fn reminder_error(value: &Value) -> Option<(&'static str, &'static str)> {
    let Value::Json(given) = value else { return None };
    let within = |name: &str, range: std::ops::RangeInclusive<f64>| match given.get(name) {
        None | Some(Json::Null) => true,
        Some(number) => number
            .as_f64()
            .is_some_and(|number| range.contains(&number) && number.fract() == 0.0),
    };
    if !within("frequency", REMINDER_DAYS) {
        return Some(("range", "frequency is a number of days from 1 to 365"));
    }
    if !within("quota", REMINDERS) {
        return Some(("range", "quota is a number of reminders from 0 to 50"));
    }
    None
}

/// The error for a quota of captures below 0 or above a hundred million; `None` for anything else, null among it.
pub(super) fn capture_quota_error(value: &Value) -> Option<(&'static str, &'static str)> {
    let Value::Whole(captures) = value else { return None };
    (!CAPTURE_QUOTAS.contains(captures)).then_some(("range", "is a number of captures from 0 to 100000000"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn reminders_stay_within_their_bounds() {
        let refused = |reminder: Json| reminder_error(&Value::Json(reminder)).is_some();
        for reminder in [
            json!({}),
            json!({"autoReminder": true, "frequency": 1, "quota": 0}),
            json!({"frequency": 365, "quota": 50}),
            json!({"frequency": null}),
        ] {
            assert!(!refused(reminder.clone()), "{reminder}");
        }
        for reminder in [
            json!({"frequency": 0}),
            json!({"frequency": 9999}),
            json!({"frequency": 1.5}),
            json!({"quota": -3}),
            json!({"quota": 51}),
            json!({"quota": "many"}),
        ] {
            assert!(refused(reminder.clone()), "{reminder}");
        }
    }
}
