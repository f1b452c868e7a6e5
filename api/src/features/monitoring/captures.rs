//! The newest captures: `GET /captures`.

use axum::Json;
use axum::extract::State;
use postgres::runs::CaptureRun;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::views::DataView;
use crate::access::Caller;
use crate::extract::Query;
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

const CAPTURES: u32 = 20;
const MOST_CAPTURES: u32 = 100;

/// One run of a term on a device.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct CaptureView {
    #[serde(rename = "requestID")]
    request_id: String,
    term: String,
    engine: String,
    device: String,
    /// Language and country, as in `fr_FR`.
    locale: Option<String>,
    /// `queued`, `capturing`, `captured`, `storing`, `verified`, `failed` or `missed`.
    state: String,
    /// Why it failed or was missed.
    reason: Option<String>,
    /// Text ads on the page; absent while no page was read, which is not 'no ads'.
    ads: Option<u32>,
    /// Shopping ads on the page, likewise.
    shopping: Option<u32>,
    /// When its page was received, or when it was due while none was.
    created_date: String,
}

impl From<CaptureRun> for CaptureView {
    /// The date is when the page was received, else when the run was due; the counts of ads are null while no page was read.
    fn from(run: CaptureRun) -> Self {
        Self {
            request_id: run.capture.to_string(),
            term: run.term,
            engine: run.engine.to_string(),
            device: run.device.to_string(),
            locale: run.locale,
            state: run.state.to_string(),
            reason: run.reason,
            ads: run.ads.map(|(text, _)| text),
            shopping: run.ads.map(|(_, shopping)| shopping),
            created_date: run
                .taken_at
                .unwrap_or(run.slot_time)
                .to_rfc3339_opts(chrono::SecondsFormat::Millis, true),
        }
    }
}

/// How many captures are wanted.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct CaptureListParams {
    /// 20 by default, up to 100.
    limit: Option<u32>,
}

/// The newest runs of the reader's terms, newest first: stored, under way, failed and missed ones. A limit over 100 counts as 100.
#[utoipa::path(
    get, path = "/captures", tag = "Monitoring", params(CaptureListParams),
    responses((status = 200, body = DataView<CaptureView>), (status = 401, body = FailureBody)),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn list_captures(
    State(state): State<ApiState>,
    caller: Caller,
    Query(params): Query<CaptureListParams>,
) -> Result<Json<DataView<CaptureView>>, ApiError> {
    let limit = params.limit.unwrap_or(CAPTURES).min(MOST_CAPTURES);
    let found = postgres::runs::last(&state.postgres, &caller.scope, limit.into()).await?;
    Ok(Json(DataView {
        data: found.into_iter().map(CaptureView::from).collect(),
    }))
}
