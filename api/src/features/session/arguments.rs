//! Arguments of calls that are not about a row.

use serde_json::{Map, Value as Json};

use crate::failure::ApiError;

/// A text that must be given: a `BadRequest` when it is absent, null, empty or of another type.
pub(super) fn text(given: &Map<String, Json>, name: &str) -> Result<String, ApiError> {
    match given.get(name) {
        Some(Json::String(text)) if !text.is_empty() => Ok(text.clone()),
        None | Some(Json::Null | Json::String(_)) => Err(missing(name)),
        Some(_) => Err(ApiError::BadRequest("Value is not a string.".to_owned())),
    }
}

/// The `BadRequest` for an argument that is absent.
pub(super) fn missing(name: &str) -> ApiError {
    ApiError::BadRequest(format!("{name} is a required argument"))
}
