//! The one answer to everything that goes wrong: [`ApiError`], what becomes one, and its body.

mod body;
mod conversions;
mod field_faults;

use std::collections::BTreeMap;
use std::error::Error;
use std::time::Duration;

use axum::http::StatusCode;
use postgres::as_of::AsOf;
use vocabulary::resources::FilterError;
use vocabulary::{ActionId, Language};

pub use body::{FailureBody, in_language};
pub use field_faults::FieldFault;
use field_faults::by_field;

/// What an error message calls Postgres.
pub const LEDGER: &str = "The database";

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
    /// A failure of accounts that clients know by its code: status, code, text. An empty code is left out of the body.
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
    TransitionNotAllowed {
        /// The actions, ascending.
        ids: Vec<ActionId>,
        /// They, or the first of them, as they are now, in the form of the answer to a change.
        fresh: serde_json::Value,
    },
    /// 409: somebody else has changed the same since the caller saw it; nothing was changed.
    ChangedSinceSeen(Box<ChangedSinceSeen>),
    /// 409: the draft of a mail has another version than the caller saw; nothing was changed.
    DraftChanged(Option<Box<serde_json::Value>>),
    /// 413: the body is over the limit.
    TooLarge,
    /// 415: the body is of a type that is not read here.
    UnsupportedMedia(String),
    /// 422: fields that break their rules, with the texts of each.
    Invalid(BTreeMap<String, Vec<String>>),
    /// 422: fields that break their rules, in the language of the reader.
    Faulty(Vec<FieldFault>),
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

/// Rows that somebody else has changed since the caller saw them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedSinceSeen {
    /// Name of their model.
    pub model: &'static str,
    /// How many they are.
    pub count: usize,
    /// The id and the name of each, of the first ones.
    pub rows: Vec<(i64, String)>,
    /// What the caller can say to have seen, to change them all the same.
    pub as_of: AsOf,
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
    /// A problem of a field: `text` reads on from the name of the field, as in "can't be blank", and `shown` is the value as JSON, or `undefined`.
    pub fn new(field: &'static str, code: &'static str, text: &str, shown: String) -> Self {
        Self {
            field,
            code,
            text: text.to_owned(),
            shown,
        }
    }

    /// Whether clients know the problem by this code.
    pub(crate) fn has_code(&self, code: &str) -> bool {
        self.code == code
    }
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
            Self::Conflict(_)
            | Self::TransitionNotAllowed { .. }
            | Self::ChangedSinceSeen(_)
            | Self::DraftChanged(_) => StatusCode::CONFLICT,
            Self::TooManyResults => StatusCode::REQUEST_TIMEOUT,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::UnsupportedMedia(_) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::Invalid(_) | Self::Faulty(_) | Self::Refused { .. } => StatusCode::UNPROCESSABLE_ENTITY,
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
            Self::TransitionNotAllowed { .. } => "TRANSITION_NOT_ALLOWED",
            Self::ChangedSinceSeen(_) => "CHANGED_SINCE_SEEN",
            Self::DraftChanged(_) => "DRAFT_CHANGED",
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
            Self::Invalid(fields) => in_one_text(fields),
            Self::Faulty(faults) => in_one_text(&by_field(faults, Language::En)),
            Self::Refused { model, problems } => {
                let problems: Vec<_> = problems
                    .iter()
                    .map(|problem| format!("`{}` {} (value: {})", problem.field, problem.text, problem.shown))
                    .collect();
                format!("The `{model}` instance is not valid. Details: {}.", problems.join("; "))
            }
            Self::TransitionNotAllowed { ids, .. } => {
                let ids: Vec<_> = ids.iter().map(ToString::to_string).collect();
                format!(
                    "The status of these actions does not allow it, and nothing was changed: {}",
                    ids.join(", ")
                )
            }
            Self::ChangedSinceSeen(_) => {
                "Somebody else has changed the same since you saw it; nothing was changed.".to_owned()
            }
            Self::DraftChanged(_) => "This draft was changed or sent elsewhere; nothing was changed.".to_owned(),
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
            Self::Throttled(after) => format!("Too many tries. Try again in {} seconds.", whole_seconds(*after)),
            Self::TooMuchAtOnce(after) => format!(
                "You have too many lists and files open at the same time. Try again in {} seconds.",
                whole_seconds(*after)
            ),
            Self::Busy(after) => format!(
                "Too many people are at work at this moment. Try again in {} seconds.",
                whole_seconds(*after)
            ),
            Self::Unavailable { store, .. } => format!("{store} does not answer. Try again in a moment."),
            Self::Internal(_) => "Internal Server Error".to_owned(),
        }
    }

    /// Writes a failure to the log: with its cause and as an error where the server is at fault, else at debug level. Responses log by themselves;
    /// call it for failures that are not answered.
    pub fn log(&self) {
        match self {
            Self::Internal(cause) => tracing::error!(error = chain_of_causes(cause.as_ref()), "request failed"),
            Self::Unavailable { store, cause } => {
                tracing::error!(store, error = chain_of_causes(cause.as_ref()), "store unavailable");
            }
            other => tracing::debug!(status = other.status().as_u16(), "request refused: {}", other.message()),
        }
    }
}

/// The texts of fields, each after the name of its field.
fn in_one_text(fields: &BTreeMap<String, Vec<String>>) -> String {
    let texts = fields
        .iter()
        .flat_map(|(field, texts)| texts.iter().map(move |text| format!("{field}: {text}")));
    texts.collect::<Vec<_>>().join("; ")
}

/// The seconds that a message or `Retry-After` says, at least 1.
fn whole_seconds(after: Duration) -> u64 {
    after.as_secs().max(1)
}

/// The texts of an error and of all its causes, outermost first, joined by colons.
fn chain_of_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text.push_str(": ");
        text.push_str(&inner.to_string());
        cause = inner.source();
    }
    text
}
