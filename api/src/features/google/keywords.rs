//! The keywords of an item.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use postgres::audit::Event;
use postgres::google;
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::{IntoParams, ToSchema};
use vocabulary::TermId;

use super::item;
use super::views::GoogleKeywordView;
use crate::access::Administrator;
use crate::extract::{self, Query};
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// Keywords of one call.
const MOST_KEYWORDS: usize = 10_000;

/// The item whose keywords are wanted.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct GoogleKeywordsParams {
    /// Id of the item.
    #[serde(rename = "customerConfigID")]
    item: i32,
}

/// Keywords of an item.
#[derive(Serialize, ToSchema)]
pub(super) struct GoogleKeywordsView {
    data: Vec<GoogleKeywordView>,
}

/// The terms of the item's brand that can be mapped.
#[utoipa::path(
    get, path = "/google/keyword/linkable", tag = "Google", params(GoogleKeywordsParams),
    responses(
        (status = 200, body = GoogleKeywordsView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 404, body = FailureBody, description = "No such item"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn list_linkable(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    Query(params): Query<GoogleKeywordsParams>,
) -> Result<Json<GoogleKeywordsView>, ApiError> {
    item(&state, &caller, params.item).await?;
    let found = google::linkable(&state.postgres, &caller.scope, params.item).await?;
    Ok(Json(GoogleKeywordsView {
        data: found.into_iter().map(GoogleKeywordView::from).collect(),
    }))
}

/// The terms that are mapped.
#[utoipa::path(
    get, path = "/google/keyword/link", tag = "Google", params(GoogleKeywordsParams),
    responses(
        (status = 200, body = GoogleKeywordsView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 404, body = FailureBody, description = "No such item"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn list_linked(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    Query(params): Query<GoogleKeywordsParams>,
) -> Result<Json<GoogleKeywordsView>, ApiError> {
    item(&state, &caller, params.item).await?;
    let found = google::linked(&state.postgres, &caller.scope, params.item).await?;
    Ok(Json(GoogleKeywordsView {
        data: found.into_iter().map(GoogleKeywordView::from).collect(),
    }))
}

/// Terms to be mapped to an item, or taken off it.
#[derive(Deserialize, ToSchema)]
pub(super) struct MappedKeywordsBody {
    /// Id of the item.
    #[serde(rename = "customerConfigID")]
    item: i32,
    /// Ids of terms.
    #[serde(rename = "keywordIDs", default)]
    keywords: Vec<i32>,
    /// Id of one term.
    #[serde(rename = "keywordID", default)]
    keyword: Option<i32>,
}

impl MappedKeywordsBody {
    /// The terms that it names; a 422 for none or too many.
    fn terms(&self) -> Result<Vec<TermId>, ApiError> {
        let terms: Vec<TermId> = self
            .keywords
            .iter()
            .chain(&self.keyword)
            .map(|id| TermId(*id))
            .collect();
        if terms.is_empty() || terms.len() > MOST_KEYWORDS {
            let text = format!("1 to {MOST_KEYWORDS} keywords");
            return Err(ApiError::of_field("keywordIDs", text));
        }
        Ok(terms)
    }
}

/// How many keywords were mapped or taken off.
#[derive(Serialize, ToSchema)]
pub(super) struct MappedKeywordsView {
    data: KeywordCountView,
}

#[derive(Serialize, ToSchema)]
#[schema(as = GoogleKeywordCountView)]
struct KeywordCountView {
    count: u64,
}

/// Maps terms of the item's brand. Those that are mapped already stay; terms of other brands are left out.
#[utoipa::path(
    post, path = "/google/keyword/link", tag = "Google", request_body = MappedKeywordsBody,
    responses(
        (status = 201, body = MappedKeywordsView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 404, body = FailureBody, description = "No such item"),
        (status = 422, body = FailureBody, description = "No keyword, or too many"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn link_keywords(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    extract::Json(body): extract::Json<MappedKeywordsBody>,
) -> Result<(StatusCode, Json<MappedKeywordsView>), ApiError> {
    let terms = body.terms()?;
    item(&state, &caller, body.item).await?;
    let mut tx = postgres::begin(&state.postgres).await?;
    let count = google::link(&mut *tx, &caller.scope, body.item, &terms).await?;
    let details = json!({"terms": terms, "count": count});
    caller
        .record(&mut tx, (Event::Link, "GoogleKeyword"), body.item.into(), details)
        .await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    let data = KeywordCountView { count };
    Ok((StatusCode::CREATED, Json(MappedKeywordsView { data })))
}

/// Takes terms off an item, and deletes their figures of it.
#[utoipa::path(
    delete, path = "/google/keyword/link", tag = "Google", request_body = MappedKeywordsBody,
    responses(
        (status = 200, body = MappedKeywordsView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 404, body = FailureBody, description = "No such item"),
        (status = 422, body = FailureBody, description = "No keyword, or too many"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn unlink_keywords(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    extract::Json(body): extract::Json<MappedKeywordsBody>,
) -> Result<Json<MappedKeywordsView>, ApiError> {
    let terms = body.terms()?;
    item(&state, &caller, body.item).await?;
    let mut tx = postgres::begin(&state.postgres).await?;
    let count = google::unlink(&mut *tx, &caller.scope, body.item, &terms).await?;
    let details = json!({"terms": terms, "count": count});
    caller
        .record(&mut tx, (Event::Unlink, "GoogleKeyword"), body.item.into(), details)
        .await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    Ok(Json(MappedKeywordsView {
        data: KeywordCountView { count },
    }))
}
