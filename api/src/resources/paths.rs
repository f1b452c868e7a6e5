//! Paths as clients write them: in any case, with a slash at the end (decision D167).

use std::borrow::Cow;

use axum::http::{Method, Uri};
use vocabulary::resources::Model;
use vocabulary::resources::models::{ACTION, RESOURCES};

use crate::failure::ApiError;

/// Words after the name of a resource, and after an id.
const WORDS: [&str; 29] = [
    "count",
    "findOne",
    "findRequest",
    "replaceOrCreate",
    "update",
    "upsertWithWhere",
    "change-stream",
    "exists",
    "replace",
    "rel",
    "export",
    "verify",
    "login",
    "logout",
    "me",
    "confirm",
    "reset",
    "reset-password",
    "restore",
    "change-password",
    "autoMatch",
    "matchPreview",
    "planPreview",
    "findAdvertisers",
    "groupTerms",
    "groupAds",
    "countAds",
    "countAdvertisers",
    "countTerms",
];

/// Rewrites the address of a resource to the case that routes use, without a slash at the end; ids and the query stay. `None` when nothing has to
/// change or the path is no resource under `/api/`. A broken escape in the path is an error.
pub(crate) fn canonical(uri: &Uri) -> Result<Option<Uri>, ApiError> {
    let path = uri.path();
    let Some(rest) = path.strip_prefix("/api/") else {
        return Ok(None);
    };
    let mut segments: Vec<Cow<'_, str>> = rest.split('/').map(Cow::Borrowed).collect();
    if let Some(broken) = segments.iter().find(|segment| has_broken_escape(segment)) {
        return Err(ApiError::Uri(broken.to_string()));
    }
    let Some(model) = segments.first().and_then(|first| model_named(first)) else {
        return Ok(None);
    };
    segments[0] = Cow::Borrowed(model.path.unwrap_or_default());
    for segment in segments.iter_mut().skip(1) {
        let mut words = WORDS
            .iter()
            .copied()
            .chain(model.relations.iter().map(|relation| relation.name));
        if let Some(word) = words.find(|word| word.eq_ignore_ascii_case(segment)) {
            *segment = Cow::Borrowed(word);
        }
    }
    let joined = segments.join("/");
    let canonical = format!("/api/{}", joined.trim_end_matches('/'));
    if canonical == path {
        return Ok(None);
    }
    let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    Ok(format!("{canonical}{query}").parse().ok())
}

/// The model whose path this segment is, in any case. `actions` in lower case is none: that is a service of its own, unlike `Actions`.
fn model_named(segment: &str) -> Option<&'static Model> {
    RESOURCES.iter().copied().find(|model| match model.path {
        Some(path) if model.name == ACTION.name => path == segment,
        Some(path) => path.eq_ignore_ascii_case(segment),
        None => false,
    })
}

/// Whether a `%` lacks two hexadecimal digits, or the decoded segment is not UTF-8.
fn has_broken_escape(segment: &str) -> bool {
    let bytes = segment.as_bytes();
    let escapes = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'%');
    let broken = escapes.into_iter().any(|(at, _)| {
        let digits = bytes.get(at + 1..at + 3);
        !digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    });
    broken || percent_encoding::percent_decode_str(segment).decode_utf8().is_err()
}

/// The message, in the words of LoopBack, for a path under `/api` that no route answers; it names the model if the first segment is one.
pub(crate) fn missing(method: &Method, uri: &Uri) -> String {
    let path = uri.path().strip_prefix("/api").unwrap_or(uri.path());
    let segments: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    match segments.first().and_then(|first| model_named(first)) {
        Some(model) => {
            let rest = segments[1..].join("/");
            format!(
                "Shared class \"{}\" has no method handling {method} /{rest}",
                model.name
            )
        }
        None => format!("There is no method to handle {method} {path}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(path: &str) -> String {
        let uri: Uri = path.parse().unwrap();
        canonical(&uri).unwrap().unwrap_or(uri).to_string()
    }

    #[test]
    fn paths_are_matched_in_any_case() {
        assert_eq!(known("/api/terms/7/"), "/api/Terms/7");
        assert_eq!(known("/api/BRANDS/COUNT?where=X"), "/api/Brands/count?where=X");
        assert_eq!(
            known("/api/terms/7/canbeaccessby/REL/3"),
            "/api/Terms/7/canBeAccessBy/rel/3"
        );
        assert_eq!(known("/api/advertiserTag/"), "/api/advertiserTag/");
    }

    #[test]
    fn small_actions_are_another_service() {
        assert_eq!(known("/api/actions/7/Emails"), "/api/actions/7/Emails");
        assert_eq!(known("/api/Actions/7/Emails"), "/api/Actions/7/emails");
    }

    #[test]
    fn broken_escapes_are_refused() {
        for path in ["/api/Brands/%zz", "/api/Brands/%", "/api/Brands/%ff"] {
            assert!(canonical(&path.parse().unwrap()).is_err(), "{path}");
        }
    }
}
