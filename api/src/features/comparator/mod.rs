//! Products of the brands that others offer below the brands' own prices, and their file.

mod export;
mod products;
mod question;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::state::ApiState;

/// The operations of this slice.
pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(products::list_products))
        .routes(routes!(export::export_products))
}
