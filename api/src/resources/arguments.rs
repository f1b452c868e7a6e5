//! `filter` and `where` of a query, in both encodings.

use serde_json::{Map, Value as Json};
use vocabulary::resources::brackets::{Argument, argument};
use vocabulary::resources::{Condition, Filter, FilterError, Model, Usage};

use crate::failure::ApiError;

/// The argument `name` of a query as a JSON object, whether it is written as JSON or spelled out in brackets. JSON null when it is absent or says
/// `null`; anything else, or an argument given twice, is a `BadRequest`.
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

/// Parses the argument `filter` of a query for a model. Without a limit it asks for 100 rows, and never for more than `MAX_ROWS`: a higher limit, and
/// 0, mean that. A field, operator or number that cannot be read is an error.
pub(super) fn filter(model: &'static Model, pairs: &[(String, String)]) -> Result<Filter, ApiError> {
    Ok(Filter::parse(model, &object(pairs, "filter")?)?)
}

/// Parses the argument `where` of a query for a model. Without one, the condition is met by every row.
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
