//! The evidence of a capture as one file: `GET /captures/{requestID}/evidence`.

use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use postgres::captures::Capture;
use vocabulary::Scope;

use super::by_id;
use crate::access::Caller;
use crate::extract::Path;
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// A capture as one ZIP file that anybody can read and check: the page, its viewing copy and picture, with a manifest of their hashes. Files already
/// deleted because their retention ended are listed as removed. Not found if the caller does not see the capture.
#[utoipa::path(
    get, path = "/captures/{requestID}/evidence", tag = "Captures",
    params(("requestID" = String, Path, description = "The name of a capture")),
    responses(
        (status = 200, body = Vec<u8>, content_type = "application/zip"),
        (status = 401, body = FailureBody),
        (status = 404, body = FailureBody, description = "No capture that the reader sees has this id"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn download_evidence(
    State(state): State<ApiState>,
    caller: Caller,
    Path(request_id): Path<String>,
) -> Result<Response, ApiError> {
    let unknown = || ApiError::NotFound("No capture has this id".to_owned());
    let capture = by_id(&state, &request_id).await?;
    if !sees(&caller.scope, &capture) {
        return Err(unknown());
    }
    let bundle = ::evidence::bundle(&state.postgres, &state.blobs, capture.id).await?;
    let bundle = bundle.ok_or_else(unknown)?;
    let disposition = format!("attachment; filename=\"{}\"", bundle.name);
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/zip")),
        (
            header::CONTENT_DISPOSITION,
            HeaderValue::try_from(disposition).map_err(ApiError::internal)?,
        ),
    ];
    Ok((headers, bundle.bytes).into_response())
}

/// Whether the scope sees the brand or the term of a capture, or everything.
fn sees(scope: &Scope, capture: &Capture) -> bool {
    let is_of_term = |terms: &[_]| capture.term_id.is_some_and(|term| terms.binary_search(&term).is_ok());
    scope.is_everything()
        || capture.brand_id.is_some_and(|brand| scope.sees_brand(brand))
        || scope.terms().is_some_and(is_of_term)
}
