//! `GET /advertisement/hours`: when in the week the ads of a domain or term are seen, and how often they were looked for.

use std::collections::BTreeMap;

use analytics::reports::hours;
use axum::Json;
use axum::extract::State;

use super::ads::{self, SearchFilter};
use super::valid_captures;
use super::views::{DataView, HourOfWeekView};
use crate::access::Caller;
use crate::extract::Pairs;
use crate::failure::{ApiError, FailureBody};
use crate::lists::FilterParams;
use crate::state::ApiState;

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
    let zone = super::time_zone(&state, &pairs)?;
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
