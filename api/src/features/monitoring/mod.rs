//! What was seen: the Domains and Terms lists with the ads under their rows, their counts, exports, figures and coverage, the choices of their
//! filters, and the figures and captures of the home page.

mod ads;
mod captures;
mod choices;
mod counts;
mod coverage;
mod dealers;
mod default_brand;
mod domains;
mod figures;
mod hours;
mod stats;
mod tag_uses;
mod terms;
mod views;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::state::ApiState;

/// The routes of this slice.
pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(domains::find_advertisers))
        .routes(routes!(terms::group_terms))
        .routes(routes!(terms::export_terms))
        .routes(routes!(domains::export_domains))
        .routes(routes!(ads::search_ads))
        .routes(routes!(ads::count_ads))
        .routes(routes!(ads::export_ads))
        .routes(routes!(counts::count_advertisers))
        .routes(routes!(counts::count_terms_with_ads))
        .routes(routes!(counts::count_all_ads))
        .routes(routes!(counts::group_ads))
        .routes(routes!(hours::hours_of_week))
        .routes(routes!(figures::domain_figures))
        .routes(routes!(figures::term_figures))
        .routes(routes!(choices::search_brands))
        .routes(routes!(default_brand::read_default_brand))
        .routes(routes!(choices::search_tags))
        .routes(routes!(tag_uses::count_tag_uses))
        .routes(routes!(dealers::find_dealers))
        .routes(routes!(choices::search_keywords))
        .routes(routes!(choices::search_domains))
        .routes(routes!(choices::list_regions))
        .routes(routes!(coverage::read_coverage))
        .routes(routes!(stats::count_views))
        .routes(routes!(stats::count_terms))
        .routes(routes!(captures::list_captures))
}
