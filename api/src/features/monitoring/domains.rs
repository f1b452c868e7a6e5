//! `GET /Sems/findAdvertisers`.

use analytics::reports::domains::{self, DomainsQuery, Sort};
use axum::Json;
use axum::extract::State;
use records::categories;

use super::list_query::ListQuery;
use super::views::{DomainView, DomainsView, ListMetaView};
use super::{filters, list_page};
use crate::access::Caller;
use crate::extract::Query;
use crate::failure::{Failure, FailureBody};
use crate::state::ApiState;

const PATH: &str = "/api/Sems/findAdvertisers";

/// The domains that advertise within the reader's brands, with the totals of all that the filters leave.
#[utoipa::path(
    get,
    path = "/Sems/findAdvertisers",
    tag = "Monitoring",
    params(
        ("page[size]" = Option<u32>, Query, description = "Rows a page, 30 by default; 0 asks for all of up to 10,000"),
        ("page[number]" = Option<u32>, Query, description = "Number of the page, from 1"),
        ("sort[by]" = Option<String>, Query, description = "domain, countries, nbViews (default), nbAds, averagePosition or visibility"),
        ("sort[direction]" = Option<String>, Query, description = "ASC or DESC (default)"),
        ("filters[name][operator]" = Option<String>, Query, description = "Names: date, brandID, country, region, engine, device, type, \
            keywordType, domain, advertiserTag, keywordContent, keywordTag, adTitle, adDescription, position. Operators: inq and nin \
            (repeat with [] for several values), contain and exclude, between with [start] and [end]"),
        ("filter" = Option<String>, Query, description = "The same filters as one JSON object"),
    ),
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
    Query(pairs): Query<Vec<(String, String)>>,
) -> Result<Json<DomainsView>, Failure> {
    let asked = ListQuery::read(&pairs)?;
    let query = DomainsQuery {
        filters: filters::read(&state, &caller.scope, &asked.filters).await?,
        sort: read_sort(asked.sort.as_deref())?,
        direction: asked.direction,
        page: asked.page,
    };
    let found = domains::list(&state.analytics, &caller.scope, &query).await?;
    let names: Vec<String> = found.rows.iter().map(|row| row.domain.clone()).collect();
    let mut tags = categories::tags_of_domains(&state.records, &caller.scope, &names).await?;
    let data = found.rows.into_iter().map(|row| {
        let tags = tags.remove(&row.domain).unwrap_or_default();
        DomainView::new(row, tags)
    });
    Ok(Json(DomainsView {
        data: data.collect(),
        meta: ListMetaView {
            page: list_page::place(query.page, found.total),
            total_views: found.total_views,
            total_ads: found.total_ads,
        },
        links: list_page::links(PATH, &pairs, query.page, found.total),
    }))
}

fn read_sort(name: Option<&str>) -> Result<Sort, Failure> {
    let Some(name) = name else {
        return Ok(Sort::default());
    };
    name.parse().map_err(|_| {
        Failure::BadRequest(
            "sort[by]: the columns are domain, countries, nbViews, nbAds, averagePosition and visibility".to_owned(),
        )
    })
}
