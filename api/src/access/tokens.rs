//! The lifetimes and ids of access tokens, which `postgres::tokens` stores (decision D23).

use serde_json::Value as Json;

use crate::failure::ApiError;

pub use postgres::tokens::{KEY_SCOPE, RESET_SCOPE, digest, fresh};

/// 14 days (seeds, 'Access token').
pub const DEFAULT_TTL_SECONDS: i64 = 1_209_600;
/// A year: no token lives longer.
const MAX_TTL_SECONDS: i64 = 31_556_926;

/// Reads the lifetime that a client requests, in seconds, as a number or its text; fractions are cut. Absent, null and an empty text are 0, which
/// [`ttl`] turns into the default. Anything else is a `BadRequest`.
pub fn requested_ttl(given: Option<&Json>) -> Result<i64, ApiError> {
    let number = match given {
        None | Some(Json::Null) => Some(0.0),
        Some(Json::String(text)) if text.trim().is_empty() => Some(0.0),
        Some(Json::Number(number)) => number.as_f64(),
        Some(Json::String(text)) => text.trim().parse().ok(),
        Some(_) => None,
    };
    let number = number.filter(|number: &f64| number.is_finite());
    #[expect(
        clippy::cast_possible_truncation,
        reason = "longer than a token lives is as good as that"
    )]
    number
        .map(|number| number as i64)
        .ok_or_else(|| ApiError::BadRequest("ttl is not a number of seconds".to_owned()))
}

/// The lifetime of a token in seconds: the requested one up to a year, or the default for zero. A negative one makes a token that has already
/// expired.
pub fn ttl(requested: i64) -> i64 {
    if requested == 0 {
        DEFAULT_TTL_SECONDS
    } else {
        requested.min(MAX_TTL_SECONDS)
    }
}

/// The id of a stored token: its SHA-256 as lower-case hex. Takes the token, or the id itself: any 64 hexadecimal digits.
pub fn stored_id(text: &str) -> String {
    let is_digest = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_digest {
        text.to_ascii_lowercase()
    } else {
        hex::encode(digest(text))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn seconds_are_read_as_a_number_or_its_text() {
        for (given, seconds) in [
            (json!(60), 60),
            (json!("60"), 60),
            (json!(" 60.9 "), 60),
            (json!(""), 0),
            (json!(null), 0),
            (json!(-1), -1),
            (json!("1e300"), i64::MAX),
        ] {
            assert_eq!(requested_ttl(Some(&given)).unwrap(), seconds, "{given}");
        }
        for given in [json!("soon"), json!("NaN"), json!([60]), json!({}), json!(true)] {
            assert!(requested_ttl(Some(&given)).is_err(), "{given}");
        }
    }
}
