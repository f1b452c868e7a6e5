//! Ads and terms by day, with totals: `GET /advertisers/stats` and `GET /keywords/stats`.

use analytics::filter::{Comparison, Condition, Field, Filters, Operator};
use analytics::reports::domains::{self, DomainsQuery, Sort};
use analytics::reports::page::{Direction, Page};
use analytics::reports::stats::{self, DailyTerms, DailyViews};
use analytics::reports::terms::{self, TermsQuery};
use axum::Json;
use axum::extract::State;
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::access::Caller;
use crate::ad_filters;
use crate::extract::Query;
use crate::failure::{ApiError, FailureBody};
use crate::lists::ComparisonView;
use crate::state::ApiState;

/// Views per day and totals of a period.
#[derive(Serialize, ToSchema)]
pub(super) struct StatsView {
    /// Days with views, ascending.
    data: Vec<DayView>,
    meta: StatsMetaView,
}

/// Views of one day.
#[derive(Serialize, ToSchema)]
pub(super) struct DayView {
    /// The day, `YYYY-MM-DD` in the time zone asked for.
    date: String,
    views: u64,
    /// Views of text ads.
    ads: u64,
    /// Views of shopping ads.
    shopping: u64,
}

impl From<&DailyViews> for DayView {
    /// The local day: `views` is the sum of text and shopping ads, `ads` counts text ads only, `shopping` shopping ads.
    fn from(day: &DailyViews) -> Self {
        Self {
            date: day.local_day.to_string(),
            views: day.text_ads + day.shopping_ads,
            ads: day.text_ads,
            shopping: day.shopping_ads,
        }
    }
}

/// Totals of a period.
#[derive(Serialize, ToSchema)]
pub(super) struct StatsMetaView {
    #[serde(rename = "totalViews")]
    views: u64,
    /// Distinct ads, however often each was seen.
    #[serde(rename = "totalAds")]
    ads: u64,
    #[serde(rename = "totalDomains")]
    domains: u64,
    /// What the period is compared with: `previous=true` asks for the figures of that time. Null where nothing of it is over.
    compared: Option<ComparisonView>,
}

/// Terms with ads per day and totals of a period.
#[derive(Serialize, ToSchema)]
pub(super) struct KeywordStatsView {
    /// Days with ads, ascending.
    data: Vec<KeywordDayView>,
    meta: KeywordStatsMetaView,
}

/// Terms of one day.
#[derive(Serialize, ToSchema)]
pub(super) struct KeywordDayView {
    /// The day, `YYYY-MM-DD` in the time zone asked for.
    date: String,
    /// Terms on which an ad was seen.
    keywords: u64,
    /// Views on them.
    views: u64,
}

impl From<&DailyTerms> for KeywordDayView {
    /// The local day with its terms and views, as they are.
    fn from(day: &DailyTerms) -> Self {
        Self {
            date: day.local_day.to_string(),
            keywords: day.terms,
            views: day.views,
        }
    }
}

/// Totals of a period.
#[derive(Serialize, ToSchema)]
pub(super) struct KeywordStatsMetaView {
    #[serde(rename = "totalViews")]
    views: u64,
    /// Terms on which an ad was seen.
    #[serde(rename = "totalKeywords")]
    keywords: u64,
    /// As for the views.
    compared: Option<ComparisonView>,
}

/// The period to count.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase")]
pub(super) struct PeriodParams {
    /// First instant, ISO 8601.
    start_date: String,
    /// Last instant, ISO 8601.
    end_date: String,
    /// Where days begin, such as Europe/Paris; that of the settings by default.
    time_zone: Option<String>,
    /// Whether the time that the period is compared with is meant instead of the period.
    previous: Option<bool>,
}

/// A period, resolved at the time of the request.
struct StatsPeriod {
    filters: Filters,
    zone: Tz,
    compared: Option<Comparison>,
}

impl PeriodParams {
    /// Resolves the period into filters, a time zone and the time to compare it with. With `previous=true` the filters are those of that earlier
    /// time, and a period of which nothing is over is a `BadRequest`, as is a date or time zone that cannot be read.
    fn read(self, state: &ApiState) -> Result<StatsPeriod, ApiError> {
        let pairs: Vec<(String, String)> = self
            .time_zone
            .map(|name| ("timeZone".to_owned(), name))
            .into_iter()
            .collect();
        let zone = ad_filters::time_zone(state, &pairs)?;
        let ends = [self.start_date, self.end_date];
        let within = Condition::read(Field::Date, Operator::Between, &ends)
            .map_err(|bad| ApiError::BadRequest(format!("startDate, endDate: {bad}")))?;
        let filters: Filters = [within].into_iter().collect();
        let compared = filters.comparison(zone, state.clock.now());
        let filters = match (self.previous, &compared) {
            (Some(true), Some(compared)) => filters.within(compared.earlier_from, compared.earlier_until),
            (Some(true), None) => {
                return Err(ApiError::BadRequest(
                    "previous: nothing of the period is over, so there is nothing to compare".to_owned(),
                ));
            }
            _ => filters,
        };
        Ok(StatsPeriod {
            filters,
            zone,
            compared,
        })
    }
}

/// Ads seen per day within the reader's brands, days in the time zone asked for, with the totals of the period and the period that it compares with.
#[utoipa::path(
    get, path = "/advertisers/stats", tag = "Monitoring", params(PeriodParams),
    responses(
        (status = 200, body = StatsView),
        (status = 400, body = FailureBody, description = "A date that cannot be read"),
        (status = 401, body = FailureBody),
        (status = 408, body = FailureBody, description = "Too many results; shorten the period"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn count_views(
    State(state): State<ApiState>,
    caller: Caller,
    Query(period): Query<PeriodParams>,
) -> Result<Json<StatsView>, ApiError> {
    let StatsPeriod {
        filters,
        zone,
        compared,
    } = period.read(&state)?;
    let query = DomainsQuery {
        filters: filters.clone(),
        sort: Sort::default(),
        direction: Direction::default(),
        page: Page::Of { number: 1, size: 1 },
    };
    let (days, totals) = tokio::try_join!(
        stats::daily_views(&state.analytics, &caller.scope, &filters, zone),
        domains::list(&state.analytics, &caller.scope, &query),
    )?;
    Ok(Json(StatsView {
        data: days.iter().map(DayView::from).collect(),
        meta: StatsMetaView {
            views: totals.total_views,
            ads: totals.total_ads,
            domains: totals.total,
            compared: compared.map(ComparisonView::from),
        },
    }))
}

/// Terms with ads per day within the reader's brands, days in the time zone asked for, with the totals of the period and the period that it compares
/// with.
#[utoipa::path(
    get, path = "/keywords/stats", tag = "Monitoring", params(PeriodParams),
    responses(
        (status = 200, body = KeywordStatsView),
        (status = 400, body = FailureBody, description = "A date that cannot be read"),
        (status = 401, body = FailureBody),
        (status = 408, body = FailureBody, description = "Too many results; shorten the period"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn count_terms(
    State(state): State<ApiState>,
    caller: Caller,
    Query(period): Query<PeriodParams>,
) -> Result<Json<KeywordStatsView>, ApiError> {
    let StatsPeriod {
        filters,
        zone,
        compared,
    } = period.read(&state)?;
    let query = TermsQuery {
        filters: filters.clone(),
        sort: terms::Sort::default(),
        direction: Direction::default(),
        page: Page::Of { number: 1, size: 1 },
        officials: Vec::new(),
        places: Vec::new(),
    };
    let (days, totals) = tokio::try_join!(
        stats::daily_terms(&state.analytics, &caller.scope, &filters, zone),
        terms::list(&state.analytics, &caller.scope, &query),
    )?;
    Ok(Json(KeywordStatsView {
        data: days.iter().map(KeywordDayView::from).collect(),
        meta: KeywordStatsMetaView {
            views: totals.total_views,
            keywords: totals.total,
            compared: compared.map(ComparisonView::from),
        },
    }))
}
