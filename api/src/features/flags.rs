//! `GET /FeatureFlags`: which features are on for the reader (decision D7).

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::access::Caller;
use crate::failure::{Failure, FailureBody};
use crate::state::ApiState;

/// The operations of this slice.
pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(list_flags))
}

/// Every flag of the client; one that the database does not know is off.
#[derive(Serialize, ToSchema)]
struct FlagsView {
    /// The switch of workspaces in the header, and the actions workspace.
    header_workspaces_switch: bool,
    /// The Stop and Go dashboard.
    stopgo_dashboard: bool,
}

/// The flags of the signed-in user. `userId` is accepted for older clients and has no effect: a user reads the own flags only.
#[utoipa::path(
    get,
    path = "/FeatureFlags",
    tag = "FeatureFlags",
    params(("userId" = Option<i32>, Query, description = "No effect")),
    responses(
        (status = 200, body = FlagsView, description = "The flags"),
        (status = 401, body = FailureBody, description = "No valid session"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn list_flags(State(state): State<ApiState>, caller: Caller) -> Result<Json<FlagsView>, Failure> {
    let flags = records::flags::of_user(&state.records, caller.user.id, &caller.user.known_roles()).await?;
    let on = |key: &str| flags.get(key).copied().unwrap_or(false);
    Ok(Json(FlagsView {
        header_workspaces_switch: on("header_workspaces_switch"),
        stopgo_dashboard: on("stopgo_dashboard"),
    }))
}
