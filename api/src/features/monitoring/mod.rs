//! What was seen: the Domains and Terms lists with the choices of their filters, and the figures and captures of the home page.

mod captures;
mod choices;
mod default_brand;
mod domains;
mod filters;
mod list_page;
mod list_query;
mod stats;
mod terms;
mod views;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::state::ApiState;

/// The operations of this slice.
pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(domains::find_advertisers))
        .routes(routes!(terms::group_terms))
        .routes(routes!(choices::search_brands))
        .routes(routes!(default_brand::read_default_brand))
        .routes(routes!(choices::search_tags))
        .routes(routes!(choices::search_keywords))
        .routes(routes!(choices::search_domains))
        .routes(routes!(choices::list_regions))
        .routes(routes!(stats::count_views))
        .routes(routes!(captures::list_captures))
}
