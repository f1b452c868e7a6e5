//! The body of a failure, as LoopBack writes it: `{"error":{"statusCode","name","message","code","details"}}` (decision D161).

use std::collections::BTreeMap;

use axum::Json;
use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;
use vocabulary::Language;
use vocabulary::resources::FilterError;

use super::field_faults::{FieldFault, TranslatableFaults, by_field};
use super::{ApiError, ChangedSinceSeen, in_one_text, whole_seconds};

/// The body of every failure.
#[derive(Debug, Serialize, ToSchema)]
pub struct FailureBody {
    error: ErrorBody,
    /// Of a change that the state of rows forbids: the rows as they are now.
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<serde_json::Value>,
}

/// What went wrong, in LoopBack's shape.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ErrorBody {
    status_code: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'static str>,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<Details>,
}

#[derive(Debug, Default, Serialize, ToSchema)]
struct Details {
    /// The model of the row.
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<&'static str>,
    /// Codes by field name.
    #[serde(skip_serializing_if = "Option::is_none")]
    codes: Option<BTreeMap<String, Vec<String>>>,
    /// Texts by field name.
    #[serde(skip_serializing_if = "Option::is_none")]
    messages: Option<BTreeMap<String, Vec<String>>>,
    /// Operators that are not allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    operators: Option<Vec<String>>,
    /// The condition that names them.
    #[serde(rename = "where", skip_serializing_if = "Option::is_none")]
    condition: Option<serde_json::Value>,
    /// The rows that somebody else has changed since the caller saw them.
    #[serde(skip_serializing_if = "Option::is_none")]
    changed: Option<ChangedRows>,
    /// The draft of a mail as it is now.
    #[serde(skip_serializing_if = "Option::is_none")]
    draft: Option<serde_json::Value>,
}

/// Rows that somebody else has changed since the caller saw them.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ChangedRows {
    /// How many they are.
    count: usize,
    /// The first of them, at most 100.
    rows: Vec<ChangedRow>,
    /// What to give as `X-Seen-At` to change them all the same.
    as_of: String,
}

/// A row that somebody else has changed.
#[derive(Debug, Serialize, ToSchema)]
struct ChangedRow {
    id: i64,
    name: String,
}

impl From<ChangedSinceSeen> for ChangedRows {
    /// The rows as the body names them.
    fn from(changed: ChangedSinceSeen) -> Self {
        let rows = changed.rows.into_iter();
        Self {
            count: changed.count,
            rows: rows.map(|(id, name)| ChangedRow { id, name }).collect(),
            as_of: changed.as_of.to_string(),
        }
    }
}

impl ApiError {
    /// The name of the error's class in LoopBack; `None` for an internal failure.
    fn name(&self) -> Option<&'static str> {
        match self {
            Self::Internal(_) => None,
            Self::Invalid(_) | Self::Faulty(_) | Self::Refused { .. } => Some("ValidationError"),
            Self::Syntax(_) => Some("SyntaxError"),
            Self::Uri(_) => Some("URIError"),
            Self::TooLarge => Some("PayloadTooLargeError"),
            Self::UnsupportedMedia(_) => Some("UnsupportedMediaTypeError"),
            _ => Some("Error"),
        }
    }

    /// The seconds of `Retry-After`; `None` for a failure without that header.
    fn retry_after(&self) -> Option<u64> {
        match self {
            Self::Throttled(after) | Self::TooMuchAtOnce(after) | Self::Busy(after) => Some(whole_seconds(*after)),
            _ => None,
        }
    }

    /// The rows as they are now, where a failure has them; they are taken out of it.
    fn fresh(&mut self) -> Option<serde_json::Value> {
        match self {
            Self::TransitionNotAllowed { fresh, .. } => Some(fresh.take()),
            _ => None,
        }
    }

    /// What the body says beside the text: problems by field, the ids of actions that do not fit, the rows that somebody else has changed, or the
    /// operator that is not allowed with its condition. `None` for other failures.
    fn details(self) -> Option<Details> {
        match self {
            Self::Invalid(messages) => Some(Details {
                messages: Some(messages),
                ..Details::default()
            }),
            Self::Faulty(faults) => Some(Details {
                messages: Some(by_field(&faults, Language::En)),
                ..Details::default()
            }),
            Self::TransitionNotAllowed { ids, .. } => Some(Details {
                messages: Some(BTreeMap::from([(
                    "actionID".to_owned(),
                    ids.iter().map(ToString::to_string).collect(),
                )])),
                ..Details::default()
            }),
            Self::ChangedSinceSeen(changed) => Some(Details {
                context: Some(changed.model),
                changed: Some((*changed).into()),
                ..Details::default()
            }),
            Self::DraftChanged(draft) => Some(Details {
                draft: draft.map(|draft| *draft),
                ..Details::default()
            }),
            Self::Refused { model, problems } => {
                let mut codes = BTreeMap::<String, Vec<String>>::new();
                let mut messages = BTreeMap::<String, Vec<String>>::new();
                for problem in problems {
                    codes
                        .entry(problem.field.to_owned())
                        .or_default()
                        .push(problem.code.to_owned());
                    messages.entry(problem.field.to_owned()).or_default().push(problem.text);
                }
                Some(Details {
                    context: Some(model),
                    codes: Some(codes),
                    messages: Some(messages),
                    ..Details::default()
                })
            }
            Self::Filter(error) => match *error {
                FilterError::Operator { operator, condition } => Some(Details {
                    operators: Some(vec![operator]),
                    condition: Some(condition),
                    ..Details::default()
                }),
                _ => None,
            },
            _ => None,
        }
    }
}

impl IntoResponse for ApiError {
    /// Logs the failure and makes the response: status, body and, where the client is to try again later, `Retry-After` in seconds (at least 1).
    fn into_response(mut self) -> Response {
        self.log();
        let status = self.status();
        let name = self.name();
        let message = self.message();
        let code = self.code();
        let retry_after = self.retry_after();
        let data = self.fresh();
        let faults = match &self {
            Self::Faulty(faults) => Some(TranslatableFaults(faults.as_slice().into())),
            _ => None,
        };
        let details = self.details();
        let error = ErrorBody {
            status_code: status.as_u16(),
            name,
            message,
            code,
            details,
        };
        let mut response = (status, Json(FailureBody { error, data })).into_response();
        if let Some(faults) = faults {
            response.extensions_mut().insert(faults);
        }
        if let Some(seconds) = retry_after {
            response
                .headers_mut()
                .insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

/// A response with what is wrong with fields in another language than English; any other response as it is.
pub fn in_language(response: Response, language: Language) -> Response {
    match response.extensions().get::<TranslatableFaults>().cloned() {
        Some(TranslatableFaults(faults)) if language != Language::En => {
            let (parts, _english) = response.into_parts();
            Response::from_parts(parts, of_faults(&faults, language))
        }
        _ => response,
    }
}

/// The body of faults in a language.
fn of_faults(faults: &[FieldFault], language: Language) -> Body {
    let fields = by_field(faults, language);
    let error = ErrorBody {
        status_code: StatusCode::UNPROCESSABLE_ENTITY.as_u16(),
        name: Some("ValidationError"),
        message: in_one_text(&fields),
        code: None,
        details: Some(Details {
            messages: Some(fields),
            ..Details::default()
        }),
    };
    Json(FailureBody { error, data: None }).into_response().into_body()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use axum::body::to_bytes;
    use serde_json::{Value, json};

    use super::super::FieldProblem;
    use super::*;

    async fn body(failure: ApiError) -> Value {
        let response = failure.into_response();
        serde_json::from_slice(&to_bytes(response.into_body(), 10_000).await.unwrap()).unwrap()
    }

    #[tokio::test]
    async fn internal_causes_are_not_told() {
        let body = body(ApiError::internal("password=hunter2")).await;
        assert_eq!(
            body,
            json!({"error": {"statusCode": 500, "message": "Internal Server Error"}})
        );
    }

    #[tokio::test]
    async fn broken_rules_are_listed_by_field() {
        let problem = FieldProblem::new("domain", "presence", "can't be blank", "undefined".to_owned());
        let body = body(ApiError::Refused {
            model: "Dealer",
            problems: vec![problem],
        })
        .await;
        assert_eq!(body["error"]["statusCode"], 422);
        assert_eq!(
            body["error"]["details"]["messages"],
            json!({"domain": ["can't be blank"]})
        );
        let message = "The `Dealer` instance is not valid. Details: `domain` can't be blank (value: undefined).";
        assert_eq!(body["error"]["message"], message);
    }

    #[tokio::test]
    async fn a_throttled_answer_says_when_to_come_back() {
        let response = ApiError::Throttled(Duration::from_secs(90)).into_response();
        assert_eq!(response.status(), StatusCode::TOO_MANY_REQUESTS);
        assert_eq!(response.headers()[header::RETRY_AFTER], "90");
    }
}
