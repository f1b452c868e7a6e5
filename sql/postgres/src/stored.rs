//! Conversions between values of the database and of the program.

use std::str::FromStr;
use std::time::Duration;

use sqlx::postgres::types::PgInterval;

use crate::{Error, Result};

/// Reads a stored text. A text that the type does not know is [`Error::Stored`], which names `column` (as `table.column`).
pub fn parse<T: FromStr>(column: &'static str, text: &str) -> Result<T> {
    text.parse().map_err(|_| Error::Stored {
        column,
        value: text.to_owned(),
    })
}

/// Reads a stored text that may be null.
pub fn parse_some<T: FromStr>(column: &'static str, text: Option<&str>) -> Result<Option<T>> {
    text.map(|text| parse(column, text)).transpose()
}

/// Reads a stored SHA-256. Any other length than 32 bytes is [`Error::Stored`], which names `column`.
pub fn digest(column: &'static str, bytes: &[u8]) -> Result<[u8; 32]> {
    bytes.try_into().map_err(|_| Error::Stored {
        column,
        value: format!("{} bytes", bytes.len()),
    })
}

/// Reads a stored SHA-256 that may be null.
pub fn digest_some(column: &'static str, bytes: Option<&[u8]>) -> Result<Option<[u8; 32]>> {
    bytes.map(|bytes| digest(column, bytes)).transpose()
}

/// A duration as an interval, cut to whole microseconds. One that is too long becomes the longest interval.
pub fn interval(span: Duration) -> PgInterval {
    PgInterval {
        months: 0,
        days: 0,
        microseconds: i64::try_from(span.as_micros()).unwrap_or(i64::MAX),
    }
}
