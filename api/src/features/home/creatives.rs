//! `GET /home/creatives`: the headlines of others that were seen most.

use analytics::reports::creatives;
use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use super::question::{HomeQuestion, own_ads};
use crate::access::Caller;
use crate::ad_filters::AdFilter;
use crate::extract::Pairs;
use crate::failure::{ApiError, FailureBody};
use crate::lists::FilterParams;
use crate::state::ApiState;

/// Headlines that are shown.
const SHOWN: u32 = 5;

/// The headlines that were seen most.
#[derive(Serialize, ToSchema)]
pub(super) struct TopCreativesView {
    /// Most viewed first.
    data: Vec<CreativeView>,
}

/// A headline of an advertiser.
#[derive(Serialize, ToSchema)]
struct CreativeView {
    domain: String,
    /// `ads` or `shopping`.
    #[serde(rename = "type")]
    kind: String,
    title: String,
    /// Countries it was seen in, ascending.
    countries: Vec<String>,
    views: u64,
}

/// The headlines of advertisers that are none of the brands' own with most views, whatever the country, the device and the engine. The filters
/// `domain`, `type` and `adTitle` show the views behind each.
#[utoipa::path(
    get, path = "/home/creatives", tag = "Monitoring",
    params(FilterParams<AdFilter>),
    responses(
        (status = 200, body = TopCreativesView),
        (status = 400, body = FailureBody, description = "No period, or a value that cannot be read"),
        (status = 401, body = FailureBody),
        (status = 408, body = FailureBody, description = "Too many results; narrow the filters"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn read_top_creatives(
    State(state): State<ApiState>,
    caller: Caller,
    Pairs(pairs): Pairs,
) -> Result<Json<TopCreativesView>, ApiError> {
    let question = HomeQuestion::read(&state, &caller, &pairs).await?;
    let mut of_others = question.filters.clone();
    of_others.push(own_ads(&state, &caller.scope, &question.filters, false).await?);
    let found = creatives::top(&state.analytics, &caller.scope, &of_others, SHOWN).await?;
    let data = found.into_iter().map(|creative| CreativeView {
        domain: creative.host,
        kind: creative.ad_kind,
        title: creative.headline,
        countries: creative.countries,
        views: creative.nb_views,
    });
    Ok(Json(TopCreativesView { data: data.collect() }))
}
