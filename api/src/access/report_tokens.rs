//! Tokens that workers print reports with: they open what the page of a report reads, and nothing else.

use axum::http::request::Parts;
use postgres::tokens::{REPORT_SCOPE, Token};

use crate::failure::ApiError;

/// What the page of a report reads.
const PATHS: [&str; 9] = [
    "/FeatureFlags",
    "/UserAccounts/me",
    "/coverage",
    "/home/cases",
    "/home/changes",
    "/home/creatives",
    "/home/newcomers",
    "/home/presence",
    "/home/shareOfVoice",
];

/// Whether a token is one of a report.
pub fn is_one(token: &Token) -> bool {
    token.scopes.as_deref() == Some(&[REPORT_SCOPE.to_owned()])
}

/// Lets such a token make this call; `Forbidden` for any other.
pub(super) fn admit(parts: &Parts) -> Result<(), ApiError> {
    let path = parts.uri.path();
    if parts.method.is_safe() && (PATHS.contains(&path) || is_brand(path)) {
        Ok(())
    } else {
        Err(ApiError::Forbidden)
    }
}

/// Whether a path is that of a brand's row.
fn is_brand(path: &str) -> bool {
    path.strip_prefix("/Brands/")
        .is_some_and(|id| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit()))
}
