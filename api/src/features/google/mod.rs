//! Google connect: grants, linked customers, their keywords, figures and retrievals (`/google`). Administrators only, but for the invitation.

mod consent;
mod customers;
mod days;
mod grant_tokens;
mod grants;
mod invitations;
mod items;
mod keywords;
mod purge;
mod retrievals;
mod statistics;
mod statistics_query;
mod tree;
mod views;

use postgres::google::{self, GoogleItem};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::access::Caller;
use crate::failure::ApiError;
use crate::state::ApiState;

/// The operations of this slice.
pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(items::list_items))
        .routes(routes!(items::export_items))
        .routes(routes!(items::show_item, items::change_item))
        .routes(routes!(customers::list_available))
        .routes(routes!(customers::read_customers))
        .routes(routes!(customers::link_customer))
        .routes(routes!(keywords::list_linkable))
        .routes(routes!(
            keywords::list_linked,
            keywords::link_keywords,
            keywords::unlink_keywords
        ))
        .routes(routes!(statistics::group_by_keyword, purge::purge_rows))
        .routes(routes!(statistics::list_rows))
        .routes(routes!(statistics::list_days))
        .routes(routes!(statistics::export_rows))
        .routes(routes!(purge::purge_item))
        .routes(routes!(retrievals::read_paid))
        .routes(routes!(retrievals::read_unpaid))
        .routes(routes!(
            retrievals::list_retrievals,
            retrievals::retrieve,
            retrievals::stop
        ))
        .routes(routes!(retrievals::preview))
        .routes(routes!(grants::list_grants, grants::begin_grant))
        .routes(routes!(grants::remove_grant))
        .routes(routes!(grants::show_budget))
        .routes(routes!(invitations::renew))
        .routes(routes!(invitations::read))
        .routes(routes!(invitations::accept))
        .routes(routes!(invitations::decline))
        .routes(routes!(consent::take_answer))
}

/// The item with this id that the caller sees; `NoRow` without one.
async fn item(state: &ApiState, caller: &Caller, id: i32) -> Result<GoogleItem, ApiError> {
    google::get_item(&state.postgres, &caller.scope, id)
        .await?
        .ok_or_else(|| no_item(id))
}

fn no_item(id: i32) -> ApiError {
    ApiError::NoRow(format!("could not find a model with id {id}"))
}

/// A client of Google with the settings; it connects to nothing yet.
fn client(state: &ApiState) -> Result<::google::Client, ApiError> {
    ::google::Client::new(&state.settings.google).map_err(ApiError::internal)
}

/// What the reader sees of a failure of Google.
fn failed(error: ::google::GoogleError) -> ApiError {
    use ::google::GoogleError;
    match error {
        GoogleError::Busy { retry_after, .. } | GoogleError::DailyLimit { retry_after, .. } => {
            ApiError::Throttled(retry_after)
        }
        GoogleError::Unreachable(cause) => ApiError::Unavailable {
            store: "Google",
            cause: cause.into(),
        },
        other => ApiError::Conflict(other.to_string()),
    }
}
