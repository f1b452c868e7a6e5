//! Values of fields, and how what clients give becomes one: as JavaScript converts, where nothing is lost by it.

use chrono::{DateTime, Utc};
use serde_json::{Number, Value as Json};
use thiserror::Error;
use uuid::Uuid;

use super::date::{date_of_millis, date_text, parse_date};
use super::model::{Field, Kind};

/// Integers beyond this are not exact in JSON readers that know doubles alone.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

/// The value of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Nothing.
    Null,
    /// True or false.
    Flag(bool),
    /// An integer.
    Whole(i64),
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
    /// An instant.
    Date(DateTime<Utc>),
    /// Any JSON.
    Json(Json),
    /// Texts.
    Texts(Vec<String>),
    /// The id of a file.
    File(Uuid),
}

/// Why something given is no value of a field.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum ValueError {
    /// No instant.
    #[error("is not a valid date")]
    Date,
    /// A list or object where a text stands.
    #[error("is not a text")]
    Text,
    /// A list or object where a number stands, or a fraction where an integer stands.
    #[error("is not a number")]
    Number,
    /// No list.
    #[error("is not a list")]
    List,
    /// No id of a file.
    #[error("is not the id of a file")]
    File,
}

impl Value {
    /// What a client gives for a field. A text that is no number is null, as clients of the reference expect it.
    pub fn parse(field: &Field, json: &Json) -> Result<Self, ValueError> {
        if json.is_null() {
            return Ok(Self::Null);
        }
        Ok(match field.kind {
            Kind::Text | Kind::Digest => Self::Text(cased(field, text(json).ok_or(ValueError::Text)?)),
            Kind::Flag => Self::Flag(truth(json)),
            Kind::Number => match number(json) {
                AsNumber::Number(number) => Self::Number(number),
                AsNumber::NoNumber => Self::Null,
                AsNumber::Unfit => return Err(ValueError::Number),
            },
            Kind::Whole | Kind::Id | Kind::Key => match number(json) {
                AsNumber::Number(number) => Self::Whole(whole(number).ok_or(ValueError::Number)?),
                AsNumber::NoNumber => Self::Null,
                AsNumber::Unfit => return Err(ValueError::Number),
            },
            Kind::Date => Self::Date(date(json).ok_or(ValueError::Date)?),
            Kind::Json => Self::Json(json.clone()),
            Kind::List => Self::Json(Json::Array(list(json).ok_or(ValueError::List)?)),
            Kind::Texts => {
                let items = list(json).ok_or(ValueError::List)?;
                let texts: Option<Vec<_>> = items
                    .iter()
                    .map(|item| text(item).map(|text| cased(field, text)))
                    .collect();
                Self::Texts(texts.ok_or(ValueError::Text)?)
            }
            Kind::File => {
                let text = json.as_str().ok_or(ValueError::File)?;
                if text.is_empty() {
                    Self::Null
                } else {
                    Self::File(text.parse().map_err(|_| ValueError::File)?)
                }
            }
        })
    }

    /// What a client compares a field with. Unlike [`Value::given`], what is no value of the type is refused.
    pub fn compared(field: &Field, json: &Json) -> Result<Self, ValueError> {
        match (field.kind, json) {
            (_, Json::Null) => Ok(Self::Null),
            (Kind::Number | Kind::Whole | Kind::Id | Kind::Key, _) => match number(json) {
                AsNumber::Number(number) => Ok(whole(number).map_or(Self::Number(number), Self::Whole)),
                AsNumber::NoNumber | AsNumber::Unfit => Err(ValueError::Number),
            },
            (Kind::Json | Kind::List, _) => Ok(Self::Json(json.clone())),
            // A text among the texts.
            (Kind::Texts, _) => text(json).map(Self::Text).ok_or(ValueError::Text),
            _ => Self::parse(field, json),
        }
    }

    /// As answers show it.
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

    /// Whether a required field may not hold it.
    pub fn is_blank(&self) -> bool {
        match self {
            Self::Null => true,
            Self::Text(text) => text.is_empty(),
            _ => false,
        }
    }
}

/// A JSON number, without a fraction where there is none.
pub fn number_json(number: f64) -> Json {
    match whole(number) {
        Some(whole) => Json::from(whole),
        None => Number::from_f64(number).map_or(Json::Null, Json::Number),
    }
}

fn cased(field: &Field, text: String) -> String {
    if field.upper {
        text.to_uppercase().replace('+', "_")
    } else {
        text
    }
}

fn whole(number: f64) -> Option<i64> {
    #[expect(clippy::cast_possible_truncation, reason = "checked to be an exact integer")]
    (number.fract() == 0.0 && number.abs() <= MAX_EXACT).then_some(number as i64)
}

/// The text of a scalar; `None` for lists and objects.
fn text(json: &Json) -> Option<String> {
    match json {
        Json::Null => Some("null".to_owned()),
        Json::String(text) => Some(text.clone()),
        Json::Number(number) => Some(number.to_string()),
        Json::Bool(flag) => Some(flag.to_string()),
        Json::Array(_) | Json::Object(_) => None,
    }
}

fn truth(json: &Json) -> bool {
    match json {
        Json::Null => false,
        Json::Bool(flag) => *flag,
        Json::Number(number) => number.as_f64().is_some_and(|number| number != 0.0),
        Json::String(text) => !matches!(text.trim(), "" | "0" | "false" | "null" | "undefined" | "NaN"),
        Json::Array(_) | Json::Object(_) => true,
    }
}

/// What a value is as a number.
enum AsNumber {
    Number(f64),
    /// A text that is none, or null.
    NoNumber,
    /// A list or object.
    Unfit,
}

fn number(json: &Json) -> AsNumber {
    let found = match json {
        Json::Null => None,
        Json::Bool(flag) => Some(f64::from(u8::from(*flag))),
        Json::Number(number) => number.as_f64(),
        Json::String(text) => number_of_text(text.trim()),
        Json::Array(_) | Json::Object(_) => return AsNumber::Unfit,
    };
    found.map_or(AsNumber::NoNumber, AsNumber::Number)
}

fn number_of_text(text: &str) -> Option<f64> {
    if text.is_empty() {
        return Some(0.0);
    }
    // The parser of floats knows words (inf, nan) that JavaScript does not.
    let plain = text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    plain
        .then(|| text.parse().ok())
        .flatten()
        .filter(|number: &f64| number.is_finite())
}

fn date(json: &Json) -> Option<DateTime<Utc>> {
    match json {
        Json::String(text) => parse_date(text).or_else(|| {
            let millis = text.bytes().all(|byte| byte.is_ascii_digit()) && text.len() > 4;
            millis.then(|| text.parse().ok().and_then(date_of_millis)).flatten()
        }),
        Json::Number(number) => date_of_millis(number.as_f64()?.trunc()),
        _ => None,
    }
}

/// A list, also written as JSON in a text.
fn list(json: &Json) -> Option<Vec<Json>> {
    match json {
        Json::Array(items) => Some(items.clone()),
        Json::String(text) => match serde_json::from_str(text) {
            Ok(Json::Array(items)) => Some(items),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn given(kind: Kind, json: &Json) -> Result<Json, ValueError> {
        Value::parse(&Field::new("x", "x", kind), json).map(|value| value.to_json())
    }

    #[test]
    fn values_are_converted_as_javascript_does() {
        assert_eq!(given(Kind::Number, &json!("12")), Ok(json!(12)));
        assert_eq!(given(Kind::Number, &json!("abc")), Ok(Json::Null));
        assert_eq!(given(Kind::Number, &json!("")), Ok(json!(0)));
        assert_eq!(given(Kind::Number, &json!(true)), Ok(json!(1)));
        assert_eq!(given(Kind::Number, &json!(0.1)), Ok(json!(0.1)));
        assert_eq!(given(Kind::Text, &json!(12)), Ok(json!("12")));
        assert_eq!(given(Kind::Flag, &json!("false")), Ok(json!(false)));
        assert_eq!(given(Kind::Flag, &json!("maybe")), Ok(json!(true)));
        assert_eq!(given(Kind::Texts, &json!("[\"a\"]")), Ok(json!(["a"])));
        assert_eq!(
            given(Kind::Date, &json!(1_710_074_096_789_i64)),
            Ok(json!("2024-03-10T12:34:56.789Z"))
        );
    }

    #[test]
    fn what_would_lose_something_is_refused() {
        assert_eq!(given(Kind::Text, &json!({"a": 1})), Err(ValueError::Text));
        assert_eq!(given(Kind::Number, &json!([3])), Err(ValueError::Number));
        assert_eq!(given(Kind::Whole, &json!(1.5)), Err(ValueError::Number));
        assert_eq!(given(Kind::Date, &json!("x")), Err(ValueError::Date));
        assert_eq!(given(Kind::List, &json!("x")), Err(ValueError::List));
    }
}
