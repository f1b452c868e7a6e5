//! `GET /advertisement/hours`: when in the week the ads of a domain or term are seen, and how often they were looked for.

use std::collections::BTreeMap;

use analytics::reports::hours;
use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use super::ads::{self, SearchFilter};
use super::views::DataView;
use crate::access::Caller;
use crate::ad_filters;
use crate::extract::Pairs;
use crate::failure::{ApiError, FailureBody};
use crate::lists::FilterParams;
use crate::state::ApiState;
use crate::valid_captures;

/// One hour of every week.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct HourOfWeekView {
    /// 1 for Monday to 7 for Sunday.
    weekday: u8,
    /// 0 to 23.
    hour: u8,
    views: u64,
    /// Distinct ads, however often each was seen.
    ads: u64,
    /// Captures that show one of them.
    captures_with: u64,
    /// Valid captures: those that could have shown one.
    captures: u64,
}

impl HourOfWeekView {
    /// An hour of the week, given as weekday (1 for Monday to 7) and hour, without any figures yet.
    const fn at((weekday, hour): (u8, u8)) -> Self {
        Self {
            weekday,
            hour,
            views: 0,
            ads: 0,
            captures_with: 0,
            captures: 0,
        }
    }
}

/// By hour of the week, Monday first, in the time zone asked for: views, distinct ads, the captures that show one, and all valid captures. Hours
/// without any capture are left out.
#[utoipa::path(
    get, path = "/advertisement/hours", tag = "Monitoring",
    params(
        FilterParams<SearchFilter>,
        ("timeZone" = Option<String>, Query, description = "Whose hours, such as Europe/Paris; those of the settings by default"),
    ),
    responses(
        (status = 200, body = DataView<HourOfWeekView>),
        (status = 400, body = FailureBody, description = "Neither domain nor termId, or a value that cannot be read"),
        (status = 401, body = FailureBody),
        (status = 408, body = FailureBody, description = "Too many results; narrow the filters"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn hours_of_week(
    State(state): State<ApiState>,
    caller: Caller,
    Pairs(pairs): Pairs,
) -> Result<Json<DataView<HourOfWeekView>>, ApiError> {
    let query = ads::read(&state, &caller, &pairs).await?;
    let zone = ad_filters::time_zone(&state, &pairs)?;
    let (with_ads, captures) = tokio::try_join!(
        async { Ok::<_, ApiError>(hours::seen(&state.analytics, &caller.scope, &query.filters, zone).await?) },
        valid_captures::count(&state, &caller.scope, &query.filters, zone),
    )?;
    let mut cells: BTreeMap<(u8, u8), HourOfWeekView> = BTreeMap::new();
    for hour in captures {
        let at = (hour.weekday, hour.hour);
        cells.entry(at).or_insert_with(|| HourOfWeekView::at(at)).captures += hour.count;
    }
    for hour in with_ads {
        let at = (hour.weekday, hour.hour);
        let cell = cells.entry(at).or_insert_with(|| HourOfWeekView::at(at));
        cell.views = hour.views;
        cell.ads = hour.ads;
        cell.captures_with = hour.captures;
    }
    Ok(Json(DataView {
        data: cells.into_values().collect(),
    }))
}
