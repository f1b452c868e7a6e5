//! Which domains belong to one advertiser: the group of a domain with the evidence of its links, and what persons say of them.

mod decisions;
mod found;
mod group;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::state::ApiState;

/// The operations of this slice.
pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(group::read_group))
        .routes(routes!(decisions::decide_link))
}
