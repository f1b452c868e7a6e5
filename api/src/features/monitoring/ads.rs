//! `GET /advertisement`: the ads of one domain or term, with their count and their file.

use analytics::filter::Field;
use analytics::reports::ads::{self, Ad, AdCount, AdsQuery, HourOfWeek};
use axum::Json;
use axum::extract::State;
use axum::response::Response;
use futures::TryStreamExt;
use postgres::captures;
use serde::Serialize;
use strum::{Display, EnumMessage, EnumString, VariantArray};
use url::form_urlencoded;
use utoipa::{IntoParams, ToSchema};
use vocabulary::CaptureId;

use super::views::AdvertisementView;
use crate::access::{Caller, Downloader};
use crate::ad_filters::{self, AdFilter};
use crate::coverage;
use crate::extract::Pairs;
use crate::failure::{ApiError, FailureBody};
use crate::list_file::{self, Cell, FileParams};
use crate::lists::{Filter, FilterForm, FilterParams, ListFilters, ListQuery};
use crate::state::ApiState;

const EXPORT: &str = "/api/advertisement/export";
/// Ads shown under a row.
const ADS: u32 = 50;
const MOST_ADS: u32 = 500;
/// What the search takes beside filters.
const OTHERS: [&str; 3] = ["weekday", "hour", "timeZone"];
/// Keys of the titles of columns.
const TITLES: [&str; 16] = [
    "monitoring:column.domain",
    "files:column.type",
    "files:column.title",
    "files:column.description",
    "files:column.displayUrl",
    "files:column.targetUrl",
    "files:column.price",
    "monitoring:filter.engine",
    "monitoring:filter.device",
    "monitoring:filter.country",
    "advertisers:filter.language",
    "portal:keywords",
    "portal:position",
    "monitoring:column.nbViews",
    "files:column.firstSeen",
    "files:column.lastSeen",
];

/// Distinct ads under the filters, however many are shown.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct AdvertisementCountView {
    count_advertisement: u64,
    count_shopping: u64,
    /// Whether the real positions of the text ads mix ranks over the whole page with older ones, which counted ads alone.
    real_positions_mixed: bool,
    /// All of them as a file; it is followed with a ticket of `POST /exportTickets`.
    #[serde(rename = "exportCSV")]
    export_csv: String,
}

impl AdvertisementCountView {
    /// Counts of text ads (`countAdvertisement`) and shopping ads; `export_csv` is the address of the file with both. Nothing is computed.
    fn new(count: AdCount, real_positions_mixed: bool, export_csv: String) -> Self {
        Self {
            count_advertisement: count.text_ads,
            count_shopping: count.shopping_ads,
            real_positions_mixed,
            export_csv,
        }
    }
}

/// A filter of this search: one of its own, or one of the lists of ads.
#[derive(Clone, Copy, Debug)]
pub(super) enum SearchFilter {
    Own(OwnFilter),
    OfLists(AdFilter),
}

/// A filter that this search spells in its own way.
#[derive(Clone, Copy, Debug, Display, EnumMessage, EnumString, VariantArray)]
#[strum(serialize_all = "camelCase")]
pub(super) enum OwnFilter {
    /// The first instant, ISO 8601.
    FromDate,
    /// The last instant, ISO 8601.
    EndDate,
    /// A text that the headline contains.
    Title,
    /// A text that the text of the ad contains.
    Description,
}

impl OwnFilter {
    /// The filter of the lists that it is short for, and what the brackets after that filter's name hold when the address has none: `contain`, or one
    /// end of `between`.
    const fn of_lists(self) -> (Field, &'static str) {
        match self {
            Self::FromDate => (Field::Date, "between][start"),
            Self::EndDate => (Field::Date, "between][end"),
            Self::Title => (Field::AdTitle, "contain"),
            Self::Description => (Field::AdDescription, "contain"),
        }
    }
}

impl ListFilters for SearchFilter {
    fn all() -> Vec<Self> {
        let own = OwnFilter::VARIANTS.iter().copied().map(Self::Own);
        own.chain(AdFilter::all().into_iter().map(Self::OfLists)).collect()
    }

    /// Own filters take values; the others are as in the lists.
    fn describe(&self) -> Filter {
        match self {
            Self::Own(filter) => Filter::new(filter, FilterForm::Values),
            Self::OfLists(filter) => filter.describe(),
        }
    }
}

/// The hour of the week that ads are looked for in; every hour by default.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes what `read_hour` reads")]
struct HourParams {
    /// With hour: only that hour of every week; 1 for Monday to 7.
    weekday: Option<u8>,
    /// 0 to 23.
    hour: Option<u8>,
    /// Where it is that hour, such as Europe/Paris; that of the settings by default.
    #[param(rename = "timeZone")]
    time_zone: Option<String>,
}

/// The most viewed ads of a domain or term within the reader's brands: `domain` or `termId` is needed.
#[utoipa::path(
    get, path = "/advertisement", tag = "Monitoring",
    params(
        FilterParams<SearchFilter>,
        ("limit" = Option<u32>, Query, description = "Ads at most: 50 by default, up to 500"),
        HourParams,
    ),
    responses(
        (status = 200, body = Vec<AdvertisementView>, description = "Most viewed first"),
        (status = 400, body = FailureBody, description = "Neither domain nor termId, or a value that cannot be read"),
        (status = 401, body = FailureBody),
        (status = 408, body = FailureBody, description = "Too many results; narrow the filters"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn search_ads(
    State(state): State<ApiState>,
    caller: Caller,
    Pairs(pairs): Pairs,
) -> Result<Json<Vec<AdvertisementView>>, ApiError> {
    let limit = read_limit(&pairs)?;
    let query = read(&state, &caller, &pairs).await?;
    let found = ads::most_viewed(&state.analytics, &caller.scope, &query, limit).await?;
    Ok(Json(shown(&state, found).await?))
}

/// Ads as answered, in their order, each with whether the page of its latest capture is still kept. An ad whose capture has no valid id counts as
/// without a page.
pub(super) async fn shown(state: &ApiState, found: Vec<Ad>) -> Result<Vec<AdvertisementView>, ApiError> {
    let captures: Vec<Option<CaptureId>> = found.iter().map(|ad| ad.capture.parse().map(CaptureId).ok()).collect();
    let named: Vec<CaptureId> = captures.iter().copied().flatten().collect();
    let with_page = captures::with_page(&state.postgres, &named).await?;
    let is_kept = |capture: Option<CaptureId>| capture.is_some_and(|capture| with_page.contains(&capture));
    let ads = found.into_iter().zip(captures);
    Ok(ads
        .map(|(ad, capture)| AdvertisementView::new(ad, is_kept(capture)))
        .collect())
}

/// How many text and shopping ads the same search finds, whether their real positions are mixed, and the address of their file. `limit` is ignored.
#[utoipa::path(
    get, path = "/advertisement/count", tag = "Monitoring",
    params(FilterParams<SearchFilter>, HourParams),
    responses(
        (status = 200, body = AdvertisementCountView),
        (status = 400, body = FailureBody, description = "Neither domain nor termId, or a value that cannot be read"),
        (status = 401, body = FailureBody),
        (status = 408, body = FailureBody, description = "Too many results; narrow the filters"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn count_ads(
    State(state): State<ApiState>,
    caller: Caller,
    Pairs(pairs): Pairs,
) -> Result<Json<AdvertisementCountView>, ApiError> {
    let query = read(&state, &caller, &pairs).await?;
    let (count, mixes_ranks) = tokio::try_join!(
        ads::count(&state.analytics, &caller.scope, &query),
        ads::mixes_ranks(&state.analytics, &caller.scope, &query),
    )?;
    let query_pairs = pairs.iter().filter(|(key, _)| key != "limit");
    let search = form_urlencoded::Serializer::new(String::new())
        .extend_pairs(query_pairs)
        .finish();
    Ok(Json(AdvertisementCountView::new(
        count,
        mixes_ranks,
        format!("{EXPORT}?{search}"),
    )))
}

/// All ads of the same search as a file, whatever `limit` says; its last rows are the coverage of the search. More rows than the settings allow break
/// the download off.
#[utoipa::path(
    get, path = "/advertisement/export", tag = "Monitoring",
    params(FileParams, FilterParams<SearchFilter>, HourParams),
    responses(
        (status = 200, body = String, content_type = "text/csv", description = "`ads-YYYY-MM-DD.csv`, or `.xlsx`"),
        (status = 400, body = FailureBody, description = "Neither domain nor termId, or a value that cannot be read"),
        (status = 401, body = FailureBody, description = "No valid session, or a ticket that was used, is too old or is for another link"),
        (status = 408, body = FailureBody, description = "Too many results; narrow the filters"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn export_ads(
    State(state): State<ApiState>,
    Downloader(caller): Downloader,
    Pairs(pairs): Pairs,
) -> Result<Response, ApiError> {
    let query = read(&state, &caller, &pairs).await?;
    let language = list_file::language(&pairs);
    let end = coverage::last_rows(&state, &caller.scope, query.filters.clone(), language);
    let most = state.settings.monitoring.most_exported_rows.saturating_add(1);
    let rows = ads::stream(&state.analytics, &caller.scope, &query, most)
        .map_ok(cells)
        .map_err(ApiError::from);
    list_file::download(&state, &pairs, "ads", list_file::titles(&pairs, &TITLES), rows, end).await
}

/// The cells of an ad, in the order of [`TITLES`]: the position with two decimals, the times in UTC.
fn cells(ad: Ad) -> Vec<Cell> {
    vec![
        Cell::Text(ad.domain),
        Cell::Text(ad.kind),
        Cell::Text(ad.title),
        Cell::Text(ad.description),
        Cell::Text(ad.display_url),
        Cell::Text(ad.target_url),
        Cell::Text(ad.price),
        Cell::Text(ad.engine),
        Cell::Text(ad.device),
        Cell::Text(ad.country),
        Cell::Text(ad.language),
        Cell::Text(ad.keywords.join(", ")),
        Cell::Number(format!("{:.2}", ad.position)),
        Cell::number(&ad.views),
        Cell::Time(ad.first_seen.to_rfc3339_opts(chrono::SecondsFormat::Secs, true)),
        Cell::Time(ad.last_seen.to_rfc3339_opts(chrono::SecondsFormat::Secs, true)),
    ]
}

/// Reads how many ads `limit` asks for; [`ADS`] without it, a `BadRequest` unless it is from 1 to [`MOST_ADS`].
pub(super) fn read_limit(pairs: &[(String, String)]) -> Result<u32, ApiError> {
    value(pairs, "limit").map_or(Ok(ADS), |text| number(text, "limit", 1..=MOST_ADS))
}

/// Reads the filters and the hour of the week of an ad search; page and order are ignored. A `BadRequest` when neither a domain nor a term is named,
/// a filter is unknown, or a value cannot be read.
pub(super) async fn read(state: &ApiState, caller: &Caller, pairs: &[(String, String)]) -> Result<AdsQuery, ApiError> {
    let list_query = ListQuery::read(&as_filters(pairs), &OTHERS)?;
    let filters = ad_filters::read_of::<SearchFilter>(state, &caller.scope, &list_query.filters).await?;
    if !filters.names(Field::Domain) && !filters.names(Field::Term) {
        return Err(ApiError::BadRequest(
            "domain: say whose ads are wanted, or which term's by termId".to_owned(),
        ));
    }
    Ok(AdsQuery {
        filters,
        hour: read_hour(state, pairs)?,
    })
}

/// Rewrites the filters that this search spells in its own way as those of lists spell them: `title=x` becomes `filters[adTitle][contain]=x`. An
/// operator in brackets and all other pairs stay as they are.
fn as_filters(pairs: &[(String, String)]) -> Vec<(String, String)> {
    let read = pairs.iter().map(|(key, value)| {
        let (name, rest) = key.find('[').map_or((key.as_str(), ""), |at| key.split_at(at));
        let Ok(own) = name.parse::<OwnFilter>() else {
            return (key.clone(), value.clone());
        };
        let (field, operator) = own.of_lists();
        let rest = match rest {
            "" | "[]" => format!("[{operator}]"),
            rest => rest.to_owned(),
        };
        (format!("filters[{field}]{rest}"), value.clone())
    });
    read.collect()
}

/// Reads the hour of the week from `weekday`, `hour` and `timeZone` (that of the settings by default). `None` unless both `weekday` and `hour` are
/// given; a `BadRequest` when one is out of range or the time zone is unknown.
fn read_hour(state: &ApiState, pairs: &[(String, String)]) -> Result<Option<HourOfWeek>, ApiError> {
    let (Some(weekday), Some(hour)) = (value(pairs, "weekday"), value(pairs, "hour")) else {
        return Ok(None);
    };
    Ok(Some(HourOfWeek {
        weekday: number(weekday, "weekday", 1..=7)?,
        hour: number(hour, "hour", 0..=23)?,
        zone: ad_filters::time_zone(state, pairs)?,
    }))
}

/// The first value of this name in the query; `None` when the query does not have it.
fn value<'a>(pairs: &'a [(String, String)], name: &str) -> Option<&'a str> {
    pairs
        .iter()
        .find(|(key, _)| key == name)
        .map(|(_, value)| value.as_str())
}

/// Parses a number; a `BadRequest` unless it is within the range.
fn number<T>(text: &str, name: &str, range: std::ops::RangeInclusive<T>) -> Result<T, ApiError>
where
    T: std::str::FromStr + PartialOrd + std::fmt::Display,
{
    let read = text.parse().ok().filter(|number| range.contains(number));
    read.ok_or_else(|| ApiError::BadRequest(format!("{name}: a number from {} to {}", range.start(), range.end())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_stand_for_the_filters_of_lists() {
        for (key, filter) in [
            ("fromDate", "filters[date][between][start]"),
            ("endDate", "filters[date][between][end]"),
            ("title", "filters[adTitle][contain]"),
            ("title[exclude]", "filters[adTitle][exclude]"),
        ] {
            let read = as_filters(&[(key.to_owned(), "x".to_owned())]);
            assert_eq!(read, [(filter.to_owned(), "x".to_owned())], "{key}");
        }
        // Other names are left to the query of lists, which refuses what it does not know.
        for name in ["limit", "domain", "brandId[nin][]", "position[start]"] {
            let other = [(name.to_owned(), "50".to_owned())];
            assert_eq!(as_filters(&other), other);
        }
    }
}
