//! The tables of Stop and Go as files.

use axum::extract::State;
use axum::response::Response;
use chrono::{Days, NaiveDate};
use futures::stream;
use postgres::stop_go::brands::{self, StopGoBrand};
use postgres::stop_go::days::{self, BrandSaving};
use postgres::stop_go::keywords::{self, KeywordQuery, StopGoKeyword};

use super::savings::LATE_DAYS;
use crate::access::AdministratorDownloader;
use crate::extract::Pairs;
use crate::failure::{ApiError, FailureBody};
use crate::list_file::{self, Cell, FileParams};
use crate::state::ApiState;

/// Days of the savings in a file: those of the screen.
const SAVINGS_DAYS: u64 = 30;

const BRAND_TITLES: [&str; 5] = [
    "stopGo:brand",
    "stopGo:domains",
    "stopGo:created",
    "stopGo:enabled",
    "stopGo:mode",
];
const KEYWORD_TITLES: [&str; 10] = [
    "stopGo:brand",
    "stopGo:keyword",
    "stopGo:location",
    "stopGo:averageCTR",
    "stopGo:averageCPC",
    "stopGo:created",
    "stopGo:excluded",
    "stopGo:enabled",
    "stopGo:status",
    "stopGo:refusal",
];
const SAVING_TITLES: [&str; 8] = [
    "stopGo:brand",
    "stopGo:stoppedHours",
    "stopGo:harmHours",
    "stopGo:toggles",
    "stopGo:lost",
    "stopGo:savingLow",
    "stopGo:savingHigh",
    "stopGo:googleDays",
];

/// The brands with Stop and Go as a file.
#[utoipa::path(
    get, path = "/stop-go/brand/export", tag = "StopGo", params(FileParams),
    responses(
        (status = 200, body = String, content_type = "text/csv", description = "`stop-go-brands-YYYY-MM-DD.csv`, or `.xlsx`"),
        (status = 400, body = FailureBody, description = "A value that cannot be read; the message names it"),
        (status = 401, body = FailureBody, description = "No valid session, or a ticket that was used, is too old or is for another link"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn export_stop_go_brands(
    State(state): State<ApiState>,
    AdministratorDownloader(caller): AdministratorDownloader,
    Pairs(pairs): Pairs,
) -> Result<Response, ApiError> {
    let found = brands::list(&state.postgres, &caller.scope, None).await?;
    let rows = stream::iter(found.into_iter().map(|brand| Ok(brand_cells(brand))));
    let titles = list_file::titles(&pairs, &BRAND_TITLES);
    list_file::download(&state, &pairs, "stop-go-brands", titles, rows, stream::empty()).await
}

/// The keywords with Stop and Go as a file.
#[utoipa::path(
    get, path = "/stop-go/keyword/export", tag = "StopGo", params(FileParams),
    responses(
        (status = 200, body = String, content_type = "text/csv", description = "`stop-go-keywords-YYYY-MM-DD.csv`, or `.xlsx`"),
        (status = 400, body = FailureBody, description = "A value that cannot be read; the message names it"),
        (status = 401, body = FailureBody, description = "No valid session, or a ticket that was used, is too old or is for another link"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn export_stop_go_keywords(
    State(state): State<ApiState>,
    AdministratorDownloader(caller): AdministratorDownloader,
    Pairs(pairs): Pairs,
) -> Result<Response, ApiError> {
    let all = KeywordQuery {
        only: None,
        brand: None,
        company: None,
    };
    let found = keywords::list(&state.postgres, &caller.scope, all).await?;
    let rows = stream::iter(found.into_iter().map(|keyword| Ok(keyword_cells(keyword))));
    let titles = list_file::titles(&pairs, &KEYWORD_TITLES);
    list_file::download(&state, &pairs, "stop-go-keywords", titles, rows, stream::empty()).await
}

/// What brands saved in the days of the screen, as a file.
#[utoipa::path(
    get, path = "/stop-go/savings/export", tag = "StopGo", params(FileParams),
    responses(
        (status = 200, body = String, content_type = "text/csv", description = "`stop-go-savings-YYYY-MM-DD.csv`, or `.xlsx`"),
        (status = 400, body = FailureBody, description = "A value that cannot be read; the message names it"),
        (status = 401, body = FailureBody, description = "No valid session, or a ticket that was used, is too old or is for another link"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn export_savings(
    State(state): State<ApiState>,
    AdministratorDownloader(caller): AdministratorDownloader,
    Pairs(pairs): Pairs,
) -> Result<Response, ApiError> {
    let last: NaiveDate = state.clock.now().date_naive() - Days::new(LATE_DAYS);
    let span = (last - Days::new(SAVINGS_DAYS - 1), last);
    let found = days::of_brands(&state.postgres, &caller.scope, span).await?;
    let rows = stream::iter(found.into_iter().map(|saving| Ok(saving_cells(saving))));
    let titles = list_file::titles(&pairs, &SAVING_TITLES);
    list_file::download(&state, &pairs, "stop-go-savings", titles, rows, stream::empty()).await
}

fn brand_cells(brand: StopGoBrand) -> Vec<Cell> {
    vec![
        Cell::Text(brand.label),
        Cell::Text(brand.domains.join(" ")),
        Cell::Time(brand.created.to_rfc3339()),
        Cell::Text(brand.is_enabled.to_string()),
        Cell::Text(brand.options.mode),
    ]
}

fn keyword_cells(keyword: StopGoKeyword) -> Vec<Cell> {
    let lane = keyword.lane;
    vec![
        Cell::Text(keyword.brand_label),
        Cell::Text(keyword.words),
        Cell::Text(keyword.iso2),
        Cell::Text(keyword.average_ctr.unwrap_or_default()),
        Cell::Text(keyword.average_cpc.unwrap_or_default()),
        Cell::Time(keyword.created.to_rfc3339()),
        Cell::Text(lane.observed.unwrap_or(false).to_string()),
        Cell::Text(keyword.enable.to_string()),
        Cell::Text(lane.state),
        Cell::Text(lane.refused.unwrap_or_default()),
    ]
}

fn saving_cells(saving: BrandSaving) -> Vec<Cell> {
    let hours = |seconds: i64| {
        Cell::Number(format!(
            "{:.2}",
            f64::from(i32::try_from(seconds).unwrap_or(i32::MAX)) / 3_600.0
        ))
    };
    let amount = |value: f64| Cell::Number(format!("{value:.2}"));
    vec![
        Cell::Text(saving.label),
        hours(saving.stopped_seconds),
        hours(saving.harm_seconds),
        Cell::number(&saving.toggles),
        amount(saving.lost_clicks),
        amount(saving.net_low),
        amount(saving.net_high),
        Cell::number(&saving.google_days),
    ]
}
