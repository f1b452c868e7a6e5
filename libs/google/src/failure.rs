//! What the bodies of Google's refusals say.

use std::time::Duration;

use serde_json::Value;

use crate::GoogleError;

/// How long to wait where Google names no time.
const SHORT_WAIT: Duration = Duration::from_secs(2);
/// How long to wait where the limits of Search Console are reached.
const CONSOLE_WAIT: Duration = Duration::from_mins(15);
/// How long to wait where the limit of the day is reached and no time is named.
const DAY_WAIT: Duration = Duration::from_hours(1);
/// The longest wait that is believed: Google counts over a day.
const LONGEST_WAIT: Duration = Duration::from_hours(48);
/// Characters of a message that are kept.
const LONGEST_MESSAGE: usize = 500;

/// The refusal in a body of Google Ads or Search Console; both may put it into an array.
pub fn read(status: u16, body: &[u8], request_header: Option<String>) -> GoogleError {
    let parsed: Value = serde_json::from_slice(body).unwrap_or_default();
    let first = parsed.as_array().and_then(|all| all.first()).unwrap_or(&parsed);
    let error = &first["error"];
    let message = text(&error["message"]);
    if let Some(reason) = error["errors"][0]["reason"].as_str() {
        return of_console(status, reason, &error["errors"][0]);
    }
    let details = error["details"].as_array().map(Vec::as_slice).unwrap_or_default();
    let failure = details.iter().find(|detail| detail["errors"].is_array());
    let request_id = failure
        .and_then(|failure| failure["requestId"].as_str())
        .map(str::to_owned)
        .or(request_header);
    if let Some(found) = failure.map(|failure| &failure["errors"][0]) {
        return of_ads(status, found, request_id);
    }
    match status {
        401 => GoogleError::GrantFailing(message),
        403 => GoogleError::Forbidden { message, request_id },
        429 | 500.. => GoogleError::Busy {
            retry_after: SHORT_WAIT,
            reason: format!("status {status}"),
        },
        _ => GoogleError::Refused {
            code: error["status"].as_str().unwrap_or("UNKNOWN").to_owned(),
            message,
            request_id,
        },
    }
}

/// The refusal of one error of a `GoogleAdsFailure`.
pub fn of_ads(status: u16, error: &Value, request_id: Option<String>) -> GoogleError {
    let code = error["errorCode"].as_object().and_then(|codes| codes.iter().next());
    let (kind, code) = code.map_or(("", "UNKNOWN"), |(kind, code)| {
        (kind.as_str(), code.as_str().unwrap_or("UNKNOWN"))
    });
    let message = text(&error["message"]);
    let quota = &error["details"]["quotaErrorDetails"];
    let wait = quota["retryDelay"].as_str().and_then(seconds);
    match (kind, code) {
        ("quotaError", "RESOURCE_TEMPORARILY_EXHAUSTED") => GoogleError::Busy {
            retry_after: wait.unwrap_or(SHORT_WAIT),
            reason: code.to_owned(),
        },
        ("quotaError", "RESOURCE_EXHAUSTED") => GoogleError::DailyLimit {
            retry_after: wait.or_else(|| said(&message)).unwrap_or(DAY_WAIT),
            rate: text(&quota["rateName"]),
        },
        ("authorizationError", "CUSTOMER_NOT_ENABLED") => GoogleError::CustomerClosed,
        ("authorizationError", "CLOUD_PROJECT_NOT_APPROVED_FOR_PRODUCTION") => GoogleError::NotApproved,
        ("authorizationError", _) => GoogleError::Forbidden { message, request_id },
        ("authenticationError", _) => GoogleError::GrantFailing(message),
        ("requestError", "UNSUPPORTED_VERSION") => GoogleError::VersionEnded,
        ("internalError", _) if status >= 500 => GoogleError::Busy {
            retry_after: SHORT_WAIT,
            reason: code.to_owned(),
        },
        _ => GoogleError::Refused {
            code: code.to_owned(),
            message,
            request_id,
        },
    }
}

/// The refusal of Search Console with this reason.
fn of_console(status: u16, reason: &str, error: &Value) -> GoogleError {
    let message = text(&error["message"]);
    match reason {
        "quotaExceeded" | "rateLimitExceeded" | "userRateLimitExceeded" => GoogleError::Busy {
            retry_after: CONSOLE_WAIT,
            reason: reason.to_owned(),
        },
        "forbidden" | "insufficientPermissions" => GoogleError::Forbidden {
            message,
            request_id: None,
        },
        "authError" => GoogleError::GrantFailing(message),
        _ if status >= 500 => GoogleError::Busy {
            retry_after: SHORT_WAIT,
            reason: reason.to_owned(),
        },
        _ => GoogleError::Refused {
            code: reason.to_owned(),
            message,
            request_id: None,
        },
    }
}

/// A text of a body, at most [`LONGEST_MESSAGE`] characters of it.
fn text(value: &Value) -> String {
    value
        .as_str()
        .unwrap_or_default()
        .chars()
        .take(LONGEST_MESSAGE)
        .collect()
}

/// Seconds written as `40591s`.
fn seconds(delay: &str) -> Option<Duration> {
    let seconds: f64 = delay.strip_suffix('s')?.parse().ok()?;
    Duration::try_from_secs_f64(seconds)
        .ok()
        .map(|wait| wait.min(LONGEST_WAIT))
}

/// The seconds of a message such as "Too many requests. Retry in 40591 seconds."
fn said(message: &str) -> Option<Duration> {
    let (_, rest) = message.split_once("Retry in ")?;
    let number = rest.split(' ').next()?;
    seconds(&format!("{number}s"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ads(kind: &str, code: &str, more: &str) -> String {
        format!(
            r#"{{"error":{{"code":429,"message":"m","status":"S","details":[{{"@type":"t","errors":[{{"errorCode":{{"{kind}":"{code}"}},"message":"Too many requests. Retry in 40591 seconds."{more}}}],"requestId":"r1"}}]}}}}"#
        )
    }

    #[test]
    fn the_limit_of_the_day_says_when_it_ends() {
        let delay = r#","details":{"quotaErrorDetails":{"rateScope":"DEVELOPER","rateName":"Number of operations for basic access","retryDelay":"40591s"}}"#;
        for body in [
            ads("quotaError", "RESOURCE_EXHAUSTED", delay),
            format!("[{}]", ads("quotaError", "RESOURCE_EXHAUSTED", "")),
        ] {
            let GoogleError::DailyLimit { retry_after, .. } = read(429, body.as_bytes(), None) else {
                panic!("{body}");
            };
            assert_eq!(retry_after, Duration::from_secs(40_591));
        }
    }

    #[test]
    fn each_refusal_has_its_kind() {
        let of = |status, kind, code| read(status, ads(kind, code, "").as_bytes(), None);
        assert!(matches!(
            of(429, "quotaError", "RESOURCE_TEMPORARILY_EXHAUSTED"),
            GoogleError::Busy { .. }
        ));
        let wrong = of(403, "authorizationError", "USER_PERMISSION_DENIED");
        assert_eq!(wrong.request_id(), Some("r1"));
        assert!(matches!(wrong, GoogleError::Forbidden { .. }));
        assert_eq!(
            of(403, "authorizationError", "CUSTOMER_NOT_ENABLED"),
            GoogleError::CustomerClosed
        );
        assert_eq!(
            of(403, "authorizationError", "CLOUD_PROJECT_NOT_APPROVED_FOR_PRODUCTION"),
            GoogleError::NotApproved
        );
        assert_eq!(
            of(400, "requestError", "UNSUPPORTED_VERSION"),
            GoogleError::VersionEnded
        );
        assert!(!of(400, "queryError", "UNRECOGNIZED_FIELD").may_pass());
        assert!(of(500, "internalError", "INTERNAL_ERROR").may_pass());
    }

    #[test]
    fn search_console_has_reasons_of_its_own() {
        let of = |reason: &str| {
            let body = format!(
                r#"{{"error":{{"errors":[{{"domain":"global","reason":"{reason}","message":"User does not have sufficient permission for site 'https://a.example/'."}}],"code":403,"message":"m"}}}}"#
            );
            read(403, body.as_bytes(), None)
        };
        assert!(matches!(of("forbidden"), GoogleError::Forbidden { .. }));
        assert_eq!(
            of("quotaExceeded"),
            GoogleError::Busy {
                retry_after: CONSOLE_WAIT,
                reason: "quotaExceeded".to_owned()
            }
        );
    }

    #[test]
    fn what_is_no_body_of_google_is_read_by_its_status() {
        assert!(read(503, b"<html>", None).may_pass());
        assert!(matches!(read(401, b"", None), GoogleError::GrantFailing(_)));
        assert!(matches!(read(400, b"[]", None), GoogleError::Refused { .. }));
    }
}
