//! A capture as the viewer begins with it: `GET /result/{requestID}`.

use analytics::reports::captures::{CaptureLocation, first_mark_of_domain};
use axum::Json;
use axum::extract::State;
use postgres::captures::Capture;
use serde::Serialize;
use utoipa::ToSchema;
use vocabulary::SystemScope;

use super::highlighted::HighlightedAd;
use super::unexpired;
use crate::extract::{Path, Query};
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

const SCOPE: SystemScope = SystemScope::new("the public viewer marks one ad of the capture it shows");

/// A capture with its search and verdict.
#[derive(Serialize, ToSchema)]
pub(super) struct ResultView {
    data: ResultData,
}

/// What was searched, and when.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ResultData {
    /// Its public name.
    #[serde(rename = "requestID")]
    request_id: String,
    job: CaptureJobView,
    /// When it was taken.
    created_date: String,
    /// `results`, or `doubtful` where an independent count disagrees with what was read.
    verdict: String,
    /// The number of the first ad of the domain and kind asked for, whose anchor on the page is `#ad-N`. Null where there is none.
    ad: Option<u16>,
    /// Whether a picture of the page was kept.
    has_screenshot: bool,
}

/// The search that was captured.
#[derive(Serialize, ToSchema)]
struct CaptureJobView {
    engine: String,
    /// Language and country, as in `fr_FR`.
    locale: String,
    /// The words searched for.
    term: String,
    device: String,
}

/// A capture by its random name, for anybody who knows it, with the ad to highlight, if any is found. Expired when its viewing copy is gone.
#[utoipa::path(
    get, path = "/result/{requestID}", tag = "Captures",
    params(("requestID" = String, Path, description = "The name of a capture"), HighlightedAd),
    responses(
        (status = 200, body = ResultView),
        (status = 404, body = FailureBody, description = "No capture has this id, or its time is over (CAPTURE_EXPIRED)"),
    ),
)]
pub(super) async fn read_result(
    State(state): State<ApiState>,
    Path(request_id): Path<String>,
    Query(sought): Query<HighlightedAd>,
) -> Result<Json<ResultView>, ApiError> {
    let capture = unexpired(&state, &request_id).await?;
    if !state.blobs.contains(&capture.reading.view).await? {
        return Err(ApiError::Expired);
    }
    let ad = first_ad(&state, &capture, &sought).await;
    Ok(Json(ResultView {
        data: ResultData {
            request_id: capture.id.to_string(),
            job: CaptureJobView {
                engine: capture.engine.to_string(),
                locale: capture.locale.to_string(),
                term: capture.term,
                device: capture.device.to_string(),
            },
            created_date: capture.taken_at.to_rfc3339_opts(chrono::SecondsFormat::Millis, true),
            verdict: capture.reading.verdict.to_string(),
            ad,
            has_screenshot: capture.screenshot.is_some(),
        },
    }))
}

/// The number on the page of the first ad of the domain and kind asked for, whatever the reader may see. `None` when there is none, when no domain is
/// given, and, with a warning in the log, while ClickHouse does not answer: the page is worth showing without it.
pub(super) async fn first_ad(state: &ApiState, capture: &Capture, sought: &HighlightedAd) -> Option<u16> {
    let domain = sought.domain()?;
    let location = CaptureLocation {
        capture: capture.id,
        brand: capture.brand_id,
        slot_time: capture.slot_time,
        seen_at: capture.taken_at,
    };
    match first_mark_of_domain(&state.analytics, &SCOPE, &location, domain.as_str(), sought.kind()).await {
        Ok(ad) => ad,
        Err(error) => {
            tracing::warn!(capture = %capture.id, %error, "the ad to be marked could not be looked up");
            None
        }
    }
}
