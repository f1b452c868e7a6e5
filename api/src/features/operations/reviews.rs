//! Runs that somebody should look at, with their pages: `GET /operations/reviews`.

use analytics::reports::captures::{self, CaptureLocation};
use axum::Json;
use axum::extract::State;
use axum::response::Response;
use postgres::captures::Digest;
use postgres::operations::reviews::{self, ReviewKind, Reviewed};
use serde::Deserialize;
use utoipa::IntoParams;
use vocabulary::{CaptureId, Scope};

use super::views::{ListView, ReviewView, ReviewedView};
use crate::access::Administrator;
use crate::captured_page;
use crate::extract::{Path, Query};
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

const REVIEWS: u32 = 50;
const MOST_REVIEWS: u32 = 200;

/// Which runs are wanted.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ReviewsParams {
    /// `doubtful`, `quarantined` or `failed`.
    kind: String,
    /// Runs at most: 50 by default, up to 200.
    limit: Option<u32>,
}

/// Runs of one kind and of 30 days that are neither retried nor discarded yet, the last that ended first. A limit over 200 counts as 200.
#[utoipa::path(
    get, path = "/operations/reviews", tag = "Operations", params(ReviewsParams),
    responses(
        (status = 200, body = ListView<ReviewView>),
        (status = 400, body = FailureBody, description = "An unknown kind"),
        (status = 401, body = FailureBody),
        (status = 403, body = FailureBody),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn list_reviews(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    Query(params): Query<ReviewsParams>,
) -> Result<Json<ListView<ReviewView>>, ApiError> {
    let kind: ReviewKind = params
        .kind
        .parse()
        .map_err(|_| ApiError::BadRequest("kind: it is doubtful, quarantined or failed".to_owned()))?;
    let limit = params.limit.unwrap_or(REVIEWS).min(MOST_REVIEWS);
    let mut connection = state.postgres.acquire().await.map_err(postgres::Error::from)?;
    let found = reviews::open(&mut connection, &caller.scope, kind, limit.into()).await?;
    Ok(Json(ListView {
        data: found.into_iter().map(ReviewView::from).collect(),
    }))
}

/// One run, with the ads that were read off its page; none when no page was read. 404 for an unknown run.
#[utoipa::path(
    get, path = "/operations/reviews/{requestID}", tag = "Operations",
    params(("requestID" = String, Path, description = "The name of a capture, taken or not")),
    responses(
        (status = 200, body = ReviewedView),
        (status = 401, body = FailureBody),
        (status = 403, body = FailureBody),
        (status = 404, body = FailureBody),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn read_review(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    Path(request_id): Path<String>,
) -> Result<Json<ReviewedView>, ApiError> {
    let run = find(&state, &caller.scope, &request_id).await?;
    let location = CaptureLocation {
        capture: run.capture,
        brand: run.brand_id,
        slot_time: run.slot_time,
        seen_at: run.taken_at.unwrap_or(run.slot_time),
    };
    let ads = if run.ads.is_some() {
        captures::ads(&state.analytics, &caller.scope, &location).await?
    } else {
        Vec::new()
    };
    Ok(Json(ReviewedView::new(run, ads)))
}

/// Which ad is to be outlined.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct MarkedAdParams {
    /// Its rank over the page.
    ad: Option<u16>,
}

/// The page of a run as the viewer shows it: of its capture, or of the last failed attempt that received one.
#[utoipa::path(
    get, path = "/operations/reviews/{requestID}/page", tag = "Operations",
    params(("requestID" = String, Path, description = "The name of a capture, taken or not"), MarkedAdParams),
    responses(
        (status = 200, body = String, content_type = "text/html"),
        (status = 401, body = FailureBody),
        (status = 403, body = FailureBody),
        (status = 404, body = FailureBody),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn read_reviewed_page(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    Path(request_id): Path<String>,
    Query(marked): Query<MarkedAdParams>,
) -> Result<Response, ApiError> {
    let run = find(&state, &caller.scope, &request_id).await?;
    Ok(captured_page::html(file(&state, run.view).await?, marked.ad))
}

/// The picture of that page.
#[utoipa::path(
    get, path = "/operations/reviews/{requestID}/screenshot", tag = "Operations",
    params(("requestID" = String, Path, description = "The name of a capture, taken or not")),
    responses(
        (status = 200, body = Vec<u8>, content_type = "image/webp"),
        (status = 401, body = FailureBody),
        (status = 403, body = FailureBody),
        (status = 404, body = FailureBody),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn read_reviewed_picture(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    Path(request_id): Path<String>,
) -> Result<Response, ApiError> {
    let run = find(&state, &caller.scope, &request_id).await?;
    Ok(captured_page::picture(file(&state, run.screenshot).await?))
}

/// The run whose capture has this id, whether or not it needs a review; 404 when there is none, the id is malformed, or the scope does not
/// administer.
async fn find(state: &ApiState, scope: &Scope, request_id: &str) -> Result<Reviewed, ApiError> {
    let unknown = || ApiError::NotFound("No run has this id".to_owned());
    let capture = request_id.parse().map(CaptureId).map_err(|_| unknown())?;
    let mut connection = state.postgres.acquire().await.map_err(postgres::Error::from)?;
    reviews::by_capture(&mut connection, scope, capture)
        .await?
        .ok_or_else(unknown)
}

/// A kept file of a run; 404 when there is no digest, `Expired` when the file has been deleted.
async fn file(state: &ApiState, digest: Option<Digest>) -> Result<Vec<u8>, ApiError> {
    let digest = digest.ok_or_else(|| ApiError::NotFound("Nothing was kept of this run".to_owned()))?;
    state.blobs.read(&digest).await?.ok_or(ApiError::Expired)
}
