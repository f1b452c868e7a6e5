//! A picture of a captured page: `GET /capture-iframe/{requestID}/product`.

use axum::extract::State;
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use utoipa::IntoParams;

use super::{file, unexpired};
use crate::captured_page;
use crate::extract::{Path, Query};
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// What is sent as a picture: formats that hold nothing but pixels.
const PICTURES: [&str; 5] = ["image/avif", "image/gif", "image/jpeg", "image/png", "image/webp"];

/// Which picture of a page.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct PictureParams {
    /// Where the page had it from: the `image` of an ad.
    image: String,
}

/// A picture of a captured page, as the page had loaded it: its server never learns of readers.
#[utoipa::path(
    get, path = "/capture-iframe/{requestID}/product", tag = "Captures",
    params(("requestID" = String, Path, description = "The name of a capture"), PictureParams),
    responses(
        (status = 200, body = Vec<u8>, content_type = "image/*"),
        (status = 404, body = FailureBody, description = "No capture has this id, its page did not load this picture, or its time is over (CAPTURE_EXPIRED)"),
    ),
)]
pub(super) async fn read_product(
    State(state): State<ApiState>,
    Path(request_id): Path<String>,
    Query(params): Query<PictureParams>,
) -> Result<Response, ApiError> {
    let capture = unexpired(&state, &request_id).await?;
    let copy = file(&state, &capture.reading.view).await?;
    let (kind, bytes) = picture_of(&copy, &params.image)
        .ok_or_else(|| ApiError::NotFound("The page did not load this picture".to_owned()))?;
    Ok(captured_page::image(kind, bytes))
}

/// The media type and bytes of the picture that a viewing copy holds from this address; `None` if it holds none, or one of a format not in
/// [`PICTURES`]. Copies hold their files as `data:image/webp;from=https%3A%2F%2F…;base64,…`.
fn picture_of(copy: &[u8], address: &str) -> Option<(&'static str, Vec<u8>)> {
    let copy = std::str::from_utf8(copy).ok()?;
    let from = format!(";from={};base64,", utf8_percent_encode(address, NON_ALPHANUMERIC));
    let (before, after) = copy.split_once(&from)?;
    let kind = PICTURES.into_iter().find(|kind| {
        let start = before.strip_suffix(kind);
        start.is_some_and(|start| start.ends_with("data:"))
    })?;
    let is_content = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte);
    let content = after.bytes().take_while(|byte| is_content(*byte)).count();
    Some((kind, STANDARD.decode(&after[..content]).ok()?))
}
