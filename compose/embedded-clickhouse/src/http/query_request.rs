use std::time::Duration;

use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, header};
use url::form_urlencoded;
use uuid::Uuid;

use crate::compression::Encoding;
use crate::exception::{ServerError, code};
use crate::sql;

/// How long a session is kept after its last statement by default; a server's default.
const SESSION_TIMEOUT: Duration = Duration::from_mins(1);
/// The longest time a session may be kept; a server's default.
const LONGEST_SESSION_TIMEOUT: Duration = Duration::from_hours(1);
/// Bytes of output buffered before the response starts, so that an early failure has its own status; a server's default.
const BUFFER_SIZE: usize = 1 << 20;
/// The format of outputs when neither request nor statement names one.
const DEFAULT_FORMAT: &str = "TabSeparated";

/// A parsed request, without the part of its statement that is in the body.
#[derive(Debug)]
pub(crate) struct QueryRequest {
    /// The start of the statement, or all of it.
    pub(crate) query: Vec<u8>,
    pub(crate) id: String,
    pub(crate) user: Option<String>,
    pub(crate) password: Option<String>,
    pub(crate) database: Option<String>,
    /// The format of an output whose statement names none.
    pub(crate) format: String,
    pub(crate) session: Option<SessionParams>,
    /// Settings of the engine for this statement.
    pub(crate) settings: Vec<(String, String)>,
    /// Values of `{name:Type}` in the statement.
    pub(crate) parameters: Vec<(String, String)>,
    /// Whether the statement may change nothing.
    pub(crate) is_read_only: bool,
    /// Whether the response starts only when the statement has ended.
    pub(crate) waits_for_the_end: bool,
    /// Bytes of output buffered before the response starts.
    pub(crate) buffer_size: usize,
    /// The encoding of the body, and whether it contains blocks.
    pub(crate) body_encoding: Encoding,
    pub(crate) body_has_blocks: bool,
    /// The encoding of the response.
    pub(crate) response_encoding: Encoding,
}

/// The session of a request.
#[derive(Clone, Debug)]
pub(crate) struct SessionParams {
    pub(crate) id: String,
    /// How long it is kept after this request.
    pub(crate) timeout: Duration,
    /// Whether the session must already exist.
    pub(crate) must_exist: bool,
}

impl QueryRequest {
    /// Parses a request's address and headers; the address counts before the headers, and a GET or HEAD is read-only. A parameter that is not known
    /// becomes a setting. Fails for an unknown encoding, a role, a wrong session timeout, or a name that cannot be a setting's.
    pub(crate) fn read(parts: &Parts) -> Result<Self, ServerError> {
        let header = |name: &str| {
            parts
                .headers
                .get(name)
                .and_then(|value| value.to_str().ok())
                .map(str::to_owned)
        };
        let mut query = Self {
            query: Vec::new(),
            id: Uuid::new_v4().to_string(),
            user: None,
            password: None,
            database: header("x-clickhouse-database"),
            format: header("x-clickhouse-format").unwrap_or_else(|| DEFAULT_FORMAT.to_owned()),
            session: None,
            settings: Vec::new(),
            parameters: Vec::new(),
            is_read_only: parts.method == Method::GET || parts.method == Method::HEAD,
            waits_for_the_end: false,
            buffer_size: BUFFER_SIZE,
            body_encoding: Encoding::Identity,
            body_has_blocks: false,
            response_encoding: Encoding::Identity,
        };
        let mut compression = ResponseCompression {
            blocks: false,
            http: true,
        };
        let mut session = (None, None, false);
        for (name, value) in form_urlencoded::parse(parts.uri.query().unwrap_or_default().as_bytes()) {
            match &*name {
                "session_id" => session.0 = Some(value.into_owned()),
                "session_timeout" => session.1 = Some(session_timeout(&value)?),
                "session_check" => session.2 = is_on(&value),
                "decompress" => query.body_has_blocks = is_on(&value),
                "compress" => compression.blocks = is_on(&value),
                _ => {
                    if name == "enable_http_compression" {
                        compression.http = is_on(&value);
                    }
                    query.set(&name, value.into_owned())?;
                }
            }
        }
        if let (Some(id), timeout, must_exist) = session
            && !id.is_empty()
        {
            query.session = Some(SessionParams {
                id,
                timeout: timeout.unwrap_or(SESSION_TIMEOUT),
                must_exist,
            });
        }
        if let Some(encoding) = header(header::CONTENT_ENCODING.as_str()) {
            query.body_encoding = Encoding::of_content(&encoding)?;
        }
        query.response_encoding = compression.encoding(&parts.headers);
        Ok(query)
    }

    /// Applies one parameter of the address or of a form: a known one, a `param_…` value, else a setting of the engine; those of a server that mean
    /// nothing here are ignored. Fails for a role, or a name that cannot be a setting's.
    pub(super) fn set(&mut self, name: &str, value: String) -> Result<(), ServerError> {
        match name {
            "query" => self.query = value.into_bytes(),
            "query_id" if value.is_empty() => {}
            "query_id" => self.id = value,
            "user" => self.user = Some(value),
            "password" => self.password = Some(value),
            "database" => self.database = Some(value).filter(|database| !database.is_empty()),
            "default_format" => self.format = value,
            "wait_end_of_query" => self.waits_for_the_end = is_on(&value),
            "role" => {
                let message = format!("There is no role {} in `user directories`", sql::name(&value));
                return Err(ServerError::new(code::UNKNOWN_ROLE, "UNKNOWN_ROLE", message));
            }
            "buffer_size" => self.buffer_size = value.parse().unwrap_or(BUFFER_SIZE),
            // Not applicable here: a server's quotas, its native protocol's version, its query log. The engine gets the statement's own id
            // as its log comment.
            "quota_key" | "client_protocol_version" | "stacktrace" | "log_comment" | "close_session" => {}
            _ => match name.strip_prefix("param_") {
                Some(parameter) => self.parameters.push((parameter.to_owned(), value)),
                None if sql::is_plain_name(name) => self.settings.push((name.to_owned(), value)),
                None => {
                    let message = format!("Unknown setting {}", sql::text(name));
                    return Err(ServerError::new(code::UNKNOWN_SETTING, "UNKNOWN_SETTING", message));
                }
            },
        }
        Ok(())
    }

    /// Returns whether the request has neither a query nor settings nor parameters.
    pub(super) fn is_bare(&self) -> bool {
        self.query.is_empty() && self.settings.is_empty() && self.parameters.is_empty()
    }
}

/// What the address says about the response's compression.
struct ResponseCompression {
    blocks: bool,
    http: bool,
}

impl ResponseCompression {
    /// Chooses the response's encoding: blocks where the address asks for them; else what the request accepts; `Identity` where it accepts none or
    /// the address switches HTTP compression off.
    fn encoding(&self, headers: &HeaderMap) -> Encoding {
        let accept = headers
            .get(header::ACCEPT_ENCODING)
            .and_then(|value| value.to_str().ok());
        match accept {
            _ if self.blocks => Encoding::Blocks,
            Some(accept) if self.http => Encoding::accepted(accept),
            _ => Encoding::Identity,
        }
    }
}

/// Parses a switch: everything is on but an empty value, `0` and `false`.
fn is_on(value: &str) -> bool {
    !matches!(value, "" | "0" | "false")
}

/// Parses a session's timeout in whole seconds; fails for any other text, or above [`LONGEST_SESSION_TIMEOUT`].
fn session_timeout(value: &str) -> Result<Duration, ServerError> {
    value
        .parse()
        .ok()
        .map(Duration::from_secs)
        .filter(|timeout| *timeout <= LONGEST_SESSION_TIMEOUT)
        .ok_or_else(|| {
            let message = format!(
                "Session timeout {} is not a number of seconds up to {}",
                sql::text(value),
                LONGEST_SESSION_TIMEOUT.as_secs()
            );
            ServerError::new(code::INVALID_SESSION_TIMEOUT, "INVALID_SESSION_TIMEOUT", message)
        })
}

#[cfg(test)]
mod tests {
    use axum::http::Request;

    use super::QueryRequest;
    use crate::compression::Encoding;
    use crate::exception::ServerError;

    fn query(uri: &str, accept: &str) -> Result<QueryRequest, ServerError> {
        let request = Request::post(uri)
            .header("accept-encoding", accept)
            .body(())
            .expect("a request");
        QueryRequest::read(&request.into_parts().0)
    }

    #[test]
    fn sorts_pairs_of_the_address() {
        let query = query(
            "/?query=SELECT+1&database=d&param_x=%27&max_threads=2&default_format=JSON&query_id=q",
            "",
        )
        .expect("a request");
        assert_eq!(query.query, b"SELECT 1");
        assert_eq!(
            (query.database.as_deref(), query.format.as_str(), query.id.as_str()),
            (Some("d"), "JSON", "q")
        );
        assert_eq!(query.settings, [("max_threads".to_owned(), "2".to_owned())]);
        assert_eq!(query.parameters, [("x".to_owned(), "'".to_owned())]);
        assert!(!query.is_read_only);
    }

    #[test]
    fn chooses_the_encoding_of_the_answer() {
        let encoding = |uri, accept| query(uri, accept).expect("a request").response_encoding;
        assert_eq!(encoding("/", "gzip"), Encoding::Gzip);
        assert_eq!(encoding("/?compress=1", "gzip"), Encoding::Blocks);
        assert_eq!(encoding("/?enable_http_compression=0", "gzip"), Encoding::Identity);
    }

    #[test]
    fn refuses_names_that_are_no_settings() {
        assert_eq!(
            query("/?a%3D1,b=2", "").map_err(|exception| exception.code).err(),
            Some(115)
        );
        assert_eq!(
            query("/?session_timeout=soon", "")
                .map_err(|exception| exception.code)
                .err(),
            Some(374)
        );
        assert_eq!(
            query("/?role=admin", "").map_err(|exception| exception.code).err(),
            Some(511)
        );
    }
}
