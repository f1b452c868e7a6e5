//! ClickHouse's exceptions: a code, a text, and the HTTP status that a server gives the code.

use std::fmt;
use std::io;

/// Codes that this server raises itself; the engine raises any of ClickHouse's.
pub(crate) mod code {
    pub(crate) const BAD_ARGUMENTS: i32 = 36;
    pub(crate) const CHECKSUM_DOESNT_MATCH: i32 = 40;
    pub(crate) const NOT_IMPLEMENTED: i32 = 48;
    pub(crate) const SYNTAX_ERROR: i32 = 62;
    pub(crate) const UNKNOWN_TYPE_OF_QUERY: i32 = 78;
    pub(crate) const UNKNOWN_COMPRESSION_METHOD: i32 = 89;
    pub(crate) const UNKNOWN_SETTING: i32 = 115;
    pub(crate) const TOO_MANY_SIMULTANEOUS_QUERIES: i32 = 202;
    pub(crate) const NETWORK_ERROR: i32 = 210;
    pub(crate) const QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING: i32 = 216;
    pub(crate) const QUERY_IS_TOO_LARGE: i32 = 229;
    pub(crate) const CANNOT_DECOMPRESS: i32 = 271;
    pub(crate) const INTO_OUTFILE_NOT_ALLOWED: i32 = 358;
    pub(crate) const SESSION_NOT_FOUND: i32 = 372;
    pub(crate) const SESSION_IS_LOCKED: i32 = 373;
    pub(crate) const INVALID_SESSION_TIMEOUT: i32 = 374;
    pub(crate) const THERE_IS_NO_QUERY: i32 = 393;
    pub(crate) const UNKNOWN_ROLE: i32 = 511;
    pub(crate) const AUTHENTICATION_FAILED: i32 = 516;
    pub(crate) const UNKNOWN_EXCEPTION: i32 = 1002;
}

/// An error as ClickHouse reports it; its text starts with `Code: N. DB::Exception: `.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ServerError {
    pub(crate) code: i32,
    text: String,
}

impl ServerError {
    /// Builds an exception of this server; `name` is ClickHouse's name for the code, such as `BAD_ARGUMENTS`.
    pub(crate) fn new(code: i32, name: &str, message: impl fmt::Display) -> Self {
        Self {
            code,
            text: format!("Code: {code}. DB::Exception: {message}. ({name})"),
        }
    }

    /// Builds an exception with ClickHouse's code for unknown errors.
    pub(crate) fn unknown(message: impl fmt::Display) -> Self {
        Self::new(code::UNKNOWN_EXCEPTION, "UNKNOWN_EXCEPTION", message)
    }

    /// Parses an error text of the engine, which starts with `Code: N.`; any other text becomes an unknown exception.
    pub(crate) fn of_engine(text: &str) -> Self {
        let code = text
            .strip_prefix("Code: ")
            .and_then(|rest| rest.split('.').next())
            .and_then(|digits| digits.parse().ok());
        match code {
            Some(code) => Self {
                code,
                text: text.trim_end().to_owned(),
            },
            None => Self::unknown(text.trim_end()),
        }
    }

    /// Returns the text followed by the engine's version, in the form that a server sends, unless it names a version already.
    pub(crate) fn text(&self, version: &str) -> String {
        if self.text.ends_with(')') && self.text.contains("(version ") {
            return self.text.clone();
        }
        format!("{} (version {version})", self.text)
    }

    /// Returns whether the engine refused to stream the statement, which it can still run as a whole.
    pub(crate) fn is_not_streamable(&self) -> bool {
        self.code == code::BAD_ARGUMENTS && self.text.contains("Streaming query is not supported")
    }

    /// Returns the HTTP status from ClickHouse's own table (`exceptionCodeToHTTPStatus.cpp`); 500 for all other codes.
    pub(crate) fn status(&self) -> u16 {
        match self.code {
            194 => 401,
            192 | 193 | 497 | 512 | 516 => 403,
            6 | 8 | 15 | 25 | 26 | 27 | 36 | 37 | 38 | 41 | 44 | 53 | 62 | 72 | 117 | 123 | 167 | 168 | 223 | 321
            | 376 | 427 | 441 | 675 | 676 => 400,
            46 | 47 | 50 | 56 | 60 | 63 | 73 | 78 | 81 | 115 | 152 | 336 | 511 => 404,
            159 => 408,
            229 => 413,
            381 => 411,
            48 => 501,
            76 | 209 | 439 => 503,
            _ => 500,
        }
    }
}

impl fmt::Display for ServerError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl std::error::Error for ServerError {}

/// Readers of a request's body pass exceptions through `std::io`.
impl From<ServerError> for io::Error {
    /// Wraps the exception for a reader; the conversion back returns it unchanged.
    fn from(exception: ServerError) -> Self {
        io::Error::other(exception)
    }
}

impl From<io::Error> for ServerError {
    /// Only for failures of reading a request's body: the exception that the error carries, NETWORK_ERROR when the request ended too early
    /// (`ConnectionAborted`), else CANNOT_DECOMPRESS.
    fn from(error: io::Error) -> Self {
        match error.downcast::<ServerError>() {
            Ok(exception) => exception,
            Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => Self::new(
                code::NETWORK_ERROR,
                "NETWORK_ERROR",
                format!("The request ended too early: {error}"),
            ),
            Err(error) => Self::new(
                code::CANNOT_DECOMPRESS,
                "CANNOT_DECOMPRESS",
                format!("Cannot decompress: {error}"),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ServerError;

    #[test]
    fn reads_the_code_of_an_engine_text() {
        let exception =
            ServerError::of_engine("Code: 60. DB::Exception: Table vigie.nope does not exist. (UNKNOWN_TABLE)\n");
        assert_eq!(exception.code, 60);
        assert_eq!(exception.status(), 404);
        assert!(exception.text("26.7").ends_with("(UNKNOWN_TABLE) (version 26.7)"));
    }

    #[test]
    fn gives_a_text_without_a_code_the_unknown_one() {
        let exception = ServerError::of_engine("out of luck");
        assert_eq!(exception.code, 1002);
        assert_eq!(exception.status(), 500);
    }

    #[test]
    fn carries_an_exception_through_io() {
        let exception = ServerError::new(40, "CHECKSUM_DOESNT_MATCH", "Checksum doesn't match");
        assert_eq!(ServerError::from(std::io::Error::from(exception.clone())), exception);
    }
}
