//! The synchronization: `POST /Terms/fetchSearchStats` (decision D93) has workers read how often terms are searched in a month.

use std::time::{Duration, Instant};

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use chrono::{DateTime, Utc};
use coordination::{Limit, Throttle};
use postgres::audit::{self, AuditedChange, Event};
use postgres::search_stats::{self, Progress};
use postgres::terms::{self, RatedTerm};
use serde::{Deserialize, Serialize};
use serde_json::{Value as Body, json};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use vocabulary::TermId;
use vocabulary::resources::Value;
use vocabulary::resources::models::TERM;

use crate::access::{Administrator, Caller};
use crate::chosen_terms;
use crate::extract;
use crate::failure::{ApiError, FailureBody};
use crate::resources;
use crate::state::ApiState;

/// Requests of one user in [`WINDOW`]; each may name 10,000 terms.
const REQUESTS: u32 = 60;
const WINDOW: Duration = Duration::from_hours(1);
/// How long an answer waits for the workers; what they read later is stored all the same.
const PATIENCE: Duration = Duration::from_secs(8);
const BETWEEN_LOOKS: Duration = Duration::from_millis(250);
/// The share of searches that convert: 1 to 100 percent (decision D103).
const RATES: std::ops::RangeInclusive<f64> = 0.01..=1.0;

/// The operations of this slice.
pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(fetch_search_stats))
}

/// Whose searches are read.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct SearchStatsRequest {
    /// A condition on terms like that of `POST /Terms/update`; the first 10,000 count.
    #[serde(default, rename = "where")]
    #[schema(value_type = Option<HashMap<String, Body>>)]
    condition: Option<Body>,
    /// The share of searches that automatic frequencies capture, from 0.01 to 1; stored on the terms. What they have when absent.
    #[serde(default)]
    search_convert_rate: Option<f64>,
}

/// How far the synchronization is.
#[derive(Serialize, ToSchema)]
struct SearchStatsView {
    data: SynchronizationView,
}

/// The terms of a synchronization, by what became of them.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct SynchronizationView {
    /// Whether a source of search volumes is connected. Without one nothing is read, and automatic terms are captured every day.
    is_connected: bool,
    /// Terms that have words and a place.
    terms: u64,
    /// Terms whose monthly searches were stored.
    fetched: u64,
    /// Terms still to be read.
    waiting: u64,
    /// Terms that could not be read; some are tried again.
    failed: u64,
}

/// Has the monthly searches of terms read, stores them as `searchStats`, and plans terms with the automatic frequency by them. The answer waits for
/// eight seconds at most; the rest is read later, and all of it again every month.
#[utoipa::path(
    post, path = "/Terms/fetchSearchStats", tag = "Term", request_body = SearchStatsRequest,
    responses(
        (status = 200, body = SearchStatsView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 422, body = FailureBody, description = "No terms are named, or a rate beyond its limits"),
        (status = 429, body = FailureBody, description = "More than 60 requests in an hour"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn fetch_search_stats(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    headers: HeaderMap,
    extract::Body(bytes): extract::Body,
) -> Result<Json<SearchStatsView>, ApiError> {
    let given = resources::body_fields(&headers, &bytes)?;
    let request: SearchStatsRequest =
        serde_json::from_value(Body::Object(given)).map_err(|error| ApiError::BadRequest(error.to_string()))?;
    if request.search_convert_rate.is_some_and(|rate| !RATES.contains(&rate)) {
        return Err(ApiError::of_field("searchConvertRate", "is a share from 0.01 to 1"));
    }
    let ids = chosen_terms::find_ids(&state, &caller, None, request.condition).await?;
    let key = format!("search-stats:{}", caller.user.id);
    let limit = Limit {
        key: &key,
        most: REQUESTS,
    };
    let _counted = Throttle::new(&state.coordination, WINDOW)
        .reserve(&[limit])
        .await
        .map_err(ApiError::Throttled)?;
    let is_connected = state.settings.search_volumes.url.is_some();
    let requested = request_all(&state, &caller, &ids, request.search_convert_rate, is_connected).await?;
    let left = if is_connected {
        wait(&state, &caller, &ids).await?
    } else {
        Progress::default()
    };
    let fetched = if is_connected {
        requested.saturating_sub(left.waiting + left.failed)
    } else {
        0
    };
    Ok(Json(SearchStatsView {
        data: SynchronizationView {
            is_connected,
            terms: requested,
            fetched,
            waiting: left.waiting,
            failed: left.failed,
        },
    }))
}

/// Stores the rate, if one is given, and requests the searches of the terms if `is_connected`, in one transaction. Returns how many terms have words and
/// a place, or all of them without a source.
async fn request_all(
    state: &ApiState,
    caller: &Caller,
    ids: &[TermId],
    rate: Option<f64>,
    is_connected: bool,
) -> Result<u64, ApiError> {
    let mut transaction = postgres::begin(&state.postgres).await?;
    if let Some(rate) = rate {
        let now = state.clock.now();
        let changed = terms::set_convert_rate(&mut transaction, &caller.scope, ids, rate, now).await?;
        let entries: Vec<AuditedChange> = changed.iter().map(|term| entry(term, rate, now)).collect();
        audit::record(&mut *transaction, &caller.audit_actor(), &entries).await?;
    }
    let requested = if is_connected {
        search_stats::request(&mut *transaction, &caller.scope, ids).await?
    } else {
        u64::try_from(ids.len()).unwrap_or(u64::MAX)
    };
    transaction.commit().await.map_err(postgres::Error::from)?;
    Ok(requested)
}

/// Waits until no term waits any more, at most for [`PATIENCE`], and returns how far the terms are then.
async fn wait(state: &ApiState, caller: &Caller, ids: &[TermId]) -> Result<Progress, ApiError> {
    let began = Instant::now();
    loop {
        let progress = search_stats::progress(&state.postgres, &caller.scope, ids).await?;
        if progress.waiting == 0 || began.elapsed() > PATIENCE {
            return Ok(progress);
        }
        tokio::time::sleep(BETWEEN_LOOKS).await;
    }
}

/// The entry of a term with another rate in the audit log.
fn entry(term: &RatedTerm, becomes: f64, now: DateTime<Utc>) -> AuditedChange {
    let state = |rate: Option<f64>, updated: Option<DateTime<Utc>>| json!({ "searchConvertRate": rate, "updatedDate": updated.map(|at| Value::Date(at).to_json()) });
    AuditedChange {
        event: Event::Change,
        model: TERM.name,
        target: term.id.to_string(),
        details: json!({ "before": state(term.was, term.updated_before), "after": state(Some(becomes), Some(now)) }),
    }
}
