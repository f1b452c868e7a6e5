//! `GET /home/presence`: when in the week others are present.

use std::collections::BTreeMap;

use analytics::reports::hours;
use axum::Json;
use axum::extract::State;
use postgres::captures::count_silent_hours_of_all;
use serde::Serialize;
use utoipa::ToSchema;

use super::question::{HomeQuestion, own_ads};
use crate::access::Caller;
use crate::ad_filters::AdFilter;
use crate::coverage::capture_query;
use crate::extract::Pairs;
use crate::failure::{ApiError, FailureBody};
use crate::lists::FilterParams;
use crate::state::ApiState;

/// When in the week others are present.
#[derive(Serialize, ToSchema)]
pub(super) struct PresenceView {
    /// Hours with captures, Monday first.
    data: Vec<PresenceOfHourView>,
}

/// One hour of every week.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PresenceOfHourView {
    /// 1 for Monday to 7 for Sunday.
    weekday: u8,
    /// 0 to 23.
    hour: u8,
    /// Captures that show an ad of somebody else.
    captures_with: u64,
    /// Captures of pages that answer their search.
    captures: u64,
}

/// By hour of the week: valid captures, and those among them that show an ad of a host that is none of the brands' own. Hours without any capture are
/// left out.
#[utoipa::path(
    get, path = "/home/presence", tag = "Monitoring",
    params(
        FilterParams<AdFilter>,
        ("timeZone" = Option<String>, Query, description = "Whose hours, such as Europe/Paris; those of the settings by default"),
    ),
    responses(
        (status = 200, body = PresenceView),
        (status = 400, body = FailureBody, description = "No period, or a value that cannot be read"),
        (status = 401, body = FailureBody),
        (status = 408, body = FailureBody, description = "Too many results; narrow the filters"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn read_presence(
    State(state): State<ApiState>,
    caller: Caller,
    Pairs(pairs): Pairs,
) -> Result<Json<PresenceView>, ApiError> {
    let question = HomeQuestion::read(&state, &caller, &pairs).await?;
    let (scope, zone) = (&caller.scope, question.zone);
    let silent_query = capture_query(&question.filters, zone);
    let (seen, silent) = tokio::try_join!(
        async {
            let others = own_ads(&state, scope, &question.filters, false).await?;
            Ok::<_, ApiError>(hours::presence(&state.analytics, scope, &question.filters, &others, zone).await?)
        },
        async { Ok(count_silent_hours_of_all(&state.postgres, scope, &silent_query).await?) },
    )?;
    let mut cells: BTreeMap<(u8, u8), (u64, u64)> = BTreeMap::new();
    for hour in seen {
        let cell = cells.entry((hour.weekday, hour.hour)).or_default();
        cell.0 += hour.with_others;
        cell.1 += hour.captures;
    }
    for hour in silent {
        cells.entry((hour.weekday, hour.hour)).or_default().1 += hour.captures;
    }
    let hours = cells
        .into_iter()
        .map(|((weekday, hour), (captures_with, captures))| PresenceOfHourView {
            weekday,
            hour,
            captures_with,
            captures,
        });
    Ok(Json(PresenceView { data: hours.collect() }))
}
