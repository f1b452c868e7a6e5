//! Why a call of this crate fails.

use std::sync::Arc;

use thiserror::Error;

/// Why a query of ad results failed. It can be cloned, since callers share the result of equal queries.
#[derive(Clone, Debug, Error)]
pub enum Error {
    /// The query ran into a limit of time, rows or memory; narrower filters help (408, decision D74).
    #[error("the query found too many results or took too long")]
    TooMany,
    /// The store cannot be reached.
    #[error("ClickHouse cannot be reached at {address}")]
    Unreachable {
        /// The address that was tried, without credentials.
        address: String,
        /// What the connection says.
        source: Arc<clickhouse::error::Error>,
    },
    /// The certificates an `https` address is to be trusted by cannot be used.
    #[error("the certificates of the authorities trusted for ClickHouse cannot be used: {0}")]
    Authorities(String),
    /// The store refused or the answer could not be read.
    #[error("ClickHouse: {0}")]
    Refused(#[source] Arc<clickhouse::error::Error>),
    /// The rows given do not form one batch that can be stored.
    #[error("this batch cannot be stored: {0}")]
    BadBatch(&'static str),
    /// A migration that was applied has other contents now.
    #[error(
        "ClickHouse migration {0} was changed after it was applied; restore its text and put the change into a new migration"
    )]
    ChangedMigration(String),
    /// A table that is not copied.
    #[error("ClickHouse has no table {0:?} that backups are made of")]
    UnknownTable(String),
    /// The schema was made by a newer version.
    #[error("the ClickHouse schema is at version {found}, this program knows up to {known}; start the newer version")]
    NewerSchema {
        /// The newest applied migration.
        found: u32,
        /// The newest known one.
        known: u32,
    },
}

/// TOO_MANY_ROWS, TIMEOUT_EXCEEDED, TOO_SLOW, MEMORY_LIMIT_EXCEEDED, TOO_MANY_BYTES, TOO_MANY_ROWS_OR_BYTES.
const LIMIT_CODES: [u32; 6] = [158, 159, 160, 241, 307, 396];

impl Error {
    /// The error of the client library: a limit of time, rows, bytes or memory is [`Error::TooMany`], a timeout or a failed connection
    /// [`Error::Unreachable`], which alone names `address`, all else [`Error::Refused`].
    pub(crate) fn from_client(error: clickhouse::error::Error, address: &str) -> Self {
        match error {
            clickhouse::error::Error::BadResponse(text)
                if code_in(&text).is_some_and(|code| LIMIT_CODES.contains(&code)) =>
            {
                Self::TooMany
            }
            error @ (clickhouse::error::Error::TimedOut | clickhouse::error::Error::Network(_)) => Self::Unreachable {
                address: address.to_owned(),
                source: Arc::new(error),
            },
            other => Self::Refused(Arc::new(other)),
        }
    }

    /// ClickHouse's error code; `None` for an answer that names none, and for anything but [`Error::Refused`].
    pub fn code(&self) -> Option<u32> {
        match self {
            Self::Refused(error) => match error.as_ref() {
                clickhouse::error::Error::BadResponse(text) => code_in(text),
                _ => None,
            },
            _ => None,
        }
    }
}

/// The number in `Code: 159. DB::Exception: …`; `None` where there is none.
fn code_in(text: &str) -> Option<u32> {
    let (_, rest) = text.split_once("Code: ")?;
    let end = rest.find(|letter: char| !letter.is_ascii_digit())?;
    rest[..end].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from_response(text: &str) -> Error {
        Error::from_client(
            clickhouse::error::Error::BadResponse(text.to_owned()),
            "http://127.0.0.1:1",
        )
    }

    #[test]
    fn limits_of_the_engine_mean_too_many_results() {
        let timeout = "Code: 159. DB::Exception: Timeout exceeded: elapsed 50001 ms. (TIMEOUT_EXCEEDED)";
        assert!(matches!(from_response(timeout), Error::TooMany));
        assert!(matches!(
            from_response("Code: 241. DB::Exception: memory"),
            Error::TooMany
        ));
    }

    #[test]
    fn other_refusals_keep_their_number() {
        assert_eq!(from_response("Code: 60. DB::Exception: Unknown table").code(), Some(60));
        assert_eq!(from_response("not an exception").code(), None);
    }
}
