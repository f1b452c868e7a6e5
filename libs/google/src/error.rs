//! Why Google did not do what it was asked.

use std::time::Duration;

use thiserror::Error;

/// Why Google did not do what it was asked. Messages say what to do, and never contain a token.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum GoogleError {
    /// The settings name no client.
    #[error("Google is not set up: set VIGIE__GOOGLE__CLIENT_ID and VIGIE__GOOGLE__CLIENT_SECRET")]
    NotSetUp,
    /// Nobody answered, or the answer broke off.
    #[error("Google cannot be reached: {0}")]
    Unreachable(String),
    /// A change was sent and its answer never came: it may or may not have been made.
    #[error("Google did not say whether the change was made: {0}")]
    Unknown(String),
    /// Too many calls in a short time, or Google is disturbed.
    #[error("Google asks to wait ({reason})")]
    Busy {
        /// When to come back.
        retry_after: Duration,
        /// Google's word for it.
        reason: String,
    },
    /// The operations of the day are used up, for the whole project.
    #[error("the operations of the day are used up ({rate})")]
    DailyLimit {
        /// When to come back.
        retry_after: Duration,
        /// The name of the limit.
        rate: String,
    },
    /// The grant was revoked or has expired.
    #[error("the access was revoked or has expired; connect again")]
    GrantRevoked,
    /// The grant could not be used, for another reason.
    #[error("the access cannot be used: {0}")]
    GrantFailing(String),
    /// The consent was given for less than was asked.
    #[error("the consent leaves out {0}")]
    ConsentInPart(String),
    /// The grant does not reach the customer or site.
    #[error("the access does not reach it: {message}")]
    Forbidden {
        /// Google's message about it.
        message: String,
        /// Google's id of the request.
        request_id: Option<String>,
    },
    /// The customer account is closed or not yet open.
    #[error("the customer account is closed at Google")]
    CustomerClosed,
    /// The project may not work with accounts of production.
    #[error("the project at Google is not approved for production")]
    NotApproved,
    /// The version of the API has ended.
    #[error("this version of the Google Ads API has ended; set VIGIE__GOOGLE__VERSION")]
    VersionEnded,
    /// Anything else that Google refuses; asking again does not help.
    #[error("Google refuses it: {code}: {message}")]
    Refused {
        /// Google's word for it.
        code: String,
        /// Google's message about it.
        message: String,
        /// Google's id of the request.
        request_id: Option<String>,
    },
    /// An answer that is no answer of Google.
    #[error("Google gives an answer that cannot be read: {0}")]
    Unreadable(String),
    /// A text that cannot be part of a query.
    #[error("a text cannot be asked for: {0}")]
    Unquotable(#[from] crate::UnquotableError),
}

impl GoogleError {
    /// Whether the same call may succeed a little later.
    pub const fn may_pass(&self) -> bool {
        matches!(self, Self::Unreachable(_) | Self::Busy { .. })
    }

    /// Google's id of the request, where it named one.
    pub fn request_id(&self) -> Option<&str> {
        match self {
            Self::Forbidden { request_id, .. } | Self::Refused { request_id, .. } => request_id.as_deref(),
            _ => None,
        }
    }
}
