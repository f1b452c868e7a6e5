//! Figures of an item: by day and keyword, by day, and by keyword.

use std::collections::BTreeMap;

use analytics::reports::page::Page;
use axum::Json;
use axum::extract::State;
use axum::response::Response;
use chrono::NaiveDate;
use futures::stream;
use postgres::google::{self, StatRow};
use serde::Serialize;
use utoipa::ToSchema;

use super::item;
use super::statistics_query::{StatisticsParams, read};
use super::views::GoogleMetaView;
use crate::access::{Administrator, AdministratorDownloader};
use crate::extract::{Pairs, Path};
use crate::failure::{ApiError, FailureBody};
use crate::list_file::{self, Cell, FileParams};
use crate::lists::{self, LinksView};
use crate::state::ApiState;

/// Rows of one answer.
const MOST_ROWS: i64 = 50_000;
/// Keys of the titles of the file.
const TITLES: [&str; 10] = [
    "google:column.date",
    "google:column.keyword",
    "google:column.country",
    "google:column.seoImpressions",
    "google:column.seoClicks",
    "google:column.seaImpressions",
    "google:column.seaClicks",
    "google:column.cost",
    "google:column.currency",
    "google:column.final",
];
const MICROS: i64 = 1_000_000;

/// Figures by day and keyword.
#[derive(Serialize, ToSchema)]
pub(super) struct GoogleStatisticsView {
    data: Vec<GoogleStatisticView>,
    meta: GoogleMetaView,
    links: LinksView,
}

/// A day of a keyword. The side without figures is 0, without an id (decision D123).
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct GoogleStatisticView {
    date: NaiveDate,
    /// Null once the term was deleted.
    #[serde(rename = "keywordID")]
    keyword: Option<i32>,
    content: String,
    /// Two letters of the country.
    country: String,
    /// Unpaid, of Search Console, by days in Pacific time.
    #[serde(rename = "SEO")]
    seo: GoogleFiguresView,
    /// Paid, of Google Ads, by days in the time zone of the account. Google keeps back words that few people search.
    #[serde(rename = "SEA")]
    sea: GoogleFiguresView,
    /// What the clicks on ads cost, in millionths of the currency.
    cost_micros: i64,
    currency: Option<String>,
    /// Whether Google no longer changes the figures.
    is_final: bool,
}

/// Figures of one source.
#[derive(Serialize, ToSchema)]
struct GoogleFiguresView {
    /// By which it is purged; null without figures.
    #[serde(rename = "ID")]
    id: Option<i32>,
    impressions: i64,
    clicks: i64,
}

impl From<StatRow> for GoogleStatisticView {
    fn from(row: StatRow) -> Self {
        Self {
            date: row.date,
            keyword: row.term,
            content: row.content,
            country: row.country,
            seo: GoogleFiguresView {
                id: row.seo_id,
                impressions: row.seo_impressions,
                clicks: row.seo_clicks,
            },
            sea: GoogleFiguresView {
                id: row.sea_id,
                impressions: row.sea_impressions,
                clicks: row.sea_clicks,
            },
            cost_micros: row.cost_micros,
            currency: row.currency,
            is_final: row.is_final,
        }
    }
}

/// The figures of an item by day and keyword, newest first. Takes `page[size]` (30; 0: all) and `page[number]` beside the parameters.
#[utoipa::path(
    get, path = "/google/{id}/statistics", tag = "Google",
    params(("id" = i32, Path, description = "Id of the item"), StatisticsParams),
    responses(
        (status = 200, body = GoogleStatisticsView),
        (status = 400, body = FailureBody, description = "A value that cannot be read; the message names it"),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 404, body = FailureBody, description = "No such item"),
        (status = 408, body = FailureBody, description = "Too many results; narrow the filters"),
        (status = 422, body = FailureBody, description = "Days that cannot be; by field"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn list_rows(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    Path(id): Path<i32>,
    Pairs(pairs): Pairs,
) -> Result<Json<GoogleStatisticsView>, ApiError> {
    item(&state, &caller, id).await?;
    let (filter, page) = read(&pairs, id, state.clock.now().date_naive())?;
    let window = match page {
        Page::All => (0, Some(MOST_ROWS + 1)),
        Page::Of { number, size } => (i64::from(number - 1) * i64::from(size), Some(i64::from(size))),
    };
    let (rows, total) = tokio::try_join!(
        google::stat_rows(&state.postgres, &caller.scope, &filter, window),
        google::count_stats(&state.postgres, &caller.scope, &filter),
    )?;
    if i64::try_from(rows.len()).unwrap_or(i64::MAX) > MOST_ROWS {
        return Err(ApiError::TooManyResults);
    }
    let path = format!("/api/google/{id}/statistics");
    Ok(Json(GoogleStatisticsView {
        data: rows.into_iter().map(GoogleStatisticView::from).collect(),
        meta: GoogleMetaView {
            page: lists::place(page, total).with_totals(None),
        },
        links: lists::links(&path, &pairs, page, total),
    }))
}

/// The same figures as a file.
#[utoipa::path(
    get, path = "/google/{id}/statistics/export", tag = "Google",
    params(("id" = i32, Path, description = "Id of the item"), StatisticsParams, FileParams),
    responses(
        (status = 200, body = String, content_type = "text/csv", description = "`google-statistics-YYYY-MM-DD.csv`, or `.xlsx`"),
        (status = 400, body = FailureBody, description = "A value that cannot be read; the message names it"),
        (status = 401, body = FailureBody, description = "No valid session, or a ticket that was used, is too old or is for another link"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 404, body = FailureBody, description = "No such item"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn export_rows(
    State(state): State<ApiState>,
    AdministratorDownloader(caller): AdministratorDownloader,
    Path(id): Path<i32>,
    Pairs(pairs): Pairs,
) -> Result<Response, ApiError> {
    item(&state, &caller, id).await?;
    let (filter, _) = read(&pairs, id, state.clock.now().date_naive())?;
    let most = i64::from(state.settings.monitoring.most_exported_rows) + 1;
    let rows = google::stat_rows(&state.postgres, &caller.scope, &filter, (0, Some(most))).await?;
    let rows = stream::iter(rows.into_iter().map(|row| Ok(cells(row))));
    let titles = list_file::titles(&pairs, &TITLES);
    list_file::download(&state, &pairs, "google-statistics", titles, rows, stream::empty()).await
}

/// Figures by day.
#[derive(Serialize, ToSchema)]
pub(super) struct GoogleDaysView {
    data: Vec<GoogleDayView>,
}

/// The figures of a day, added up over keywords.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct GoogleDayView {
    date: NaiveDate,
    seo_impressions: i64,
    seo_clicks: i64,
    sea_impressions: i64,
    sea_clicks: i64,
    /// Whether Google no longer changes them.
    is_final: bool,
}

/// The figures of an item by day, oldest first.
#[utoipa::path(
    get, path = "/google/{id}/statistics/days", tag = "Google",
    params(("id" = i32, Path, description = "Id of the item"), StatisticsParams),
    responses(
        (status = 200, body = GoogleDaysView),
        (status = 400, body = FailureBody, description = "A value that cannot be read; the message names it"),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 404, body = FailureBody, description = "No such item"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn list_days(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    Path(id): Path<i32>,
    Pairs(pairs): Pairs,
) -> Result<Json<GoogleDaysView>, ApiError> {
    item(&state, &caller, id).await?;
    let (filter, _) = read(&pairs, id, state.clock.now().date_naive())?;
    let found = google::daily(&state.postgres, &caller.scope, &filter).await?;
    let days = found.into_iter().map(|day| GoogleDayView {
        date: day.date,
        seo_impressions: day.seo_impressions,
        seo_clicks: day.seo_clicks,
        sea_impressions: day.sea_impressions,
        sea_clicks: day.sea_clicks,
        is_final: day.is_final,
    });
    Ok(Json(GoogleDaysView { data: days.collect() }))
}

/// Figures by keyword.
#[derive(Serialize, ToSchema)]
pub(super) struct KeywordStatisticsView {
    data: Vec<KeywordStatisticView>,
}

/// The days of a keyword.
#[derive(Serialize, ToSchema)]
#[schema(as = GoogleKeywordStatisticView)]
struct KeywordStatisticView {
    /// Null once the term was deleted.
    #[serde(rename = "keywordID")]
    keyword: Option<i32>,
    content: String,
    /// The newest day first.
    stats: Vec<GoogleStatisticView>,
}

/// The figures of an item grouped by keyword, in the order of their ids. Takes `customerConfigID` beside the parameters.
#[utoipa::path(
    get, path = "/google/keyword/stats", tag = "Google",
    params(("customerConfigID" = i32, Query, description = "Id of the item"), StatisticsParams),
    responses(
        (status = 200, body = KeywordStatisticsView),
        (status = 400, body = FailureBody, description = "A value that cannot be read; the message names it"),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 404, body = FailureBody, description = "No such item"),
        (status = 408, body = FailureBody, description = "Too many results; narrow the filters"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn group_by_keyword(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    Pairs(pairs): Pairs,
) -> Result<Json<KeywordStatisticsView>, ApiError> {
    let id = pairs.iter().find(|(key, _)| key == "customerConfigID");
    let id = id
        .and_then(|(_, value)| value.parse().ok())
        .ok_or_else(|| ApiError::BadRequest("customerConfigID: it is the id of an item".to_owned()))?;
    item(&state, &caller, id).await?;
    let (filter, _) = read(&pairs, id, state.clock.now().date_naive())?;
    let rows = google::stat_rows(&state.postgres, &caller.scope, &filter, (0, Some(MOST_ROWS + 1))).await?;
    if i64::try_from(rows.len()).unwrap_or(i64::MAX) > MOST_ROWS {
        return Err(ApiError::TooManyResults);
    }
    let mut groups: BTreeMap<Option<i32>, KeywordStatisticView> = BTreeMap::new();
    for row in rows {
        let group = groups.entry(row.term).or_insert_with(|| KeywordStatisticView {
            keyword: row.term,
            content: row.content.clone(),
            stats: Vec::new(),
        });
        group.stats.push(row.into());
    }
    Ok(Json(KeywordStatisticsView {
        data: groups.into_values().collect(),
    }))
}

fn cells(row: StatRow) -> Vec<Cell> {
    let micros = row.cost_micros % MICROS;
    let cost = format!("{}.{micros:06}", row.cost_micros / MICROS);
    vec![
        Cell::Text(row.date.to_string()),
        Cell::Text(row.content),
        Cell::Text(row.country),
        Cell::number(&row.seo_impressions),
        Cell::number(&row.seo_clicks),
        Cell::number(&row.sea_impressions),
        Cell::number(&row.sea_clicks),
        Cell::Number(cost),
        Cell::Text(row.currency.unwrap_or_default()),
        Cell::Text(row.is_final.to_string()),
    ]
}
