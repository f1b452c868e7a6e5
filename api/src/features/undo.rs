//! `POST /Undo/{operation}`: taking back what one operation changed.

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use crate::access::Caller;
use crate::extract::Path;
use crate::failure::{ApiError, FailureBody};
use crate::resources;
use crate::state::ApiState;

/// The operations of this slice.
pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(undo_operation))
}

/// What was taken back.
#[derive(Serialize, ToSchema)]
struct UndoneView {
    /// The rows and links that changed.
    count: usize,
}

/// Undoes what the caller's calls with this `X-Operation` changed or deleted of terms, brands and tags, or linked, all of it or nothing.
///
/// It can be undone once, for some seconds.
#[utoipa::path(
    post,
    path = "/Undo/{operation}",
    tag = "Undo",
    params(("operation" = Uuid, Path, description = "The UUID that the calls gave as X-Operation")),
    responses(
        (status = 200, body = UndoneView, description = "It is as it was"),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "The caller may not change this any more"),
        (status = 404, body = FailureBody, description = "The caller has no such operation, or has undone it"),
        (status = 409, body = FailureBody, description = "Its time is over, somebody changed the same since, or something is in the way of what was deleted"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn undo_operation(
    State(state): State<ApiState>,
    caller: Caller,
    Path(operation): Path<Uuid>,
) -> Result<Json<UndoneView>, ApiError> {
    let count = resources::undo(state, caller, operation).await?;
    Ok(Json(UndoneView { count }))
}
