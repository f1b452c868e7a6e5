//! What values must satisfy beyond their type: each rule returns the code and text of the error, or `None` for a value that it accepts.

use serde_json::Value as Json;

use super::value::Value;

/// Days between reminders.
const REMINDER_DAYS: std::ops::RangeInclusive<f64> = 1.0..=365.0;
/// Reminders of a case.
const REMINDERS: std::ops::RangeInclusive<f64> = 0.0..=50.0;

/// The error for a text that is empty or blank; `None` for anything else, null among it.
pub(super) fn blank_error(value: &Value) -> Option<(&'static str, &'static str)> {
    let is_blank = matches!(value, Value::Text(text) if text.trim().is_empty());
    is_blank.then_some(("presence", "can't be blank"))
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
