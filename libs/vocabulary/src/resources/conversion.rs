//! Converts the JSON of clients to values of fields, as JavaScript does; JSON that the type cannot hold is refused.

use chrono::{DateTime, Utc};
use serde_json::Value as Json;
use thiserror::Error;

use super::date::{date_of_millis, parse_date};
use super::model::{Field, Kind};
use super::value::{Value, whole};

/// Why something given is no value of a field.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum ValueError {
    /// It is no instant.
    #[error("is not a valid date")]
    Date,
    /// A list or object in place of a text.
    #[error("is not a text")]
    Text,
    /// A list or object in place of a number, or a fraction in place of an integer.
    #[error("is not a number")]
    Number,
    /// It is no list.
    #[error("is not a list")]
    List,
    /// It is no id of a file.
    #[error("is not the id of a file")]
    File,
}

impl Value {
    /// Converts the JSON that a client sends as the value of `field`: scalars as JavaScript does, texts to the spelling that the field is stored in.
    /// Null stays null; for a number, a text that is none becomes null too, as clients of LoopBack expect, and so does an empty file id.
    /// [`ValueError`] for JSON that the type cannot hold, such as a fraction for an integer, and for what is no number in an exact field.
    pub fn parse(field: &Field, json: &Json) -> Result<Self, ValueError> {
        if json.is_null() {
            return Ok(Self::Null);
        }
        if field.exact && !json.is_number() {
            return Err(ValueError::Number);
        }
        Ok(match field.kind {
            Kind::Text | Kind::Digest => Self::Text(stored_case(field, text(json).ok_or(ValueError::Text)?)),
            Kind::Flag => Self::Flag(truth_value(json)),
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
                    .map(|item| text(item).map(|text| stored_case(field, text)))
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

    /// Converts the value that a client compares a field with. Null stays null, and for JSON and lists anything is taken as it is. Unlike
    /// [`Value::parse`], a text that is no number is refused for a number, an integer may be compared with a fraction, and a list of texts is
    /// compared with one text.
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
}

/// The text in upper case with `_` for `+` where the field is stored so, else unchanged.
fn stored_case(field: &Field, text: String) -> String {
    if field.upper {
        text.to_uppercase().replace('+', "_")
    } else {
        text
    }
}

/// A scalar as a text, null as `null`; `None` for lists and objects.
fn text(json: &Json) -> Option<String> {
    match json {
        Json::Null => Some("null".to_owned()),
        Json::String(text) => Some(text.clone()),
        Json::Number(number) => Some(number.to_string()),
        Json::Bool(flag) => Some(flag.to_string()),
        Json::Array(_) | Json::Object(_) => None,
    }
}

/// The truth value by JavaScript's rules, except that the texts `0`, `false`, `null`, `undefined` and `NaN`, and blank ones, are false.
fn truth_value(json: &Json) -> bool {
    match json {
        Json::Null => false,
        Json::Bool(flag) => *flag,
        Json::Number(number) => number.as_f64().is_some_and(|number| number != 0.0),
        Json::String(text) => !matches!(text.trim(), "" | "0" | "false" | "null" | "undefined" | "NaN"),
        Json::Array(_) | Json::Object(_) => true,
    }
}

/// What JSON is as a number, by the conversions of JavaScript.
enum AsNumber {
    Number(f64),
    /// A text that is none, or null.
    NoNumber,
    /// A list or object.
    Unfit,
}

/// JSON as a number: a number or a text with a decimal number as it is, a truth value as 0 or 1, a blank text as 0. `NoNumber` for null and any other
/// text, `Unfit` for lists and objects.
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

/// The finite decimal number that a trimmed text is, 0 for the empty text; `None` for any other text, such as `0x1f` or `inf`.
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

/// The instant of a text that [`parse_date`] reads, or of milliseconds since 1970 as a number or a text of more than four digits. `None` for anything
/// else and outside the years 1 to 9999.
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

/// The items of a list, or of a list written as JSON in a text; `None` for anything else.
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

    fn parsed(kind: Kind, json: &Json) -> Result<Json, ValueError> {
        Value::parse(&Field::new("x", "x", kind), json).map(|value| value.to_json())
    }

    #[test]
    fn values_are_converted_as_javascript_does() {
        assert_eq!(parsed(Kind::Number, &json!("12")), Ok(json!(12)));
        assert_eq!(parsed(Kind::Number, &json!("abc")), Ok(Json::Null));
        assert_eq!(parsed(Kind::Number, &json!("")), Ok(json!(0)));
        assert_eq!(parsed(Kind::Number, &json!(true)), Ok(json!(1)));
        assert_eq!(parsed(Kind::Number, &json!(0.1)), Ok(json!(0.1)));
        assert_eq!(parsed(Kind::Text, &json!(12)), Ok(json!("12")));
        assert_eq!(parsed(Kind::Flag, &json!("false")), Ok(json!(false)));
        assert_eq!(parsed(Kind::Flag, &json!("maybe")), Ok(json!(true)));
        assert_eq!(parsed(Kind::Texts, &json!("[\"a\"]")), Ok(json!(["a"])));
        assert_eq!(
            parsed(Kind::Date, &json!(1_710_074_096_789_i64)),
            Ok(json!("2024-03-10T12:34:56.789Z"))
        );
    }

    #[test]
    fn what_would_lose_something_is_refused() {
        assert_eq!(parsed(Kind::Text, &json!({"a": 1})), Err(ValueError::Text));
        assert_eq!(parsed(Kind::Number, &json!([3])), Err(ValueError::Number));
        assert_eq!(parsed(Kind::Whole, &json!(1.5)), Err(ValueError::Number));
        assert_eq!(parsed(Kind::Date, &json!("x")), Err(ValueError::Date));
        assert_eq!(parsed(Kind::List, &json!("x")), Err(ValueError::List));
    }
}
