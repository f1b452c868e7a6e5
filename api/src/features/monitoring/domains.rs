//! The Domains list: `GET /Sems/findAdvertisers`, and its file.

use std::collections::BTreeMap;
use std::sync::Arc;

use analytics::reports::domains::{self, DomainRow, DomainsQuery, Sort};
use axum::Json;
use axum::extract::State;
use axum::response::Response;
use postgres::categories::{self, DomainTag};
use serde::Serialize;
use utoipa::ToSchema;
use vocabulary::Language;

use super::views::ListMetaView;
use crate::access::{Caller, Downloader};
use crate::ad_filters::{self, AdFilter};
use crate::coverage;
use crate::extract::Pairs;
use crate::failure::{ApiError, FailureBody};
use crate::list_file::{self, Cell, FileParams};
use crate::lists::{self, FilterParams, LinksView, ListQuery, PageParams, SeenPartners, SortParams, TagView};
use crate::state::ApiState;

const PATH: &str = "/api/Sems/findAdvertisers";
/// Keys of the titles of columns, as the screen has them.
const TITLES: [&str; 8] = [
    "monitoring:column.countries",
    "files:column.visibility",
    "monitoring:column.domain",
    "domains:column.averagePosition",
    "monitoring:column.nbAds",
    "monitoring:column.nbViews",
    "monitoring:column.tags",
    "monitoring:column.partner",
];

/// A page of domains.
#[derive(Serialize, ToSchema)]
pub(super) struct DomainsView {
    data: Vec<DomainView>,
    meta: ListMetaView,
    links: LinksView,
}

/// One advertiser's domain over the filtered ads.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct DomainView {
    /// The domain: it names the row.
    id: String,
    domain: String,
    /// Countries of two letters, ascending.
    countries: Vec<String>,
    /// Ads seen, each capture counted.
    nb_views: u64,
    /// Distinct ads, however often each was seen.
    nb_ads: u64,
    /// Mean rank, 4 decimals.
    average_position: f64,
    /// Percentage of all views under the same filters, 2 decimals, at least 0.01.
    visibility: f64,
    /// The tags of the domain and of its registrable domain that the reader sees.
    categories: Vec<TagView>,
    /// `partner` or `reseller` where it is an authorised one of a brand that the reader sees.
    partner: Option<String>,
}

impl DomainView {
    /// A domain of the list, whose id is the domain itself, with its tags in the order given.
    fn new(row: DomainRow, tags: Vec<DomainTag>, partners: &SeenPartners) -> Self {
        Self {
            id: row.domain.clone(),
            partner: partners.kind_of(None, &row.domain),
            domain: row.domain,
            countries: row.countries,
            nb_views: row.nb_views,
            nb_ads: row.nb_ads,
            average_position: row.average_position,
            visibility: row.visibility,
            categories: tags.into_iter().map(TagView::from).collect(),
        }
    }
}

/// A page of the domains that advertise within the reader's brands, with their tags, and with the totals of all that the filters leave.
#[utoipa::path(
    get,
    path = "/Sems/findAdvertisers",
    tag = "Monitoring",
    params(PageParams, SortParams<Sort>, FilterParams<AdFilter>),
    responses(
        (status = 200, body = DomainsView, description = "A page of domains"),
        (status = 400, body = FailureBody, description = "A value that cannot be read; the message names it"),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 408, body = FailureBody, description = "Too many results; narrow the filters"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn find_advertisers(
    State(state): State<ApiState>,
    caller: Caller,
    Pairs(pairs): Pairs,
) -> Result<Json<DomainsView>, ApiError> {
    let query = read_query(&state, &caller, &ListQuery::read(&pairs, &[])?).await?;
    let found = domains::list(&state.analytics, &caller.scope, &query).await?;
    let names: Vec<String> = found.rows.iter().map(|row| row.domain.clone()).collect();
    let mut tags = categories::tags_of_domains(&state.postgres, &caller.scope, &names).await?;
    let partners = SeenPartners::read(&state, &caller.scope).await?;
    let data = found.rows.into_iter().map(|row| {
        let tags = tags.remove(&row.domain).unwrap_or_default();
        DomainView::new(row, tags, &partners)
    });
    Ok(Json(DomainsView {
        data: data.collect(),
        meta: ListMetaView {
            page: lists::place(query.page, found.total).with_totals(Some((found.total_views, found.total_ads))),
        },
        links: lists::links(PATH, &pairs, query.page, found.total),
    }))
}

/// The same domains as a file: every page of them, in the order asked for, then rows with the coverage.
#[utoipa::path(
    get,
    path = "/Sems/findAdvertisers/export",
    tag = "Monitoring",
    params(FileParams, SortParams<Sort>, FilterParams<AdFilter>),
    responses(
        (status = 200, body = String, content_type = "text/csv", description = "`domains-YYYY-MM-DD.csv`, or `.xlsx`"),
        (status = 400, body = FailureBody, description = "A value that cannot be read; the message names it"),
        (status = 401, body = FailureBody, description = "No valid session, or a ticket that was used, is too old or is for another link"),
        (status = 408, body = FailureBody, description = "Too many results; narrow the filters"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn export_domains(
    State(state): State<ApiState>,
    Downloader(caller): Downloader,
    Pairs(pairs): Pairs,
) -> Result<Response, ApiError> {
    let query = read_query(&state, &caller, &ListQuery::read(&pairs, &[])?).await?;
    let language = list_file::language(&pairs);
    let end = coverage::last_rows(&state, &caller.scope, query.filters.clone(), language);
    let most = state.settings.monitoring.most_exported_rows.saturating_add(1);
    let found = domains::all(&state.analytics, &caller.scope, &query, most).await?;
    let partners = Arc::new(SeenPartners::read(&state, &caller.scope).await?);
    let postgres = state.postgres.clone();
    let rows = list_file::look_up_cells(found, move |rows| {
        let (postgres, scope, partners) = (postgres.clone(), caller.scope.clone(), Arc::clone(&partners));
        async move {
            let names: Vec<String> = rows.iter().map(|row: &DomainRow| row.domain.clone()).collect();
            let tags = categories::tags_of_domains(&postgres, &scope, &names).await?;
            Ok(cells(rows, tags, &partners, language))
        }
    });
    list_file::download(&state, &pairs, "domains", list_file::titles(&pairs, &TITLES), rows, end).await
}

/// The cells of each domain, in the order of [`TITLES`]: countries joined by spaces, visibility, domain, position, ads, views, its tags, and what it is
/// to a brand. The rows keep their order.
fn cells(
    rows: Vec<DomainRow>,
    mut tags: BTreeMap<String, Vec<DomainTag>>,
    partners: &SeenPartners,
    language: Language,
) -> Vec<Vec<Cell>> {
    let cells = rows.into_iter().map(|row| {
        let tags = tags.remove(&row.domain).unwrap_or_default();
        let partner = lists::partner_cell(partners.kind_of(None, &row.domain).as_deref(), language);
        vec![
            Cell::Text(row.countries.join(" ")),
            Cell::number(&row.visibility),
            Cell::Text(row.domain),
            Cell::number(&row.average_position),
            Cell::number(&row.nb_ads),
            Cell::number(&row.nb_views),
            lists::tags_cell(tags),
            partner,
        ]
    });
    cells.collect()
}

/// The query of a list of domains; a `BadRequest` names a filter or a column to order by that cannot be read.
async fn read_query(state: &ApiState, caller: &Caller, list_query: &ListQuery) -> Result<DomainsQuery, ApiError> {
    Ok(DomainsQuery {
        filters: ad_filters::read(state, &caller.scope, &list_query.filters).await?,
        sort: lists::read_sort(list_query.sort.as_deref())?,
        direction: list_query.direction,
        page: list_query.page,
    })
}
