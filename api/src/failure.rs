//! The one answer to everything that goes wrong, with LoopBack's body:
//! `{"error":{"statusCode","name","message","code","details"}}` (decision D161).

use std::collections::BTreeMap;
use std::error::Error;
use std::time::Duration;

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;
use vocabulary::ActionId;
use vocabulary::resources::FilterError;
use vocabulary::resources::brackets::BracketsError;

use crate::access::passwords::{HashError, PasswordError};

/// What an error message calls each store.
pub const LEDGER: &str = "The database";
const ADS: &str = "The store of ads";

/// Why a request is not answered. Anything unexpected becomes `Internal`, whose cause is logged and never sent.
#[derive(Debug)]
pub enum ApiError {
    /// 400: the request cannot be understood; the text says which part.
    BadRequest(String),
    /// 400: the body is not JSON; the text says where.
    Syntax(String),
    /// 400: an escape in the path is broken.
    Uri(String),
    /// 400: a filter that cannot be answered.
    Filter(Box<FilterError>),
    /// A failure of accounts that clients know by its code: status, code, text.
    Coded(StatusCode, &'static str, String),
    /// 401: no valid session.
    NotSignedIn,
    /// 401: the session has expired.
    SessionExpired,
    /// 401: wrong e-mail or password; the same for both.
    LoginFailed,
    /// 401: the published password of the demonstration, where other machines reach the site; the same whether it is that of the account.
    PublishedPassword,
    /// 403: a write with a cookie that does not prove that our own client sends it.
    CrossSite,
    /// 403: signed in, but without the right to do this.
    Forbidden,
    /// 404: a capture whose files were removed because their time was over.
    Expired,
    /// 404: unknown, or out of the reader's scope; the text names what.
    NotFound(String),
    /// 404: no row of this id, or out of the reader's scope; the text names it.
    NoRow(String),
    /// 408: the answer would be too large or take too long.
    TooManyResults,
    /// 409: the state of the data forbids it; the text says why.
    Conflict(String),
    /// 409: the statuses of these actions do not allow what was asked; nothing was changed.
    TransitionNotAllowed(Vec<ActionId>),
    /// 413: the body is over the limit.
    TooLarge,
    /// 415: the body is of a type that is not read here.
    UnsupportedMedia(String),
    /// 422: fields that break their rules, with the texts of each.
    Invalid(BTreeMap<String, Vec<String>>),
    /// 422: a row of a model that breaks its rules.
    Refused {
        /// Name of the model.
        model: &'static str,
        /// What is wrong, in the order of its fields.
        problems: Vec<FieldProblem>,
    },
    /// 429: too many attempts; says when to come back.
    Throttled(Duration),
    /// 429: the user asks for more at the same time than one user may; says when to come back.
    TooMuchAtOnce(Duration),
    /// 503: everybody together asks for more than this process can do; says when to come back.
    Busy(Duration),
    /// 503: a store cannot be reached.
    Unavailable {
        /// Name of the store, as messages call it.
        store: &'static str,
        /// What its client says; logged only.
        cause: Box<dyn Error + Send + Sync>,
    },
    /// 500: the cause is logged only.
    Internal(Box<dyn Error + Send + Sync>),
}

/// What is wrong with a field of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldProblem {
    field: &'static str,
    code: &'static str,
    text: String,
    /// The value as the message shows it.
    shown: String,
}

impl FieldProblem {
    /// A problem; `shown` is the value as JSON, or `undefined`.
    pub fn new(field: &'static str, code: &'static str, text: &str, shown: String) -> Self {
        Self {
            field,
            code,
            text: text.to_owned(),
            shown,
        }
    }
}

/// The body of every failure.
#[derive(Debug, Serialize, ToSchema)]
pub struct FailureBody {
    error: ErrorBody,
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
}

impl ApiError {
    /// The failure 422 of one field of a request, with what is wrong with it.
    pub fn of_field(field: &str, text: impl Into<String>) -> Self {
        Self::Invalid(BTreeMap::from([(field.to_owned(), vec![text.into()])]))
    }

    /// A failure that nobody expected.
    pub fn internal(cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Internal(cause.into())
    }

    /// The HTTP status of a failure.
    fn status(&self) -> StatusCode {
        match self {
            Self::BadRequest(_) | Self::Syntax(_) | Self::Uri(_) | Self::Filter(_) => StatusCode::BAD_REQUEST,
            Self::Coded(status, _, _) => *status,
            Self::NotSignedIn | Self::SessionExpired | Self::LoginFailed | Self::PublishedPassword => {
                StatusCode::UNAUTHORIZED
            }
            Self::Forbidden | Self::CrossSite => StatusCode::FORBIDDEN,
            Self::NotFound(_) | Self::NoRow(_) | Self::Expired => StatusCode::NOT_FOUND,
            Self::Conflict(_) | Self::TransitionNotAllowed(_) => StatusCode::CONFLICT,
            Self::TooManyResults => StatusCode::REQUEST_TIMEOUT,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::UnsupportedMedia(_) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::Invalid(_) | Self::Refused { .. } => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Throttled(_) | Self::TooMuchAtOnce(_) => StatusCode::TOO_MANY_REQUESTS,
            Self::Unavailable { .. } | Self::Busy(_) => StatusCode::SERVICE_UNAVAILABLE,
            Self::Internal(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// Whether the request is at fault (status 4xx), not the server.
    pub fn is_of_the_request(&self) -> bool {
        self.status().is_client_error()
    }

    /// The code that clients know a failure by; `None` for failures known by their status alone, and for an empty code.
    fn code(&self) -> Option<&'static str> {
        Some(match self {
            Self::Coded(_, code, _) if !code.is_empty() => code,
            Self::Filter(error) => return error.code(),
            Self::NotSignedIn | Self::Forbidden => "AUTHORIZATION_REQUIRED",
            Self::NoRow(_) => "MODEL_NOT_FOUND",
            Self::SessionExpired => "INVALID_TOKEN",
            Self::LoginFailed => "LOGIN_FAILED",
            Self::PublishedPassword => "PUBLISHED_PASSWORD",
            Self::CrossSite => "CROSS_SITE_REQUEST",
            Self::Expired => "CAPTURE_EXPIRED",
            Self::TooManyResults => "TOO_MANY_RESULTS",
            Self::TransitionNotAllowed(_) => "TRANSITION_NOT_ALLOWED",
            Self::Throttled(_) => "TOO_MANY_REQUESTS",
            Self::TooMuchAtOnce(_) => "TOO_MANY_AT_ONCE",
            Self::Busy(_) => "BUSY",
            Self::Unavailable { .. } => "STORE_UNAVAILABLE",
            _ => return None,
        })
    }

    /// The text that clients show; never an internal cause. Several problems are in one text, with their fields.
    fn message(&self) -> String {
        match self {
            Self::BadRequest(text)
            | Self::Syntax(text)
            | Self::Coded(_, _, text)
            | Self::NotFound(text)
            | Self::NoRow(text)
            | Self::Conflict(text)
            | Self::UnsupportedMedia(text) => text.clone(),
            Self::Uri(segment) => format!("Failed to decode param '{segment}'"),
            Self::Filter(error) => error.to_string(),
            Self::Invalid(fields) => fields
                .iter()
                .flat_map(|(field, texts)| texts.iter().map(move |text| format!("{field}: {text}")))
                .collect::<Vec<_>>()
                .join("; "),
            Self::Refused { model, problems } => {
                let problems: Vec<_> = problems
                    .iter()
                    .map(|problem| format!("`{}` {} (value: {})", problem.field, problem.text, problem.shown))
                    .collect();
                format!("The `{model}` instance is not valid. Details: {}.", problems.join("; "))
            }
            Self::TransitionNotAllowed(ids) => {
                let ids: Vec<_> = ids.iter().map(ToString::to_string).collect();
                format!(
                    "The status of these actions does not allow it, and nothing was changed: {}",
                    ids.join(", ")
                )
            }
            Self::NotSignedIn | Self::Forbidden => "Authorization Required".to_owned(),
            Self::SessionExpired => "Invalid Access Token".to_owned(),
            Self::LoginFailed => "Unauthorized".to_owned(),
            Self::PublishedPassword => {
                "This is the published password of the demonstration: it opens no account of a site that other machines reach."
                    .to_owned()
            }
            Self::CrossSite => {
                "A change by cookie needs the header X-Requested-With or Sec-Fetch-Site: same-origin".to_owned()
            }
            Self::Expired => {
                "This capture has expired: its page was kept as long as the settings say and is gone".to_owned()
            }
            Self::TooManyResults => {
                "We found too many results to display. Refine your search by changing your filters.".to_owned()
            }
            Self::TooLarge => "request entity too large".to_owned(),
            Self::Throttled(after) => format!("Too many tries. Try again in {} seconds.", after.as_secs().max(1)),
            Self::TooMuchAtOnce(after) => format!(
                "You have too many lists and files open at the same time. Try again in {} seconds.",
                after.as_secs().max(1)
            ),
            Self::Busy(after) => format!(
                "Too many people are at work at this moment. Try again in {} seconds.",
                after.as_secs().max(1)
            ),
            Self::Unavailable { store, .. } => format!("{store} does not answer. Try again in a moment."),
            Self::Internal(_) => "Internal Server Error".to_owned(),
        }
    }

    /// What the body says beside the text: problems by field, the ids of actions that do not fit, or the operator that is not allowed with its
    /// condition. `None` for other failures.
    fn details(self) -> Option<Details> {
        match self {
            Self::Invalid(messages) => Some(Details {
                messages: Some(messages),
                ..Details::default()
            }),
            Self::TransitionNotAllowed(ids) => Some(Details {
                messages: Some(BTreeMap::from([(
                    "actionID".to_owned(),
                    ids.iter().map(ToString::to_string).collect(),
                )])),
                ..Details::default()
            }),
            Self::Refused { model, problems } => {
                let (mut codes, mut messages) = (
                    BTreeMap::<String, Vec<String>>::new(),
                    BTreeMap::<String, Vec<String>>::new(),
                );
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

    /// Writes a failure to the log: with its cause and as an error where the server is at fault, else at debug level. Responses log by themselves;
    /// call it for failures that are not answered.
    pub fn log(&self) {
        match self {
            Self::Internal(cause) => tracing::error!(error = chain(cause.as_ref()), "request failed"),
            Self::Unavailable { store, cause } => {
                tracing::error!(store, error = chain(cause.as_ref()), "store unavailable");
            }
            other => tracing::debug!(status = other.status().as_u16(), "request refused: {}", other.message()),
        }
    }
}

/// The texts of an error and its causes, joined by colons.
fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text.push_str(": ");
        text.push_str(&inner.to_string());
        cause = inner.source();
    }
    text
}

impl IntoResponse for ApiError {
    /// Logs the failure and makes the response: status, body and, where the client is to try again later, `Retry-After` in seconds (at least 1).
    fn into_response(self) -> Response {
        self.log();
        let status = self.status();
        let name = match &self {
            Self::Internal(_) => None,
            Self::Invalid(_) | Self::Refused { .. } => Some("ValidationError"),
            Self::Syntax(_) => Some("SyntaxError"),
            Self::Uri(_) => Some("URIError"),
            Self::TooLarge => Some("PayloadTooLargeError"),
            Self::UnsupportedMedia(_) => Some("UnsupportedMediaTypeError"),
            _ => Some("Error"),
        };
        let message = self.message();
        let code = self.code();
        let retry_after = match &self {
            Self::Throttled(after) | Self::TooMuchAtOnce(after) | Self::Busy(after) => Some(after.as_secs().max(1)),
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
        let mut response = (status, Json(FailureBody { error })).into_response();
        if let Some(seconds) = retry_after {
            response
                .headers_mut()
                .insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

impl From<PasswordError> for ApiError {
    /// A 422 with the code of the rule that the password breaks.
    fn from(refused: PasswordError) -> Self {
        let code = match refused {
            PasswordError::Invalid | PasswordError::TooEasy(_) => "INVALID_PASSWORD",
            PasswordError::TooLong(_) => "PASSWORD_TOO_LONG",
            PasswordError::TooCommon => "PASSWORD_TOO_COMMON",
        };
        Self::Coded(StatusCode::UNPROCESSABLE_ENTITY, code, refused.to_string())
    }
}

/// The queue of passwords is done in about a second.
const AFTER_THE_QUEUE: Duration = Duration::from_secs(2);

impl From<HashError> for ApiError {
    /// `Busy` for a full queue, else `Internal`.
    fn from(error: HashError) -> Self {
        match error {
            HashError::Busy => Self::Busy(AFTER_THE_QUEUE),
            HashError::Failed => Self::internal(error),
        }
    }
}

impl From<BracketsError> for ApiError {
    fn from(error: BracketsError) -> Self {
        Self::BadRequest(error.to_string())
    }
}

impl From<FilterError> for ApiError {
    fn from(error: FilterError) -> Self {
        Self::Filter(Box::new(error))
    }
}

impl From<postgres::Error> for ApiError {
    /// The first that fits: `Forbidden` out of reach, `BadRequest` for a value that cannot be stored, `TooManyResults` after a timeout or for too
    /// many rows, `Unavailable` while the database cannot be reached, else `Internal`.
    fn from(error: postgres::Error) -> Self {
        if matches!(error, postgres::Error::OutOfReach) {
            Self::Forbidden
        } else if error.is_unfit_value() {
            Self::BadRequest("A value is too large, or has a character that cannot be stored.".to_owned())
        } else if error.timed_out() || matches!(error, postgres::Error::TooMany) {
            Self::TooManyResults
        } else if error.is_unreachable() {
            Self::Unavailable {
                store: LEDGER,
                cause: Box::new(error),
            }
        } else {
            Self::internal(error)
        }
    }
}

impl From<analytics::Error> for ApiError {
    /// `TooManyResults` for a query over its limits, `Unavailable` while the store cannot be reached, else `Internal`.
    fn from(error: analytics::Error) -> Self {
        match error {
            analytics::Error::TooMany => Self::TooManyResults,
            error @ analytics::Error::Unreachable { .. } => Self::Unavailable {
                store: ADS,
                cause: Box::new(error),
            },
            other => Self::internal(other),
        }
    }
}

impl From<corrections::Error> for ApiError {
    /// The failure of the store where one failed, else `Internal`.
    fn from(error: corrections::Error) -> Self {
        match error {
            corrections::Error::Postgres(error) => error.into(),
            corrections::Error::Analytics(error) => error.into(),
            other => Self::internal(other),
        }
    }
}

impl From<schedules::Error> for ApiError {
    fn from(error: schedules::Error) -> Self {
        Self::internal(error)
    }
}

impl From<blobs::Error> for ApiError {
    fn from(error: blobs::Error) -> Self {
        Self::internal(error)
    }
}

impl From<evidence::Error> for ApiError {
    /// The failure of the database where it failed, else `Internal`.
    fn from(error: evidence::Error) -> Self {
        match error {
            evidence::Error::Postgres(error) => error.into(),
            other => Self::internal(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::body::to_bytes;
    use serde_json::{Value, json};

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
