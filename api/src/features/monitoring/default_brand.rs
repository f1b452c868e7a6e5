//! The brand that lists begin with: `GET /brand/default`.

use analytics::filter::{Condition, Filters};
use analytics::reports::stats;
use axum::Json;
use axum::extract::State;
use chrono::TimeDelta;
use postgres::brands::{self, Brand};
use serde::Serialize;
use utoipa::ToSchema;
use vocabulary::BrandId;

use super::views::BrandView;
use crate::access::Caller;
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// Views of the last days decide: what was watched long ago is no place to start.
const VIEWED_FOR: TimeDelta = TimeDelta::days(90);
/// Enough to find a validated one where none has views.
const CANDIDATES: i64 = 500;

/// The brand that lists begin with.
#[derive(Serialize, ToSchema)]
pub(super) struct DefaultBrandView {
    // In place: another slice has a brand of its own.
    #[schema(inline)]
    data: Option<BrandView>,
}

/// The brand that the lists of somebody who sees many begin with: the one of the settings, else the validated one with most views in 90 days
/// (decision D73). Null where there is no validated brand.
#[utoipa::path(
    get, path = "/brand/default", tag = "Monitoring",
    responses((status = 200, body = DefaultBrandView), (status = 401, body = FailureBody)),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn read_default_brand(
    State(state): State<ApiState>,
    caller: Caller,
) -> Result<Json<DefaultBrandView>, ApiError> {
    let brand = match of_settings(&state, &caller).await? {
        Some(brand) => Some(brand),
        None => most_viewed(&state, &caller).await?,
    };
    Ok(Json(DefaultBrandView {
        data: brand.map(BrandView::from),
    }))
}

/// The default brand of the settings, validated or not; `None` when they name none or the caller does not see it.
async fn of_settings(state: &ApiState, caller: &Caller) -> Result<Option<Brand>, ApiError> {
    let Some(id) = state.settings.monitoring.default_brand_id else {
        return Ok(None);
    };
    Ok(brands::by_ids(&state.postgres, &caller.scope, &[BrandId(id)])
        .await?
        .pop())
}

/// The validated brand that the caller sees with the most views in [`VIEWED_FOR`]; without views the first validated one among the first
/// [`CANDIDATES`] brands by name, `None` without any.
async fn most_viewed(state: &ApiState, caller: &Caller) -> Result<Option<Brand>, ApiError> {
    let since = Condition::seen_between(Some(state.clock.now() - VIEWED_FOR), None);
    let filters: Filters = [since].into_iter().collect();
    let viewed = stats::most_viewed_brands(&state.analytics, &caller.scope, &filters).await?;
    let mut validated = brands::by_ids(&state.postgres, &caller.scope, &viewed).await?;
    validated.retain(|brand| brand.validated);
    let first = viewed
        .iter()
        .find_map(|id| validated.iter().find(|brand| brand.id == *id));
    if let Some(brand) = first {
        return Ok(Some(brand.clone()));
    }
    let all = brands::search(&state.postgres, &caller.scope, "", CANDIDATES).await?;
    Ok(all.into_iter().find(|brand| brand.validated))
}
