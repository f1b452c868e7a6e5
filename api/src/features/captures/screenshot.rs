//! The picture of a capture: `GET /capture-iframe/{requestID}/screenshot`.

use axum::extract::State;
use axum::response::Response;

use super::{file, unexpired};
use crate::captured_page;
use crate::extract::Path;
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// The picture of a captured page, WebP.
#[utoipa::path(
    get, path = "/capture-iframe/{requestID}/screenshot", tag = "Captures",
    params(("requestID" = String, Path, description = "The name of a capture")),
    responses(
        (status = 200, body = Vec<u8>, content_type = "image/webp"),
        (status = 404, body = FailureBody, description = "No capture has this id, it has no picture, or its time is over (CAPTURE_EXPIRED)"),
    ),
)]
pub(super) async fn read_screenshot(
    State(state): State<ApiState>,
    Path(request_id): Path<String>,
) -> Result<Response, ApiError> {
    let capture = unexpired(&state, &request_id).await?;
    let screenshot = capture
        .screenshot
        .ok_or_else(|| ApiError::NotFound("No picture was taken of this capture".to_owned()))?;
    Ok(captured_page::picture(file(&state, &screenshot).await?))
}
