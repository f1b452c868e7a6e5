//! Matching terms with brands by the patterns of the brands (decision D95): `POST /Brands/{id}/autoMatch`, `/Brands/matchRuns`, where a match runs in
//! the background, and `POST /Brands/matchPreview`, which shows what patterns would do.

mod matching;
mod preview;
mod runs;

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use serde::{Deserialize, Serialize};
use serde_json::Value as Body;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use vocabulary::resources::models::BRAND;
use vocabulary::{BrandId, BrandPatternsError};

use self::matching::{MatchPlan, MatchProgress};
use crate::access::Administrator;
use crate::extract::{self, Path};
use crate::failure::{ApiError, FailureBody, FieldProblem};
use crate::resources::{self, PATTERN_PATIENCE};
use crate::state::ApiState;

const INCLUDE: &str = "autoMatchRegExp";
const EXCLUDE: &str = "autoMatchExcludeRegExp";
/// The code of patterns that take too long.
const SLOW: &str = "pattern.slow";
/// Terms that one request changes at most, like other changes of many rows.
const MOST_CHANGED: usize = 10_000;

/// The operations of this slice.
pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(match_now))
        .merge(preview::routes())
        .merge(runs::routes())
}

/// Which terms are matched.
#[derive(Debug, Deserialize, ToSchema)]
struct MatchRequest {
    options: Option<MatchOptions>,
}

/// Which terms are matched.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct MatchOptions {
    /// All terms, those of other brands among them; and those of this brand that no longer match are released. Otherwise only terms without a brand.
    #[serde(default)]
    rematch_all: bool,
}

/// What a match changed.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct MatchedView {
    /// Terms that the patterns match, of those looked at.
    matching: usize,
    /// Terms that the brand got.
    linked: usize,
    /// Those of them that another brand had.
    taken: usize,
    /// Terms that the brand gave up.
    released: usize,
    /// Terms that match and went to no brand or stayed with another one, whose claim is better.
    lost: usize,
}

/// Matches terms with a brand: those that its patterns match become its terms, unless a validated brand has a better claim, by a longer matched text
/// or, of equal length, by its age.
#[utoipa::path(
    post, path = "/Brands/{id}/autoMatch", tag = "Brand",
    params(("id" = i32, Path, description = "Id of the brand")),
    request_body = MatchRequest,
    responses(
        (status = 200, body = MatchedView, description = "What changed"),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 404, body = FailureBody, description = "No such brand"),
        (status = 422, body = FailureBody, description = "The brand has no pattern, or its patterns take too long"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn match_now(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    Path(id): Path<i32>,
    headers: HeaderMap,
    extract::Body(bytes): extract::Body,
) -> Result<Json<MatchedView>, ApiError> {
    let given = resources::body_fields(&headers, &bytes)?;
    let MatchRequest { options } =
        serde_json::from_value(Body::Object(given)).map_err(|error| ApiError::BadRequest(error.to_string()))?;
    let plan = MatchPlan {
        brand: BrandId(id),
        all_terms: options.unwrap_or_default().rematch_all,
        patience: PATTERN_PATIENCE,
        most_changed: MOST_CHANGED,
        run: None,
    };
    let progress = Arc::new(MatchProgress::default());
    let matched = matching::match_terms(&state, &caller.scope, &caller.audit_actor(), &plan, &progress).await?;
    Ok(Json(matched))
}

/// The failure of an invalid pattern.
fn invalid(error: BrandPatternsError) -> ApiError {
    let (field, error) = match error {
        BrandPatternsError::Include(error) => (INCLUDE, error),
        BrandPatternsError::Exclude(error) => (EXCLUDE, error),
    };
    refused(field, error.code(), error.text())
}

/// The failure of a field of a brand.
fn refused(field: &'static str, code: &'static str, text: &str) -> ApiError {
    ApiError::Refused {
        model: BRAND.name,
        problems: vec![FieldProblem::new(field, code, text, "the pattern".to_owned())],
    }
}
