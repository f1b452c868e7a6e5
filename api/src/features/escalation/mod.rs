//! Complaints to an engine about a trademark in the ads of a case: the register of marks, what speaks against a complaint, and what it needs.

mod case;
mod complaints;
mod pack;
mod trademarks;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::state::ApiState;

/// The operations of this slice.
pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(trademarks::list_trademarks, trademarks::add_trademark))
        .routes(routes!(trademarks::change_trademark, trademarks::remove_trademark))
        .routes(routes!(complaints::show_escalation))
        .routes(routes!(complaints::record_complaint))
        .routes(routes!(pack::download_escalation_pack))
}
