//! What brands saved: `GET /stop-go/savings`.

use axum::Json;
use axum::extract::State;
use chrono::{Days, NaiveDate};
use postgres::stop_go::days::{self, BrandSaving};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::access::Administrator;
use crate::extract::Query;
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// Google's figures come late: the last day that is shown (decision D197).
pub(super) const LATE_DAYS: u64 = 4;
const USUAL_DAYS: u64 = 30;

/// The period of savings.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct SavingsParams {
    /// The first day; 30 days before the last one if it is left out.
    first: Option<NaiveDate>,
    /// The last day, four days ago at the latest.
    last: Option<NaiveDate>,
}

/// What brands saved.
#[derive(Serialize, ToSchema)]
pub(super) struct SavingsView {
    data: Vec<SavingView>,
    meta: SavingsPeriod,
}

/// The days that were added up.
#[derive(Serialize, ToSchema)]
struct SavingsPeriod {
    first: NaiveDate,
    last: NaiveDate,
}

/// What a brand saved: a range, and beside it what it may have cost.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct SavingView {
    #[serde(rename = "brandID")]
    brand_id: i32,
    brand_label: String,
    stopped_hours: f64,
    /// Hours in which a rival was seen while a lane was stopped.
    harm_hours: f64,
    toggles: i64,
    /// Clicks that did not come at all, at most.
    lost_clicks: f64,
    net_low: f64,
    net_high: f64,
    /// `google`, `typed`, or `none` where nothing can be said in money.
    source: &'static str,
}

impl From<BrandSaving> for SavingView {
    fn from(saving: BrandSaving) -> Self {
        let hours = |seconds: i64| f64::from(i32::try_from(seconds).unwrap_or(i32::MAX)) / 3_600.0;
        Self {
            brand_id: saving.brand.0,
            brand_label: saving.label,
            stopped_hours: hours(saving.stopped_seconds),
            harm_hours: hours(saving.harm_seconds),
            toggles: saving.toggles,
            lost_clicks: saving.lost_clicks,
            net_low: saving.net_low,
            net_high: saving.net_high,
            source: match (saving.google_days, saving.typed_days) {
                (1.., _) => "google",
                (_, 1..) => "typed",
                _ => "none",
            },
        }
    }
}

/// What brands saved in a period that ends four days ago at the latest, by label.
#[utoipa::path(
    get, path = "/stop-go/savings", tag = "StopGo", params(SavingsParams),
    responses(
        (status = 200, body = SavingsView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 422, body = FailureBody, description = "No such period"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn list_savings(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    Query(params): Query<SavingsParams>,
) -> Result<Json<SavingsView>, ApiError> {
    let latest = state.clock.now().date_naive() - Days::new(LATE_DAYS);
    let last = params.last.map_or(latest, |last| last.min(latest));
    let usual = last.checked_sub_days(Days::new(USUAL_DAYS - 1));
    let first = params.first.or(usual).unwrap_or(last);
    if first > last {
        return Err(ApiError::of_field(
            "first",
            "is not after the last day, which is four days ago at the latest",
        ));
    }
    let found = days::of_brands(&state.postgres, &caller.scope, (first, last)).await?;
    Ok(Json(SavingsView {
        data: found.into_iter().map(SavingView::from).collect(),
        meta: SavingsPeriod { first, last },
    }))
}
