//! Values of fields, and how answers show them.

use chrono::{DateTime, Utc};
use serde_json::{Number, Value as Json};
use uuid::Uuid;

use super::date::date_text;

/// Integers beyond this lose precision in clients that read every JSON number as a double.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

/// The value of a field of a resource, of any type.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// No value, as JSON null.
    Null,
    /// True or false.
    Flag(bool),
    /// A number without a fraction.
    Whole(i64),
    /// A number that may have a fraction.
    Number(f64),
    /// A text of any length.
    Text(String),
    /// An instant, to the millisecond.
    Date(DateTime<Utc>),
    /// Any JSON value.
    Json(Json),
    /// A list of texts.
    Texts(Vec<String>),
    /// The id of a file.
    File(Uuid),
}

impl Value {
    /// The value as responses show it: dates as ISO 8601 in UTC with milliseconds, whole numbers without a fraction, infinite numbers and NaN as
    /// null.
    pub fn to_json(&self) -> Json {
        match self {
            Self::Null => Json::Null,
            Self::Flag(flag) => Json::Bool(*flag),
            Self::Whole(number) => Json::from(*number),
            Self::Number(number) => number_json(*number),
            Self::Text(text) => Json::String(text.clone()),
            Self::Date(date) => Json::String(date_text(*date)),
            Self::Json(json) => json.clone(),
            Self::Texts(texts) => texts.iter().map(String::as_str).collect(),
            Self::File(id) => Json::String(id.to_string()),
        }
    }

    /// Whether a required field may not hold the value: null and the empty text.
    pub fn is_blank(&self) -> bool {
        match self {
            Self::Null => true,
            Self::Text(text) => text.is_empty(),
            _ => false,
        }
    }
}

/// A number as JSON, without a fraction where it is whole. Infinite numbers and NaN become null.
pub fn number_json(number: f64) -> Json {
    match whole(number) {
        Some(whole) => Json::from(whole),
        None => Number::from_f64(number).map_or(Json::Null, Json::Number),
    }
}

/// The integer that a number is; `None` for a fraction and beyond `MAX_EXACT`, where doubles are not exact.
pub(super) fn whole(number: f64) -> Option<i64> {
    #[expect(clippy::cast_possible_truncation, reason = "checked to be an exact integer")]
    (number.fract() == 0.0 && number.abs() <= MAX_EXACT).then_some(number as i64)
}
