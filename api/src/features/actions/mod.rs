//! The cases of advertisers: the lists that staff and brand teams work on, one case with its story and notes, and what is done with one or a group.

mod conditions;
mod detail;
mod events;
mod export;
mod group;
mod links;
mod notes;
mod presence;
mod search;
mod search_query;
mod story;
mod tags;
mod views;
mod work;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::state::ApiState;

/// The operations of this slice.
pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(search::search_actions))
        .routes(routes!(search::list_what_is_to_do))
        .routes(routes!(detail::show_action))
        .merge(notes::routes())
        .merge(work::routes())
        .merge(presence::routes())
        .routes(routes!(export::export_actions))
        .merge(group::routes())
        .routes(routes!(tags::tags_of_actions))
}
