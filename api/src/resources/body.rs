//! Bodies of writes: JSON or a form. A body of another type is refused: taken as empty, it would make an empty row.

use axum::body::Bytes;
use axum::http::{HeaderMap, header};
use serde_json::{Map, Value as Json};
use vocabulary::resources::brackets;

use crate::extract::without_mark;
use crate::failure::ApiError;

/// Rows that one create makes at most.
const MAX_ROWS: usize = 1_000;

/// The fields of a row as a client gave them.
pub(crate) type Fields = Map<String, Json>;

/// The body of a create: one object, or a list of at most [`MAX_ROWS`] objects.
pub(super) enum Rows {
    One(Fields),
    Many(Vec<Fields>),
}

/// Parses a body as JSON or, by its content type, as a form. An empty body and `null` become an empty object. Other content types and character sets
/// than UTF-8 are `UnsupportedMedia`; broken JSON is `Syntax`.
pub(super) fn json(headers: &HeaderMap, bytes: &Bytes) -> Result<Json, ApiError> {
    let content_type = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let (kind, parameters) = content_type.split_once(';').unwrap_or((content_type, ""));
    let empty = || Ok(Json::Object(Map::new()));
    let bytes = &without_mark(bytes);
    if bytes.is_empty() {
        return empty();
    }
    match kind.trim().to_ascii_lowercase().as_str() {
        "application/json" => {
            known_charset(parameters)?;
            match serde_json::from_slice(bytes) {
                Ok(Json::Null) => empty(),
                Ok(json) => Ok(json),
                Err(error) => Err(ApiError::Syntax(error.to_string())),
            }
        }
        "application/x-www-form-urlencoded" => {
            let text = String::from_utf8_lossy(bytes);
            Ok(Json::Object(brackets::object(&brackets::pairs(&text)?)?))
        }
        _ => Err(ApiError::UnsupportedMedia(
            "Send the body as Content-Type: application/json".to_owned(),
        )),
    }
}

/// Parses a body, JSON or form, that must be one object; an empty body is an empty object. For handlers outside the resource engine.
pub(crate) fn of_request(headers: &HeaderMap, bytes: &Bytes) -> Result<Fields, ApiError> {
    fields(json(headers, bytes)?)
}

/// Takes a body that must be one object; anything else is a `BadRequest`.
pub(super) fn fields(json: Json) -> Result<Fields, ApiError> {
    match json {
        Json::Object(fields) => Ok(fields),
        _ => Err(ApiError::BadRequest("Value is not an object.".to_owned())),
    }
}

/// Takes a body that must be an object or a list of objects. More than [`MAX_ROWS`] items, or an item of another type, are a `BadRequest`.
pub(super) fn rows(json: Json) -> Result<Rows, ApiError> {
    let Json::Array(items) = json else {
        return fields(json).map(Rows::One);
    };
    if items.len() > MAX_ROWS {
        return Err(ApiError::BadRequest(format!(
            "At most {MAX_ROWS} rows can be created at once."
        )));
    }
    let items = items.into_iter().map(|item| match item {
        Json::Object(fields) => Ok(fields),
        _ => Err(ApiError::BadRequest(
            "Some of array items are not an object.".to_owned(),
        )),
    });
    items.collect::<Result<_, _>>().map(Rows::Many)
}

/// Refuses a `charset` other than UTF-8, in upper or lower case, among the parameters of a content type, with `UnsupportedMedia`; without one it
/// passes.
fn known_charset(parameters: &str) -> Result<(), ApiError> {
    let charset = parameters
        .split(';')
        .find_map(|parameter| parameter.trim().strip_prefix("charset="));
    match charset.map(|charset| charset.trim_matches('"')) {
        Some(charset) if !charset.eq_ignore_ascii_case("utf-8") && !charset.eq_ignore_ascii_case("utf8") => Err(
            ApiError::UnsupportedMedia(format!("unsupported charset \"{}\"", charset.to_uppercase())),
        ),
        _ => Ok(()),
    }
}
