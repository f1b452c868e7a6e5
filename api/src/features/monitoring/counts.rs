//! `GET /Sems/countAdvertisers`, `countTerms`, `countAds` and `groupAds`: what the lists hold under filters, without their rows, and the most viewed
//! ads in all of them.

use analytics::filter::Filters;
use analytics::reports::ads::{self, AdsQuery};
use analytics::reports::domains::{self, DomainsQuery};
use analytics::reports::page::{Direction, Page};
use analytics::reports::terms::{self, TermsQuery};
use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use super::ads as adverts;
use super::views::AdvertisementView;
use crate::access::Caller;
use crate::ad_filters::{self, AdFilter};
use crate::extract::Pairs;
use crate::failure::{ApiError, FailureBody};
use crate::lists::{FilterParams, ListQuery};
use crate::state::ApiState;

/// A question that is asked for its totals alone.
const ONE_ROW: Page = Page::Of { number: 1, size: 1 };

/// How many there are.
#[derive(Serialize, ToSchema)]
pub(super) struct CountView {
    count: u64,
}

/// How many domains advertise under the filters.
#[utoipa::path(
    get, path = "/Sems/countAdvertisers", tag = "Monitoring",
    params(FilterParams<AdFilter>),
    responses(
        (status = 200, body = CountView),
        (status = 400, body = FailureBody, description = "A filter that is not known or cannot be read; the message names it"),
        (status = 401, body = FailureBody),
        (status = 408, body = FailureBody, description = "Too many results; narrow the filters"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn count_advertisers(
    State(state): State<ApiState>,
    caller: Caller,
    Pairs(pairs): Pairs,
) -> Result<Json<CountView>, ApiError> {
    let query = DomainsQuery {
        filters: read(&state, &caller, &pairs).await?,
        sort: domains::Sort::default(),
        direction: Direction::default(),
        page: ONE_ROW,
    };
    let found = domains::list(&state.analytics, &caller.scope, &query).await?;
    Ok(Json(CountView { count: found.total }))
}

/// How many terms have ads under the filters.
#[utoipa::path(
    get, path = "/Sems/countTerms", tag = "Monitoring",
    params(FilterParams<AdFilter>),
    responses(
        (status = 200, body = CountView),
        (status = 400, body = FailureBody, description = "A filter that is not known or cannot be read; the message names it"),
        (status = 401, body = FailureBody),
        (status = 408, body = FailureBody, description = "Too many results; narrow the filters"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn count_terms_with_ads(
    State(state): State<ApiState>,
    caller: Caller,
    Pairs(pairs): Pairs,
) -> Result<Json<CountView>, ApiError> {
    let query = TermsQuery {
        filters: read(&state, &caller, &pairs).await?,
        sort: terms::Sort::default(),
        direction: Direction::default(),
        page: ONE_ROW,
        officials: Vec::new(),
        places: Vec::new(),
    };
    let found = terms::list(&state.analytics, &caller.scope, &query).await?;
    Ok(Json(CountView { count: found.total }))
}

/// How many distinct ads there are under the filters.
#[utoipa::path(
    get, path = "/Sems/countAds", tag = "Monitoring",
    params(FilterParams<AdFilter>),
    responses(
        (status = 200, body = CountView),
        (status = 400, body = FailureBody, description = "A filter that is not known or cannot be read; the message names it"),
        (status = 401, body = FailureBody),
        (status = 408, body = FailureBody, description = "Too many results; narrow the filters"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn count_all_ads(
    State(state): State<ApiState>,
    caller: Caller,
    Pairs(pairs): Pairs,
) -> Result<Json<CountView>, ApiError> {
    let query = AdsQuery {
        filters: read(&state, &caller, &pairs).await?,
        hour: None,
    };
    let found = ads::count(&state.analytics, &caller.scope, &query).await?;
    Ok(Json(CountView {
        count: found.text_ads + found.shopping_ads,
    }))
}

/// The most viewed distinct ads under the filters, with their views and positions, most viewed first; at most as many as the query's `limit`.
#[utoipa::path(
    get, path = "/Sems/groupAds", tag = "Monitoring",
    params(
        ("limit" = Option<u32>, Query, description = "Ads at most: 50 by default, up to 500"),
        FilterParams<AdFilter>,
    ),
    responses(
        (status = 200, body = Vec<AdvertisementView>, description = "Most viewed first"),
        (status = 400, body = FailureBody, description = "A filter that is not known or cannot be read; the message names it"),
        (status = 401, body = FailureBody),
        (status = 408, body = FailureBody, description = "Too many results; narrow the filters"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn group_ads(
    State(state): State<ApiState>,
    caller: Caller,
    Pairs(pairs): Pairs,
) -> Result<Json<Vec<AdvertisementView>>, ApiError> {
    let limit = adverts::read_limit(&pairs)?;
    let query = AdsQuery {
        filters: read(&state, &caller, &pairs).await?,
        hour: None,
    };
    let found = ads::most_viewed(&state.analytics, &caller.scope, &query, limit).await?;
    Ok(Json(adverts::shown(&state, found).await?))
}

/// Reads the filters of the query; page and order are ignored. A `BadRequest` names one that cannot be read.
async fn read(state: &ApiState, caller: &Caller, pairs: &[(String, String)]) -> Result<Filters, ApiError> {
    ad_filters::read(state, &caller.scope, &ListQuery::read(pairs, &[])?.filters).await
}
