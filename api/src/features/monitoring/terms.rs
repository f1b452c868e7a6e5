//! The Terms list: `GET /Sems/groupTerms`, and its file.

use std::collections::BTreeMap;
use std::sync::Arc;

use analytics::reports::terms::{self, Sort, TermRow, TermsQuery};
use axum::Json;
use axum::extract::State;
use axum::response::Response;
use postgres::categories::{self, PutTag};
use postgres::{brands, localizations, partners};
use serde::Serialize;
use utoipa::ToSchema;
use vocabulary::{BrandId, LocalizationId, Scope, TermId};

use super::views::ListMetaView;
use crate::access::{Caller, Downloader};
use crate::ad_filters::{self, AdFilter};
use crate::coverage;
use crate::extract::Pairs;
use crate::failure::{ApiError, FailureBody};
use crate::list_file::{self, Cell, FileParams};
use crate::lists::{self, FilterParams, LinksView, ListQuery, PageParams, SortParams, TagView};
use crate::state::ApiState;

const PATH: &str = "/api/Sems/groupTerms";
/// Keys of the titles of columns, as the screen has them; the place is in three.
const TITLES: [&str; 10] = [
    "terms:column.locale",
    "files:column.city",
    "files:column.region",
    "terms:column.engine",
    "terms:column.content",
    "monitoring:column.brand",
    "terms:column.nbCompetitors",
    "monitoring:column.nbAds",
    "monitoring:column.nbViews",
    "monitoring:column.tags",
];

/// A page of terms.
#[derive(Serialize, ToSchema)]
pub(super) struct TermsView {
    data: Vec<TermView>,
    meta: ListMetaView,
    links: LinksView,
}

/// One term over the filtered ads.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct TermView {
    /// The term as a text: it names the row.
    id: String,
    term_id: i32,
    /// The words it searches for.
    content: String,
    /// What its brand is called; null where it has none that the reader sees.
    brand: Option<String>,
    /// `language_COUNTRY`; null where the place is gone.
    locale: Option<String>,
    /// `google` or `bing`.
    engine: String,
    /// City it is searched from.
    localization: Option<String>,
    /// The targeted place.
    region: Option<String>,
    /// Distinct domains but the brand's own.
    nb_competitors: u64,
    /// Distinct ads, however often each was seen.
    nb_ads: u64,
    /// Ads seen, each capture counted.
    nb_views: u64,
    /// The tags of the term that the reader sees.
    categories: Vec<TagView>,
}

impl TermView {
    /// Builds one row of the list of terms; the tags keep their order, `brand` is the label of the brand. Without `place`, locale and city are null;
    /// the region is null only when it is empty.
    fn new(row: TermRow, brand: Option<String>, place: Option<&SearchedPlace>, tags: Vec<PutTag>) -> Self {
        Self {
            id: row.id.to_string(),
            term_id: row.id.0,
            content: row.content,
            brand,
            locale: place.and_then(|place| place.locale.clone()),
            engine: row.engine,
            localization: place.and_then(|place| place.name.clone()),
            region: Some(row.region).filter(|region| !region.is_empty()),
            nb_competitors: row.nb_competitors,
            nb_ads: row.nb_ads,
            nb_views: row.nb_views,
            categories: tags.into_iter().map(TagView::from).collect(),
        }
    }
}

/// A localization as the list shows it.
struct SearchedPlace {
    locale: Option<String>,
    name: Option<String>,
}

type Places = BTreeMap<LocalizationId, SearchedPlace>;

/// A page of the terms whose ads the reader sees, with brand, place and tags, and with the totals of all that the filters leave.
#[utoipa::path(
    get,
    path = "/Sems/groupTerms",
    tag = "Monitoring",
    params(PageParams, SortParams<Sort>, FilterParams<AdFilter>),
    responses(
        (status = 200, body = TermsView, description = "A page of terms"),
        (status = 400, body = FailureBody, description = "A value that cannot be read; the message names it"),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 408, body = FailureBody, description = "Too many results; narrow the filters"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn group_terms(
    State(state): State<ApiState>,
    caller: Caller,
    Pairs(pairs): Pairs,
) -> Result<Json<TermsView>, ApiError> {
    let (query, places) = read_query(&state, &caller, &pairs).await?;
    let found = terms::list(&state.analytics, &caller.scope, &query).await?;
    let ids: Vec<TermId> = found.rows.iter().map(|row| row.id).collect();
    let (mut tags, mut brands) = tokio::try_join!(
        categories::tags_of_terms(&state.postgres, &caller.scope, &ids),
        postgres::terms::brand_labels(&state.postgres, &caller.scope, &ids),
    )?;
    let data = found.rows.into_iter().map(|row| {
        let tags = tags.remove(&row.id).unwrap_or_default();
        let place = places.get(&row.localization);
        let brand = brands.remove(&row.id);
        TermView::new(row, brand, place, tags)
    });
    Ok(Json(TermsView {
        data: data.collect(),
        meta: ListMetaView {
            page: lists::place(query.page, found.total).with_totals(Some((found.total_views, found.total_ads))),
        },
        links: lists::links(PATH, &pairs, query.page, found.total),
    }))
}

/// The same terms as a file: every page of them, in the order asked for, then rows with the coverage.
#[utoipa::path(
    get,
    path = "/Sems/groupTerms/export",
    tag = "Monitoring",
    params(FileParams, SortParams<Sort>, FilterParams<AdFilter>),
    responses(
        (status = 200, body = String, content_type = "text/csv", description = "`terms-YYYY-MM-DD.csv`, or `.xlsx`"),
        (status = 400, body = FailureBody, description = "A value that cannot be read; the message names it"),
        (status = 401, body = FailureBody, description = "No valid session, or a ticket that was used, is too old or is for another link"),
        (status = 408, body = FailureBody, description = "Too many results; narrow the filters"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn export_terms(
    State(state): State<ApiState>,
    Downloader(caller): Downloader,
    Pairs(pairs): Pairs,
) -> Result<Response, ApiError> {
    let (query, places) = read_query(&state, &caller, &pairs).await?;
    let language = list_file::language(&pairs);
    let end = coverage::last_rows(&state, &caller.scope, query.filters.clone(), language);
    let most = state.settings.monitoring.most_exported_rows.saturating_add(1);
    let found = terms::all(&state.analytics, &caller.scope, &query, most).await?;
    let (postgres, places) = (state.postgres.clone(), Arc::new(places));
    let rows = list_file::look_up_cells(found, move |rows| {
        cells(postgres.clone(), caller.scope.clone(), Arc::clone(&places), rows)
    });
    list_file::download(&state, &pairs, "terms", list_file::titles(&pairs, &TITLES), rows, end).await
}

/// The cells of each term, in the order of [`TITLES`], with the brand and tags that the scope sees; empty where there are none or the localization is
/// gone. The rows keep their order.
async fn cells(
    postgres: postgres::Pool,
    scope: Scope,
    places: Arc<Places>,
    rows: Vec<TermRow>,
) -> Result<Vec<Vec<Cell>>, ApiError> {
    let ids: Vec<TermId> = rows.iter().map(|row| row.id).collect();
    let (mut tags, mut brands) = tokio::try_join!(
        categories::tags_of_terms(&postgres, &scope, &ids),
        postgres::terms::brand_labels(&postgres, &scope, &ids),
    )?;
    let cells = rows.into_iter().map(|row| {
        let tags = tags.remove(&row.id).unwrap_or_default();
        let brand = brands.remove(&row.id).unwrap_or_default();
        let place = places.get(&row.localization);
        vec![
            Cell::Text(place.and_then(|place| place.locale.clone()).unwrap_or_default()),
            Cell::Text(place.and_then(|place| place.name.clone()).unwrap_or_default()),
            Cell::Text(row.region),
            Cell::Text(row.engine),
            Cell::Text(row.content),
            Cell::Text(brand),
            Cell::number(&row.nb_competitors),
            Cell::number(&row.nb_ads),
            Cell::number(&row.nb_views),
            lists::tags_cell(tags),
        ]
    });
    Ok(cells.collect())
}

/// The query of a list of terms, with the official domains of the brands that the caller sees, and all places by the id of their localization. A `BadRequest` names a
/// filter or column that cannot be read.
async fn read_query(
    state: &ApiState,
    caller: &Caller,
    pairs: &[(String, String)],
) -> Result<(TermsQuery, Places), ApiError> {
    let list_query = ListQuery::read(pairs, &[])?;
    let localizations = localizations::in_order(&state.postgres).await?;
    let query = TermsQuery {
        filters: ad_filters::read(state, &caller.scope, &list_query.filters).await?,
        sort: lists::read_sort(list_query.sort.as_deref())?,
        direction: list_query.direction,
        page: list_query.page,
        officials: own_and_partners(state, caller).await?,
        places: localizations.iter().map(|localization| localization.id).collect(),
    };
    let mut names = localizations::names(&localizations);
    let places = localizations.into_iter().map(|localization| {
        let place = SearchedPlace {
            name: names.remove(&localization.id).filter(|name| !name.is_empty()),
            locale: localization.locale,
        };
        (localization.id, place)
    });
    Ok((query, places.collect()))
}

/// Pairs of brand and domain of what is no competitor: the official domains of the brands that the caller sees, and their present partners.
async fn own_and_partners(state: &ApiState, caller: &Caller) -> Result<Vec<(BrandId, String)>, ApiError> {
    let today = state.clock.now().date_naive();
    let mut domains = brands::all_official_domains(&state.postgres, &caller.scope).await?;
    for (brand, partners) in partners::of_all_brands(&state.postgres, &caller.scope).await? {
        domains.extend(partners.lasting_on(today).map(|domain| (brand, domain.to_owned())));
    }
    Ok(domains)
}
