//! `GET /Sems/findAdvertisers`.

use analytics::reports::domains::{self, DomainsQuery, Page, Sort};
use axum::Json;
use axum::extract::State;
use records::categories;
use url::form_urlencoded;

use super::filters;
use super::list_query::ListQuery;
use super::views::{DomainView, DomainsView, LinksView, ListMetaView, PageView};
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
    let (number, size) = match query.page {
        Page::All => (1, 0),
        Page::Of { number, size } => (number, size),
    };
    Ok(Json(DomainsView {
        data: data.collect(),
        meta: ListMetaView {
            page: PageView {
                total: found.total,
                number,
                size,
            },
            total_views: found.total_views,
            total_ads: found.total_ads,
        },
        links: links(&pairs, query.page, found.total),
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

/// The same query for the pages before and after.
fn links(pairs: &[(String, String)], page: Page, total: u64) -> LinksView {
    let Page::Of { number, size } = page else {
        return LinksView::default();
    };
    let of_page = |number: u32| {
        let kept = pairs
            .iter()
            .filter(|(key, _)| key != "page[number]" && key != "page.number");
        let query = form_urlencoded::Serializer::new(String::new())
            .extend_pairs(kept)
            .append_pair("page[number]", &number.to_string())
            .finish();
        format!("{PATH}?{query}")
    };
    let has_next = u64::from(number) * u64::from(size) < total;
    LinksView {
        next: has_next.then(|| of_page(number + 1)),
        prev: (number > 1).then(|| of_page(number - 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_the_neighbours_that_exist() {
        let pairs = [("filters[domain][contain]", "a b"), ("page[number]", "2")];
        let pairs = pairs.map(|(key, value)| (key.to_owned(), value.to_owned()));
        let page = |number| Page::Of { number, size: 10 };
        let middle = links(&pairs, page(2), 21);
        let query = "/api/Sems/findAdvertisers?filters%5Bdomain%5D%5Bcontain%5D=a+b&page%5Bnumber%5D=";
        assert_eq!(middle.next, Some(format!("{query}3")));
        assert_eq!(middle.prev, Some(format!("{query}1")));
        assert_eq!(links(&pairs, page(3), 21).next, None);
        assert_eq!(links(&pairs, page(1), 21).prev, None);
    }
}
