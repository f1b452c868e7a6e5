//! The contract of the API, made from the same routes that answer.

use utoipa::openapi::path::{Operation, ParameterIn, PathItem};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, Http, HttpAuthScheme, SecurityScheme};
use utoipa::openapi::{ContentBuilder, Ref, RefOr, ResponseBuilder};
use utoipa::{Modify, OpenApi};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Vigie",
        description = "Monitoring of brands in paid search. Ids are integers; dates are ISO 8601 instants in UTC.",
    ),
    modifiers(&Tokens),
)]
pub(crate) struct Contract;

/// The ways to carry an access token (decision D23).
struct Tokens;

impl Modify for Tokens {
    /// Adds the security schemes `bearer`, `cookie` and `header` (the header `token`), which operations name.
    fn modify(&self, openapi: &mut utoipa::openapi::OpenApi) {
        let components = openapi.components.get_or_insert_default();
        components.add_security_scheme("bearer", SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer)));
        components.add_security_scheme(
            "cookie",
            SecurityScheme::ApiKey(ApiKey::Cookie(ApiKeyValue::new(crate::access::cookies::ACCESS_TOKEN))),
        );
        components.add_security_scheme(
            "header",
            SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::new("token"))),
        );
    }
}

/// Adds to every operation the failures that it shares with all others, unless it describes that status itself: unreadable values, large bodies,
/// other content types, changes from another site, time-outs, too many requests, a store that does not answer. Also clears the bodies of answers to
/// HEAD.
pub(crate) fn add_common_failures(document: &mut utoipa::openapi::OpenApi) {
    for item in document.paths.paths.values_mut() {
        let PathItem {
            get,
            put,
            post,
            patch,
            delete,
            head,
            ..
        } = item;
        for (operation, changes) in [(get, false), (put, true), (post, true), (patch, true), (delete, true)] {
            if let Some(operation) = operation {
                add_common_failures_of(operation, changes);
            }
        }
        // The answer to HEAD has no body, whatever it says.
        let answers = head.iter_mut().flat_map(|head| head.responses.responses.values_mut());
        for answer in answers {
            if let RefOr::T(answer) = answer {
                answer.content.clear();
            }
        }
    }
}

/// Adds the common failures that apply to one operation and that it does not describe itself; `changes` is whether it writes.
fn add_common_failures_of(operation: &mut Operation, changes: bool) {
    let by_query = operation
        .parameters
        .iter()
        .flatten()
        .any(|parameter| matches!(parameter, RefOr::T(parameter) if parameter.parameter_in == ParameterIn::Query));
    let has_body = operation.request_body.is_some();
    let for_users = operation.security.is_some();
    for (status, why, is_so) in [
        ("400", "A value that cannot be read", by_query || has_body),
        (
            "403",
            "The role lacks the right, or the change came by cookie from another site",
            changes && for_users,
        ),
        ("408", "It took longer than it may", true),
        ("413", "The body is too large", has_body),
        ("415", "The body is of a type that is not read here", has_body),
        (
            "429",
            "The user asks for too much at the same time; Retry-After says how long to wait",
            for_users,
        ),
        ("503", "A store does not answer", true),
    ] {
        if is_so && !operation.responses.responses.contains_key(status) {
            let body = ContentBuilder::new()
                .schema(Some(Ref::from_schema_name("FailureBody")))
                .build();
            let answer = ResponseBuilder::new()
                .description(why)
                .content("application/json", body)
                .build();
            operation
                .responses
                .responses
                .insert(status.to_owned(), RefOr::T(answer));
        }
    }
}
