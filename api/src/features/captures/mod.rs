//! The capture viewer: public to whoever knows the random name of a capture. Its evidence is for those who see its brand or term.

mod content;
mod evidence;
mod highlighted;
mod product;
mod result;
mod screenshot;

use postgres::captures::{self, Capture, Digest};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use vocabulary::CaptureId;

use crate::failure::ApiError;
use crate::state::ApiState;

/// The routes of this slice.
pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(result::read_result))
        .routes(routes!(content::read_content))
        .routes(routes!(screenshot::read_screenshot))
        .routes(routes!(product::read_product))
        .routes(routes!(evidence::download_evidence))
}

/// The capture with this id; 404 when there is none or the text is no id.
async fn by_id(state: &ApiState, request_id: &str) -> Result<Capture, ApiError> {
    let unknown = || ApiError::NotFound("No capture has this id".to_owned());
    let id = request_id.parse().map(CaptureId).map_err(|_| unknown())?;
    captures::by_id(&state.postgres, id).await?.ok_or_else(unknown)
}

/// The capture with this id, if its files are still kept; else `Expired`, and 404 when there is no such capture.
async fn unexpired(state: &ApiState, request_id: &str) -> Result<Capture, ApiError> {
    let capture = by_id(state, request_id).await?;
    if capture.files_gone_at.is_some() {
        return Err(ApiError::Expired);
    }
    Ok(capture)
}

/// The content of a file of a capture; `Expired` when it has been deleted.
async fn file(state: &ApiState, digest: &Digest) -> Result<Vec<u8>, ApiError> {
    state.blobs.read(digest).await?.ok_or(ApiError::Expired)
}
