//! The contract of the API, made from the same routes that answer.

use utoipa::openapi::security::{ApiKey, ApiKeyValue, Http, HttpAuthScheme, SecurityScheme};
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

/// The OpenAPI document, as served at `/api/openapi.json`.
pub fn document() -> utoipa::openapi::OpenApi {
    crate::router::routes().into_openapi()
}
