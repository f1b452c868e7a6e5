//! `GET /captureUse`: captures planned and made for company accounts in the month, and their quotas.

use axum::Json;
use axum::extract::State;
use chrono::{DateTime, Datelike, NaiveTime, Utc};
use postgres::capture_quotas;
use schedules::quotas;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use vocabulary::{CompanyAccountId, SystemScope};

use crate::access::Caller;
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// Counts for accounts that the caller sees.
const SCOPE: SystemScope = SystemScope::new("counting the captures of company accounts");

/// The operations of this slice.
pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(list_capture_use))
}

/// Captures of the caller's company accounts.
#[derive(Serialize, ToSchema)]
struct CaptureUsesView {
    /// When the month begins that captures are counted from (UTC).
    since: DateTime<Utc>,
    data: Vec<CaptureUseView>,
}

/// Captures of the terms of one company account.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct CaptureUseView {
    #[serde(rename = "companyAccountID")]
    company_account_id: i32,
    name: String,
    /// Captures that may be planned in a month; null without a limit.
    quota: Option<u64>,
    /// Captures that are planned in a month of 732 hours.
    planned: u64,
    /// Captures that were stored in this month.
    used: u64,
}

/// For each company account that the caller sees: how many captures its terms are planned to make in a month, how many they have made in this one, and
/// how many may be planned. A company user sees the own account, staff sees all.
#[utoipa::path(
    get, path = "/captureUse", tag = "CompanyAccount",
    responses((status = 200, body = CaptureUsesView), (status = 401, body = FailureBody)),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn list_capture_use(State(state): State<ApiState>, caller: Caller) -> Result<Json<CaptureUsesView>, ApiError> {
    let now = state.clock.now();
    let since = beginning_of_month(now);
    let accounts = capture_quotas::visible(&state.postgres, &caller.scope).await?;
    let ids: Vec<CompanyAccountId> = accounts.iter().map(|quota| quota.account).collect();
    let planned = quotas::planned(&state.postgres, &ids, now).await?;
    let used = capture_quotas::used(&state.postgres, &SCOPE, &ids, since).await?;
    let data = accounts.into_iter().map(|quota| {
        let used = used.iter().find(|(account, _)| *account == quota.account);
        CaptureUseView {
            company_account_id: quota.account.0,
            name: quota.name,
            quota: quota.captures,
            planned: planned.get(&quota.account).copied().unwrap_or_default(),
            used: used.map_or(0, |(_, captures)| *captures),
        }
    });
    Ok(Json(CaptureUsesView {
        since,
        data: data.collect(),
    }))
}

/// The first instant of the month of `now` in UTC.
fn beginning_of_month(now: DateTime<Utc>) -> DateTime<Utc> {
    let day = now.date_naive();
    let first = day.with_day(1).unwrap_or(day);
    first.and_time(NaiveTime::MIN).and_utc()
}
