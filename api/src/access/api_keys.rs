//! API keys: tokens of a user with which programs make the few calls that their scopes name, and no others. A key gives no more than its user has.

use std::time::Duration;

use axum::http::Method;
use axum::http::request::Parts;
use coordination::{Limit, Throttle};
use postgres::tokens::{KEY_SCOPE, Token};
use strum::VariantArray;

use super::tokens;
use crate::failure::ApiError;
use crate::state::ApiState;

/// How every key begins, so that one that leaks is recognised.
const PREFIX: &str = "vigie_";
/// Calls of one key in a minute.
const PER_MINUTE: u32 = 120;
const MINUTE: Duration = Duration::from_mins(1);

/// What a key opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display, strum::EnumString, strum::VariantArray)]
pub enum KeyScope {
    /// Domains, Terms and Advertisers with their ads, files and figures, groups of advertisers, the comparator, and cases as a list.
    #[strum(serialize = "read:lists")]
    ReadLists,
    /// Captured pages, their pictures and packs of evidence.
    #[strum(serialize = "read:evidence")]
    ReadEvidence,
    /// Putting tags on advertisers and terms, and taking them off.
    #[strum(serialize = "write:tags")]
    WriteTags,
}

/// Which calls each scope opens. In a path, `*` matches one segment.
const CALLS: [(KeyScope, &[&str], &[&str]); 3] = [
    (
        KeyScope::ReadLists,
        &["GET", "HEAD"],
        &[
            "/actions",
            "/actions/searchAll",
            "/advertisement",
            "/advertisement/count",
            "/advertisement/export",
            "/advertisement/hours",
            "/advertiserGroups/*",
            "/advertisers/stats",
            "/brand",
            "/comparator",
            "/comparator/export",
            "/coverage",
            "/home/changes",
            "/home/creatives",
            "/home/newcomers",
            "/home/presence",
            "/home/shareOfVoice",
            "/keywords/stats",
            "/monitoring/domains",
            "/monitoring/keywords",
            "/monitoring/regions",
            "/Sems/countAds",
            "/Sems/countAdvertisers",
            "/Sems/countTerms",
            "/Sems/findAdvertisers",
            "/Sems/findAdvertisers/export",
            "/Sems/findAdvertisers/figures",
            "/Sems/groupAds",
            "/Sems/groupTerms",
            "/Sems/groupTerms/export",
            "/Sems/groupTerms/figures",
        ],
    ),
    (
        KeyScope::ReadEvidence,
        &["GET", "HEAD"],
        &[
            "/captures/*/evidence",
            "/capture-iframe/*/htmlContent",
            "/capture-iframe/*/product",
            "/capture-iframe/*/screenshot",
            "/result/*",
        ],
    ),
    (
        KeyScope::WriteTags,
        &["PUT", "DELETE", "HEAD"],
        &[
            "/Dealers/*/categories/rel/*",
            "/Terms/*/categories/rel/*",
            "/Categories/*/dealers/rel/*",
        ],
    ),
];

/// A new key.
pub fn fresh() -> String {
    format!("{PREFIX}{}", tokens::fresh())
}

/// Lets a key make this call: one of its scopes opens it, and it is within [`PER_MINUTE`]. Fails with `NotSignedIn` for a token that is no key, `Forbidden` for
/// another call, and `Throttled` for one too many.
pub(super) async fn admit(token: &Token, parts: &Parts, state: &ApiState) -> Result<(), ApiError> {
    let scopes = scopes_of(token).ok_or(ApiError::NotSignedIn)?;
    if !opens(scopes, &parts.method, parts.uri.path()) {
        return Err(ApiError::Forbidden);
    }
    let limit = Limit {
        key: &format!("key:{}", token.id.0),
        most: PER_MINUTE,
    };
    let reserved = Throttle::new(&state.coordination, MINUTE).reserve(&[limit]).await;
    reserved.map(|_| ()).map_err(ApiError::Throttled)
}

/// What a key opens; `None` for a token that is none.
fn scopes_of(token: &Token) -> Option<&[String]> {
    let (first, others) = token.scopes.as_deref()?.split_first()?;
    (first == KEY_SCOPE).then_some(others)
}

/// Whether one of the scopes opens a call.
fn opens(scopes: &[String], method: &Method, path: &str) -> bool {
    CALLS.iter().any(|(scope, methods, paths)| {
        let is_given = scopes.iter().any(|given| *given == scope.to_string());
        is_given && methods.contains(&method.as_str()) && paths.iter().any(|pattern| fits(pattern, path))
    })
}

/// Whether a path is of a pattern.
fn fits(pattern: &str, path: &str) -> bool {
    let (mut wanted, mut found) = (pattern.split('/'), path.split('/'));
    loop {
        match (wanted.next(), found.next()) {
            (None, None) => return true,
            (Some("*"), Some(segment)) if !segment.is_empty() => {}
            (Some(one), Some(other)) if one == other => {}
            _ => return false,
        }
    }
}

/// The names of all scopes.
pub fn scope_names() -> String {
    let names: Vec<String> = KeyScope::VARIANTS.iter().map(ToString::to_string).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_opens_its_calls_and_nothing_beside_them() {
        let given = |scope: &str| vec![scope.to_owned()];
        for (scope, method, path, is_open) in [
            ("read:lists", Method::GET, "/Sems/findAdvertisers", true),
            ("read:lists", Method::POST, "/Sems/findAdvertisers", false),
            ("read:lists", Method::GET, "/Sems", false),
            ("read:lists", Method::GET, "/Sems/findAdvertisers/", false),
            ("read:lists", Method::GET, "/actions/detail/1", false),
            ("read:lists", Method::GET, "/captures/7/evidence", false),
            ("read:evidence", Method::GET, "/captures/7/evidence", true),
            ("read:evidence", Method::GET, "/captures//evidence", false),
            ("read:evidence", Method::GET, "/captures/7/8/evidence", false),
            ("write:tags", Method::PUT, "/Dealers/3/categories/rel/4", true),
            ("write:tags", Method::DELETE, "/Dealers/3/categories", false),
            ("everything", Method::GET, "/Sems/findAdvertisers", false),
        ] {
            assert_eq!(opens(&given(scope), &method, path), is_open, "{scope} {method} {path}");
        }
    }

    #[test]
    fn every_call_is_one_of_the_api() {
        let document = serde_json::to_value(crate::openapi()).unwrap();
        let known: Vec<(String, Vec<String>)> = document["paths"]
            .as_object()
            .unwrap()
            .iter()
            .map(|(path, calls)| {
                let path = path.strip_prefix("/api").unwrap();
                let segments = path.split('/').map(|one| if one.starts_with('{') { "*" } else { one });
                let methods = calls.as_object().unwrap().keys().map(|method| method.to_uppercase());
                (segments.collect::<Vec<_>>().join("/"), methods.collect())
            })
            .collect();
        for (scope, methods, paths) in CALLS {
            for path in paths {
                let found = known.iter().find(|(known, _)| known == path);
                let (_, of_path) = found.unwrap_or_else(|| panic!("{scope}: {path} is no call"));
                assert!(
                    of_path.iter().any(|method| methods.contains(&method.as_str())),
                    "{scope}: {path}"
                );
            }
        }
    }

    #[test]
    fn no_key_opens_accounts_sessions_or_keys() {
        let all: Vec<String> = KeyScope::VARIANTS.iter().map(ToString::to_string).collect();
        for path in [
            "/keys",
            "/keys/1",
            "/sessions",
            "/UserAccounts/me",
            "/UserAccounts",
            "/exportTickets",
        ] {
            for method in [Method::GET, Method::POST, Method::PUT, Method::DELETE] {
                assert!(!opens(&all, &method, path), "{method} {path}");
            }
        }
    }
}
