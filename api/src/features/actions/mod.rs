//! The cases of advertisers: the list that staff and brand teams work on, and what they do with a group of them.

mod conditions;
mod events;
mod export;
mod group;
mod search;
mod search_query;
mod tags;
mod views;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::state::ApiState;

/// The operations of this slice.
pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(search::search_actions))
        .routes(routes!(search::actions_to_do))
        .routes(routes!(export::export_actions))
        .merge(group::routes())
        .routes(routes!(tags::tags_of_actions))
}
