//! Texts of the database as values of the program.

use std::str::FromStr;

use crate::{Error, Result};

/// Reads a stored text. `column` is `table.column`, for the error.
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
