//! The brand that lists begin with: `GET /brand/default`.

use axum::Json;
use axum::extract::State;
use postgres::brands::{self, Brand};
use serde::Serialize;
use utoipa::ToSchema;
use vocabulary::BrandId;

use super::views::BrandView;
use crate::access::Caller;
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// The brand that lists begin with.
#[derive(Serialize, ToSchema)]
pub(super) struct DefaultBrandView {
    // In place: another slice has a brand of its own.
    #[schema(inline)]
    data: Option<BrandView>,
}

/// The brand that the lists of somebody who sees many begin with: the one of the settings, else the validated one with most views in 30 days,
/// as they are counted every hour (decision D73). Null where there is no validated brand.
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
        None => brands::most_viewed(&state.postgres, &caller.scope).await?,
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
