//! Which error of a store or library becomes which failure of the API.

use std::time::Duration;

use axum::http::StatusCode;
use runtime::sealing::SealError;
use vocabulary::resources::FilterError;
use vocabulary::resources::brackets::BracketsError;

use super::{ApiError, LEDGER};
use crate::access::passwords::{HashError, PasswordError};

/// What an error message calls ClickHouse.
const ADS: &str = "The store of ads";
/// The queue of passwords is done in about a second.
const AFTER_THE_QUEUE: Duration = Duration::from_secs(2);

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

impl From<HashError> for ApiError {
    /// `Busy` for a full queue, else `Internal`.
    fn from(error: HashError) -> Self {
        match error {
            HashError::Busy => Self::Busy(AFTER_THE_QUEUE),
            HashError::Failed => Self::internal(error),
        }
    }
}

impl From<SealError> for ApiError {
    /// The conflict `NO_SECRETS_KEY` where there is no key to encrypt with, whose reason is logged; else `Internal`.
    fn from(error: SealError) -> Self {
        match error {
            SealError::NoKey | SealError::BadKey => {
                tracing::error!(%error, "credentials cannot be stored");
                let text = "This server has no key to encrypt credentials with, and stores none without.".to_owned();
                Self::Coded(StatusCode::CONFLICT, "NO_SECRETS_KEY", text)
            }
            SealError::Unreadable => Self::internal(error),
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

impl From<outreach::OutreachError> for ApiError {
    /// The failure of the store that failed.
    fn from(error: outreach::OutreachError) -> Self {
        match error {
            outreach::OutreachError::Postgres(error) => error.into(),
            outreach::OutreachError::Analytics(error) => error.into(),
        }
    }
}

impl From<outreach::DigestError> for ApiError {
    /// The failure of the store that failed; `Internal` for a text that cannot be filled in.
    fn from(error: outreach::DigestError) -> Self {
        match error {
            outreach::DigestError::Postgres(error) => error.into(),
            outreach::DigestError::Analytics(error) => error.into(),
            outreach::DigestError::Text(error) => Self::internal(error),
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
