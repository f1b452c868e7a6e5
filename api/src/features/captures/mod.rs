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

/// The operations of this slice.
pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(result::read_result))
        .routes(routes!(content::read_content))
        .routes(routes!(screenshot::read_screenshot))
        .routes(routes!(product::read_product))
        .routes(routes!(evidence::download_evidence))
}

/// A capture. What is no id names none.
async fn named(state: &ApiState, request_id: &str) -> Result<Capture, ApiError> {
    let unknown = || ApiError::NotFound("No capture has this id".to_owned());
    let id = request_id.parse().map(CaptureId).map_err(|_| unknown())?;
    captures::by_id(&state.postgres, id).await?.ok_or_else(unknown)
}

/// A capture whose files are still kept.
async fn find(state: &ApiState, request_id: &str) -> Result<Capture, ApiError> {
    let capture = named(state, request_id).await?;
    if capture.files_gone_at.is_some() {
        return Err(ApiError::Expired);
    }
    Ok(capture)
}

/// A kept file of a capture.
async fn file(state: &ApiState, digest: &Digest) -> Result<Vec<u8>, ApiError> {
    state.blobs.read(digest).await?.ok_or(ApiError::Expired)
}
