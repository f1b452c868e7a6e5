//! Refusals in the words and forms of Google.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

/// How an answer of Google Ads says that it failed.
#[derive(Debug)]
pub struct AdsRefusal {
    pub status: u16,
    /// As in `RESOURCE_EXHAUSTED`.
    pub name: &'static str,
    /// The field of `errorCode`.
    pub kind: &'static str,
    pub code: &'static str,
    pub message: String,
    pub details: Option<Box<Value>>,
}

impl AdsRefusal {
    pub fn new(
        (status, name): (u16, &'static str),
        (kind, code): (&'static str, &'static str),
        message: impl Into<String>,
    ) -> Self {
        Self {
            status,
            name,
            kind,
            code,
            message: message.into(),
            details: None,
        }
    }

    /// A bad request.
    pub fn bad(kind: &'static str, code: &'static str, message: impl Into<String>) -> Self {
        Self::new((400, "INVALID_ARGUMENT"), (kind, code), message)
    }

    /// The error alone, as it is part of a failure.
    pub fn error(&self) -> Value {
        let mut error = json!({"errorCode": {self.kind: self.code}, "message": self.message});
        if let Some(details) = &self.details {
            error["details"] = Value::clone(details);
        }
        error
    }

    /// The answer; in an array where it is to a stream.
    pub fn answer(&self, version: &str, request: &str, streams: bool) -> Response {
        let body = json!({"error": {
            "code": self.status, "message": "Request had an error.", "status": self.name,
            "details": [{
                "@type": format!("type.googleapis.com/google.ads.googleads.{version}.errors.GoogleAdsFailure"),
                "errors": [self.error()], "requestId": request,
            }],
        }});
        let body = if streams { json!([body]) } else { body };
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        (status, [("request-id", request.to_owned())], Json(body)).into_response()
    }
}

/// A refusal of Search Console.
pub fn console(status: u16, reason: &str, message: &str) -> Response {
    let body = json!({"error": {
        "errors": [{"domain": "global", "reason": reason, "message": message}], "code": status, "message": message,
    }});
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (status, Json(body)).into_response()
}
