//! Stop and Go, for administrators: its brands and keywords, their lanes, why these are as they are, what would have happened, what was saved, and the way to let
//! everything go.

mod brands;
mod domains;
mod dry_runs;
mod emergency;
mod files;
mod keywords;
mod lanes;
mod savings;
mod stranded;

use postgres::Connection;
use serde::Serialize;
use stop_go::live::{self, ProductSwitches, StopGoError};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::failure::ApiError;
use crate::state::ApiState;

/// The operations of this slice.
pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(
            brands::list_stop_go_brands,
            brands::link_stop_go_brand,
            brands::change_stop_go_brand,
            brands::remove_stop_go_brand
        ))
        .routes(routes!(brands::get_stop_go_brand))
        .routes(routes!(brands::set_stop_go_options))
        .routes(routes!(
            keywords::list_stop_go_keywords,
            keywords::link_stop_go_keyword,
            keywords::change_stop_go_keyword,
            keywords::remove_stop_go_keyword
        ))
        .routes(routes!(keywords::get_stop_go_keyword))
        .routes(routes!(keywords::list_linkable_keywords))
        .routes(routes!(keywords::exclude_stop_go_keyword))
        .routes(routes!(keywords::enable_stop_go_keyword))
        .routes(routes!(lanes::get_lane))
        .routes(routes!(lanes::list_lane_decisions))
        .routes(routes!(lanes::act_on_lane))
        .routes(routes!(dry_runs::run_dry))
        .routes(routes!(savings::list_savings))
        .routes(routes!(stranded::list_stranded))
        .routes(routes!(files::export_stop_go_brands))
        .routes(routes!(files::export_stop_go_keywords))
        .routes(routes!(files::export_savings))
        .routes(routes!(emergency::let_everything_go, emergency::end_emergency))
}

/// That something was done.
#[derive(Serialize, ToSchema)]
struct StopGoDoneView {
    /// Always true: what is not done is refused.
    data: bool,
}

const DONE: StopGoDoneView = StopGoDoneView { data: true };

/// The switches of the product in the settings.
fn switches(state: &ApiState) -> ProductSwitches {
    let google = &state.settings.google;
    ProductSwitches {
        automation: state.settings.stop_go.automation,
        mutations: google.mutations && google.client_id.is_some(),
    }
}

/// The failure of a row that is not there, or out of scope.
fn no_row(id: i32) -> ApiError {
    ApiError::NoRow(format!("could not find a model with id {id}"))
}

/// What the rule says of a stored value that it does not know is a fault of ours.
fn failure(error: StopGoError) -> ApiError {
    match error {
        StopGoError::Postgres(error) => error.into(),
        error @ StopGoError::Stored { .. } => ApiError::internal(error),
    }
}

/// Decides again on lanes after a change, in its transaction.
async fn decide(state: &ApiState, connection: &mut Connection, lanes: &[i32]) -> Result<(), ApiError> {
    let left = live::decide_all(&mut *connection, lanes, switches(state), state.clock.now()).await?;
    left.into_iter().next().map_or(Ok(()), |(_, error)| Err(failure(error)))
}
