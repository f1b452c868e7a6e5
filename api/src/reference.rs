//! The reference of the API as a page to read and to try, `/api/docs/`: Swagger UI on the document of `/api/openapi.json`, from this server alone.

use axum::Router;
use axum::http::{HeaderValue, header};
use tower_http::set_header::SetResponseHeaderLayer;
use utoipa_swagger_ui::{Config, SwaggerUi};

use crate::state::ApiState;

/// Where the page is; its files are below.
const PATH: &str = "/api/docs";
const DOCUMENT: &str = "/api/openapi.json";
/// The page loads and asks this server alone, and nobody shows it in a frame. Its pictures are in its styles, which it also writes itself.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The page with its files. A key that is typed into it is forgotten with the page; whoever is signed in tries calls as in the web client.
pub(crate) fn page() -> Router<ApiState> {
    let config = Config::from(DOCUMENT)
        .doc_expansion("none")
        .default_models_expand_depth(-1)
        .filter(true)
        .display_request_duration(true)
        .try_it_out_enabled(true);
    Router::from(SwaggerUi::new(PATH).config(config)).layer(SetResponseHeaderLayer::overriding(
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(POLICY),
    ))
}
