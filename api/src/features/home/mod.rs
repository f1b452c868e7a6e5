//! The figures of the home page. Each is counted as the list behind it counts, under the same filters.

mod cases;
mod creatives;
mod newcomers;
mod presence;
mod question;
mod since;
mod voice;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::state::ApiState;

/// The operations of this slice.
pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(voice::read_share_of_voice))
        .routes(routes!(newcomers::read_newcomers))
        .routes(routes!(presence::read_presence))
        .routes(routes!(creatives::read_top_creatives))
        .routes(routes!(cases::read_pace_of_cases))
        .routes(routes!(since::read_changes_of_week))
}
