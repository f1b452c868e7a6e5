//! The viewing copy of a capture: `GET /capture-iframe/{requestID}/htmlContent`.

use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;
use utoipa::IntoParams;

use super::highlighted::HighlightedAd;
use super::result::first_ad;
use super::{file, unexpired};
use crate::captured_page;
use crate::extract::{Path, Query};
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// A capture has one result page.
const ONLY_PAGE: u32 = 1;

/// Which page of a capture.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct PageParams {
    /// Number of the result page, 1 by default; a capture has one.
    page: Option<u32>,
}

/// The viewing copy of a captured page, inert. The first ad of the given domain and kind is outlined, if there is one; its anchor is `#ad-N`, N being
/// `ad` of the result.
#[utoipa::path(
    get, path = "/capture-iframe/{requestID}/htmlContent", tag = "Captures",
    params(("requestID" = String, Path, description = "The name of a capture"), PageParams, HighlightedAd),
    responses(
        (status = 200, body = String, content_type = "text/html"),
        (status = 404, body = FailureBody, description = "No capture has this id, or its time is over (CAPTURE_EXPIRED)"),
    ),
)]
pub(super) async fn read_content(
    State(state): State<ApiState>,
    Path(request_id): Path<String>,
    Query(params): Query<PageParams>,
    Query(sought): Query<HighlightedAd>,
) -> Result<Response, ApiError> {
    if params.page.is_some_and(|page| page != ONLY_PAGE) {
        return Err(ApiError::NotFound("A capture has one page: page=1".to_owned()));
    }
    let capture = unexpired(&state, &request_id).await?;
    let (copy, ad) = tokio::join!(file(&state, &capture.reading.view), first_ad(&state, &capture, &sought));
    Ok(captured_page::html(copy?, ad))
}
