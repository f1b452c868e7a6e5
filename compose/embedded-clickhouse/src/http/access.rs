use axum::http::{HeaderMap, header};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use subtle::ConstantTimeEq;

use super::QueryRequest;
use crate::exception::{ServerError, code};
use crate::settings::Settings;

/// Credentials of the server's only user.
pub(crate) struct Access {
    user: String,
    secret: String,
}

impl Access {
    /// Takes the only admitted user and its password from the settings.
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            user: settings.user.clone(),
            secret: settings.secret.clone(),
        }
    }

    /// Checks the user and password of a request: those of the headers `X-ClickHouse-User` and `-Key` if there is a key, else of basic authorization,
    /// else of the address. A missing user is [`Settings::DEFAULT_USER`], a missing password empty; fails with AUTHENTICATION_FAILED.
    pub(crate) fn check(&self, headers: &HeaderMap, query: &QueryRequest) -> Result<(), ServerError> {
        let header = |name: &str| {
            headers
                .get(name)
                .and_then(|value| value.to_str().ok())
                .map(str::to_owned)
        };
        let (user, password) = if let Some(password) = header("x-clickhouse-key") {
            (header("x-clickhouse-user"), password)
        } else if let Some((user, password)) = basic_credentials(headers) {
            (Some(user), password)
        } else {
            (
                query.user.clone().or_else(|| header("x-clickhouse-user")),
                query.password.clone().unwrap_or_default(),
            )
        };
        let user = user
            .filter(|user| !user.is_empty())
            .unwrap_or_else(|| Settings::DEFAULT_USER.to_owned());
        let matches = user.as_bytes().ct_eq(self.user.as_bytes()) & password.as_bytes().ct_eq(self.secret.as_bytes());
        if bool::from(matches) {
            return Ok(());
        }
        let message =
            format!("{user}: Authentication failed: password is incorrect, or there is no user with such name");
        Err(ServerError::new(
            code::AUTHENTICATION_FAILED,
            "AUTHENTICATION_FAILED",
            message,
        ))
    }
}

/// Returns the user and password of basic authorization; `None` when the header is missing or malformed.
fn basic_credentials(headers: &HeaderMap) -> Option<(String, String)> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, credentials) = value.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let text = String::from_utf8(STANDARD.decode(credentials.trim()).ok()?).ok()?;
    let (user, password) = text.split_once(':')?;
    Some((user.to_owned(), password.to_owned()))
}
