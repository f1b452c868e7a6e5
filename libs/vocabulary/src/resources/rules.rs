//! What values must satisfy beyond their type: each rule returns the code and text of the error, or `None` for a value that it accepts.

use serde_json::Value as Json;

use super::value::Value;
use crate::{Locale, MatchPattern};

/// Characters of a label or name (decision D103).
const MAX_LABEL: usize = 255;
/// Days between reminders.
const REMINDER_DAYS: std::ops::RangeInclusive<f64> = 1.0..=365.0;
/// Reminders of a case.
const REMINDERS: std::ops::RangeInclusive<f64> = 0.0..=50.0;
/// Captures that the terms of a company account may make in a month.
const CAPTURE_QUOTAS: std::ops::RangeInclusive<i64> = 0..=100_000_000;

/// Letters of the code of a language.
const LANGUAGE_LETTERS: std::ops::RangeInclusive<usize> = 2..=3;

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

/// The error for options of a term whose delay between organic results is no number of milliseconds; `None` where it is missing or null, and for a value
/// that is no JSON.
pub(super) fn options_error(value: &Value) -> Option<(&'static str, &'static str)> {
    let Value::Json(given) = value else { return None };
    let is_delay = match given.get("delayForOrganicResults") {
        None | Some(Json::Null) => true,
        Some(delay) => delay.as_f64().is_some_and(|delay| delay >= 0.0),
    };
    (!is_delay).then_some(("range", "delayForOrganicResults is a number of milliseconds"))
}

/// The error for a text that is neither a locale such as `fr_FR` nor a language such as `fr`. Terms are not searched from a place that has a language but no
/// country.
pub(super) fn locale_error(value: &Value) -> Option<(&'static str, &'static str)> {
    let Value::Text(text) = value else { return None };
    let is_language = LANGUAGE_LETTERS.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_taken = is_language || text.parse::<Locale>().is_ok();
    (!is_taken).then_some(("format", "is not a locale of the form fr_FR"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn organic_results_are_delayed_by_a_number() {
        let refused = |delay: Json| options_error(&Value::Json(json!({ "delayForOrganicResults": delay }))).is_some();
        for delay in [json!(null), json!(0), json!(1_296_000_000)] {
            assert!(!refused(delay.clone()), "{delay}");
        }
        for delay in [json!(-1), json!("15"), json!([])] {
            assert!(refused(delay.clone()), "{delay}");
        }
        assert_eq!(options_error(&Value::Json(json!({}))), None);
    }

    #[test]
    fn a_locale_is_one_or_a_language() {
        let refused = |text: &str| locale_error(&Value::Text(text.to_owned())).is_some();
        for locale in ["fr_FR", "fr-fr", "fr", "gsw"] {
            assert!(!refused(locale), "{locale}");
        }
        for locale in ["", "f", "french", "fr_", "fr_FRA", "fr_FR ", "../x", "42"] {
            assert!(refused(locale), "{locale}");
        }
        assert_eq!(locale_error(&Value::Null), None);
    }

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
