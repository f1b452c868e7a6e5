//! Which company accounts see many terms: `POST /Terms/changeAccess`.

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::access::Administrator;
use crate::extract;
use crate::failure::{ApiError, FailureBody};
use crate::resources::{self, AccessChange};
use crate::state::ApiState;

/// The operations of this slice.
pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(change_access))
}

/// A change of access to terms: 50,000 links of a term with an account at most.
#[derive(Deserialize, ToSchema)]
struct AccessRequest {
    /// The terms by id.
    terms: Vec<i32>,
    /// Company accounts that see all of them from now on.
    #[serde(default)]
    add: Vec<i32>,
    /// Company accounts that see none of them any more, but as far as their brands allow.
    #[serde(default)]
    remove: Vec<i32>,
}

/// What was linked and unlinked.
#[derive(Serialize, ToSchema)]
struct ChangedAccessView {
    /// The links that are new or gone; those that were there, or were not, stay so.
    count: usize,
}

/// Changes which company accounts see terms, for all of them or none. With `X-Operation` it can be undone.
#[utoipa::path(
    post,
    path = "/Terms/changeAccess",
    tag = "Term",
    request_body = AccessRequest,
    responses(
        (status = 200, body = ChangedAccessView),
        (status = 400, body = FailureBody, description = "X-Operation is no UUID"),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 404, body = FailureBody, description = "One of the rows does not exist"),
        (status = 409, body = FailureBody, description = "A company account would be over its quota of captures"),
        (status = 422, body = FailureBody, description = "Too many links"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn change_access(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    headers: HeaderMap,
    extract::Json(request): extract::Json<AccessRequest>,
) -> Result<Json<ChangedAccessView>, ApiError> {
    let change = AccessChange {
        terms: &request.terms,
        add: &request.add,
        remove: &request.remove,
    };
    let count = resources::change_term_access((state, caller), headers, change).await?;
    Ok(Json(ChangedAccessView { count }))
}
