//! `filter` and `where` of a query, in both encodings.

use serde_json::{Map, Value as Json};
use vocabulary::resources::brackets::{Argument, argument};
use vocabulary::resources::{Condition, Filter, FilterError, Model, Usage};

use crate::failure::ApiError;

/// The argument `name` as an object; null when there is none.
pub(super) fn object(pairs: &[(String, String)], name: &str) -> Result<Json, ApiError> {
    let not_an_object = || Err(ApiError::BadRequest(FilterError::NotObject.to_string()));
    match argument(pairs, name)? {
        Argument::None => Ok(Json::Null),
        Argument::Spelled(json) if json.is_object() => Ok(json),
        Argument::Plain(text) if text == "null" => Ok(Json::Null),
        Argument::Plain(text) if text.starts_with('{') && text.ends_with('}') => {
            serde_json::from_str::<Map<_, _>>(&text)
                .map(Json::Object)
                .map_err(|_| ApiError::BadRequest("Cannot parse JSON-encoded object value.".to_owned()))
        }
        Argument::Twice | Argument::Spelled(_) | Argument::Plain(_) => not_an_object(),
    }
}

/// The `filter` of a query.
pub(super) fn filter(model: &'static Model, pairs: &[(String, String)]) -> Result<Filter, ApiError> {
    Ok(Filter::parse(model, &object(pairs, "filter")?)?)
}

/// The `where` of a query.
pub(super) fn condition(
    model: &'static Model,
    pairs: &[(String, String)],
    usage: Usage,
) -> Result<Condition, ApiError> {
    Ok(Condition::parse(model, &object(pairs, "where")?, usage)?)
}

/// Whether the query says `name=value`.
pub(super) fn says(pairs: &[(String, String)], name: &str, value: &str) -> bool {
    pairs.iter().any(|(key, given)| key == name && given == value)
}
