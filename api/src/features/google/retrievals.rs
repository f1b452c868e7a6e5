//! Asking for figures: each month and source is a retrieval of its own, which workers carry out (decision D191).

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use google::MOST_TERMS_A_QUERY;
use postgres::google::{self as stored, GoogleItem, NewRetrieval, Source};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::views::GoogleRetrievalView;
use super::{days, item};
use crate::access::{Administrator, Caller};
use crate::extract::{self, Path};
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// Retrievals that are shown of an item.
const SHOWN: i64 = 100;

/// What is to be read of one source.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ReadSourceBody {
    /// Id of the item.
    #[serde(rename = "customerConfigID")]
    item: i32,
    /// One mapped keyword; without it and without `keywordIDs`, all.
    #[serde(rename = "keywordID", default)]
    keyword: Option<i32>,
    #[serde(rename = "keywordIDs", default)]
    keywords: Vec<i32>,
    /// The first day, included; by default three months before the last one.
    #[serde(default)]
    start_date: Option<String>,
    /// The last day, included; by default today.
    #[serde(default)]
    end_date: Option<String>,
}

/// What is to be read of both sources.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct RetrieveBody {
    /// Mapped keywords; none: all.
    #[serde(rename = "keywordIDs", default)]
    keywords: Vec<i32>,
    /// The first day, included; by default three months before the last one.
    #[serde(default)]
    start_date: Option<String>,
    /// The last day, included; by default today.
    #[serde(default)]
    end_date: Option<String>,
}

/// Retrievals that wait or run.
#[derive(Serialize, ToSchema)]
pub(super) struct QueuedRetrievalsView {
    data: QueuedIdsView,
}

#[derive(Serialize, ToSchema)]
#[schema(as = GoogleRetrievalIdsView)]
struct QueuedIdsView {
    /// Ids of retrievals; one that waited already is among them.
    retrievals: Vec<i64>,
}

/// What a retrieval would ask of Google.
#[derive(Serialize, ToSchema)]
pub(super) struct RetrievalPreviewView {
    data: RetrievalCostView,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = GoogleRetrievalCostView)]
struct RetrievalCostView {
    /// Operations of Google Ads.
    operations: usize,
    /// Months, each a retrieval of each source.
    months: usize,
    keywords: usize,
    /// Whether paid figures are read.
    sea: bool,
    /// Whether unpaid figures are read.
    seo: bool,
    /// Operations left of the day; null without limit.
    left: Option<i64>,
}

/// Has workers read paid figures (Google Ads).
#[utoipa::path(
    post, path = "/google/keyword/metrics/update", tag = "Google", request_body = ReadSourceBody,
    responses(
        (status = 202, body = QueuedRetrievalsView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 404, body = FailureBody, description = "No such item"),
        (status = 409, body = FailureBody, description = "Nobody gave access to Google Ads, or no keyword is mapped"),
        (status = 422, body = FailureBody, description = "A value that cannot be; by field"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn read_paid(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    extract::Json(body): extract::Json<ReadSourceBody>,
) -> Result<(StatusCode, Json<QueuedRetrievalsView>), ApiError> {
    read_source(&state, &caller, body, Source::Sea).await
}

/// Has workers read unpaid figures (Search Console).
#[utoipa::path(
    post, path = "/google/keyword/analytics/update", tag = "Google", request_body = ReadSourceBody,
    responses(
        (status = 202, body = QueuedRetrievalsView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 404, body = FailureBody, description = "No such item"),
        (status = 409, body = FailureBody, description = "Nobody gave access to Search Console, or no keyword is mapped"),
        (status = 422, body = FailureBody, description = "A value that cannot be; by field"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn read_unpaid(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    extract::Json(body): extract::Json<ReadSourceBody>,
) -> Result<(StatusCode, Json<QueuedRetrievalsView>), ApiError> {
    read_source(&state, &caller, body, Source::Seo).await
}

async fn read_source(
    state: &ApiState,
    caller: &Caller,
    body: ReadSourceBody,
    source: Source,
) -> Result<(StatusCode, Json<QueuedRetrievalsView>), ApiError> {
    let found = item(state, caller, body.item).await?;
    let has = match source {
        Source::Sea => found.ads_grant,
        Source::Seo => found.site_grant,
    };
    if has.is_none() {
        return Err(ApiError::Conflict(format!(
            "Nobody gave access to the figures of {source} yet."
        )));
    }
    let keywords: Vec<i32> = body.keywords.iter().chain(&body.keyword).copied().collect();
    let dates = (body.start_date.as_deref(), body.end_date.as_deref());
    let plan = plan(state, caller, &found, (&keywords, dates)).await?;
    let only: Vec<NewRetrieval> = plan.into_iter().filter(|one| one.source == source).collect();
    queue(state, caller, found.id, &only).await
}

/// Has workers read the figures of both sources, as far as access was given.
#[utoipa::path(
    post, path = "/google/{id}/retrievals", tag = "Google", request_body = RetrieveBody,
    params(("id" = i32, Path, description = "Id of the item")),
    responses(
        (status = 202, body = QueuedRetrievalsView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 404, body = FailureBody, description = "No such item"),
        (status = 409, body = FailureBody, description = "Nobody gave access yet, or no keyword is mapped"),
        (status = 422, body = FailureBody, description = "A value that cannot be; by field"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn retrieve(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    Path(id): Path<i32>,
    extract::Json(body): extract::Json<RetrieveBody>,
) -> Result<(StatusCode, Json<QueuedRetrievalsView>), ApiError> {
    let found = item(&state, &caller, id).await?;
    let dates = (body.start_date.as_deref(), body.end_date.as_deref());
    let plan = plan(&state, &caller, &found, (&body.keywords, dates)).await?;
    queue(&state, &caller, id, &plan).await
}

/// What such a retrieval would ask of Google; nothing is queued.
#[utoipa::path(
    post, path = "/google/{id}/retrievals/preview", tag = "Google", request_body = RetrieveBody,
    params(("id" = i32, Path, description = "Id of the item")),
    responses(
        (status = 200, body = RetrievalPreviewView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 404, body = FailureBody, description = "No such item"),
        (status = 409, body = FailureBody, description = "Nobody gave access yet, or no keyword is mapped"),
        (status = 422, body = FailureBody, description = "A value that cannot be; by field"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn preview(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    Path(id): Path<i32>,
    extract::Json(body): extract::Json<RetrieveBody>,
) -> Result<Json<RetrievalPreviewView>, ApiError> {
    let found = item(&state, &caller, id).await?;
    let dates = (body.start_date.as_deref(), body.end_date.as_deref());
    let plan = plan(&state, &caller, &found, (&body.keywords, dates)).await?;
    let usage = stored::usage(&state.postgres, state.clock.now()).await?;
    let of = |source| plan.iter().filter(move |one| one.source == source);
    let limit = i64::from(state.settings.google.daily_operations);
    Ok(Json(RetrievalPreviewView {
        data: RetrievalCostView {
            operations: of(Source::Sea)
                .map(|one| one.terms.len().div_ceil(MOST_TERMS_A_QUERY))
                .sum(),
            months: of(Source::Sea).count().max(of(Source::Seo).count()),
            keywords: plan.first().map_or(0, |one| one.terms.len()),
            sea: of(Source::Sea).next().is_some(),
            seo: of(Source::Seo).next().is_some(),
            left: (limit > 0).then(|| (limit - usage.operations).max(0)),
        },
    }))
}

/// The newest retrievals of an item.
#[derive(Serialize, ToSchema)]
pub(super) struct GoogleRetrievalsView {
    data: Vec<GoogleRetrievalView>,
}

/// The newest retrievals of an item, newest first.
#[utoipa::path(
    get, path = "/google/{id}/retrievals", tag = "Google",
    params(("id" = i32, Path, description = "Id of the item")),
    responses(
        (status = 200, body = GoogleRetrievalsView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 404, body = FailureBody, description = "No such item"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn list_retrievals(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    Path(id): Path<i32>,
) -> Result<Json<GoogleRetrievalsView>, ApiError> {
    item(&state, &caller, id).await?;
    let found = stored::retrievals_of(&state.postgres, &caller.scope, id, SHOWN).await?;
    Ok(Json(GoogleRetrievalsView {
        data: found.into_iter().map(GoogleRetrievalView::from).collect(),
    }))
}

/// Stops the retrievals of an item that wait or run. What they stored stays.
#[utoipa::path(
    delete, path = "/google/{id}/retrievals", tag = "Google",
    params(("id" = i32, Path, description = "Id of the item")),
    responses(
        (status = 204),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 404, body = FailureBody, description = "No such item"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn stop(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    Path(id): Path<i32>,
) -> Result<StatusCode, ApiError> {
    item(&state, &caller, id).await?;
    stored::stop_retrievals(&state.postgres, &caller.scope, id, state.clock.now()).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The retrievals that a request comes to: a month each, of each source that somebody gave access to.
async fn plan(
    state: &ApiState,
    caller: &Caller,
    item: &GoogleItem,
    (keywords, (start, end)): (&[i32], (Option<&str>, Option<&str>)),
) -> Result<Vec<NewRetrieval>, ApiError> {
    let range = days::range(start, end, state.clock.now().date_naive())?;
    let linked = stored::linked(&state.postgres, &caller.scope, item.id).await?;
    let mut terms: Vec<i32> = linked
        .iter()
        .map(|keyword| keyword.id)
        .filter(|id| keywords.is_empty() || keywords.contains(id))
        .collect();
    terms.sort_unstable();
    if keywords.iter().any(|id| !terms.contains(id)) {
        return Err(ApiError::of_field("keywordIDs", "has a keyword that is not mapped"));
    }
    if terms.is_empty() {
        return Err(ApiError::Conflict("No keyword is mapped yet.".to_owned()));
    }
    let sources = [(Source::Seo, item.site_grant), (Source::Sea, item.ads_grant)];
    let plan: Vec<NewRetrieval> = days::months(range)
        .into_iter()
        .flat_map(|days| {
            let terms = &terms;
            sources
                .iter()
                .filter(|(_, grant)| grant.is_some())
                .map(move |(source, _)| NewRetrieval {
                    source: *source,
                    days,
                    terms: terms.clone(),
                })
        })
        .collect();
    if plan.is_empty() {
        return Err(ApiError::Conflict(
            "Nobody gave access to figures of Google yet.".to_owned(),
        ));
    }
    Ok(plan)
}

async fn queue(
    state: &ApiState,
    caller: &Caller,
    item: i32,
    plan: &[NewRetrieval],
) -> Result<(StatusCode, Json<QueuedRetrievalsView>), ApiError> {
    let mut tx = postgres::begin(&state.postgres).await?;
    let retrievals = stored::queue_retrievals(&mut tx, &caller.scope, item, plan, state.clock.now()).await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    let data = QueuedIdsView { retrievals };
    Ok((StatusCode::ACCEPTED, Json(QueuedRetrievalsView { data })))
}
