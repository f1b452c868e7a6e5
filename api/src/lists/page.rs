//! The position of a page in its list, and the links to its neighbours.

use analytics::reports::page::Page;
use serde::Serialize;
use url::form_urlencoded;
use utoipa::ToSchema;

/// The position of a page in its list.
#[derive(Clone, Copy)]
pub(crate) struct PagePosition {
    total: u64,
    number: u32,
    size: u32,
}

impl PagePosition {
    /// This position with the views and distinct ads (in this order) of all rows under the filters; null in the answer when `None`.
    pub(crate) fn with_totals(self, totals: Option<(u64, u64)>) -> TotalsView {
        let Self { total, number, size } = self;
        TotalsView {
            total,
            number,
            size,
            total_views: totals.map(|(views, _)| views),
            total_ads: totals.map(|(_, ads)| ads),
        }
    }
}

/// The position of a page, with the totals of the whole list.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TotalsView {
    /// Rows under the filters.
    total: u64,
    /// Number of the page, from 1.
    number: u32,
    /// Rows a page; 0 when everything was asked for.
    size: u32,
    /// Views under the filters.
    total_views: Option<u64>,
    /// Distinct ads under the filters.
    total_ads: Option<u64>,
}

/// Addresses of the neighbouring pages, absent where there is none, and of the file.
#[derive(Default, Serialize, ToSchema)]
pub(crate) struct LinksView {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) prev: Option<String>,
    /// The whole list as a file; it is followed with a ticket of `POST /exportTickets`.
    #[serde(rename = "exportCSV", skip_serializing_if = "Option::is_none")]
    pub(crate) export_csv: Option<String>,
}

/// The position of a page in a list of `total` rows; number 1 and size 0 when all rows were asked for.
pub(crate) const fn place(page: Page, total: u64) -> PagePosition {
    let (number, size) = match page {
        Page::All => (1, 0),
        Page::Of { number, size } => (number, size),
    };
    PagePosition { total, number, size }
}

/// The links to the next and previous page of the list at `path`, where there are such, and to the file of the whole list, each with the same filters
/// and order. Without pages there is the file alone.
pub(crate) fn links(path: &str, pairs: &[(String, String)], page: Page, total: u64) -> LinksView {
    let export = LinksView {
        export_csv: Some(export_link(path, pairs)),
        ..LinksView::default()
    };
    let Page::Of { number, size } = page else {
        return export;
    };
    let of_page = |number: u32| {
        let query_pairs = pairs
            .iter()
            .filter(|(key, _)| !["page", "page[number]", "page.number"].contains(&key.as_str()));
        let query = form_urlencoded::Serializer::new(String::new())
            .extend_pairs(query_pairs)
            .append_pair("page[number]", &number.to_string())
            .finish();
        format!("{path}?{query}")
    };
    let has_next = u64::from(number) * u64::from(size) < total;
    LinksView {
        next: has_next.then(|| of_page(number + 1)),
        prev: (number > 1).then(|| of_page(number - 1)),
        ..export
    }
}

/// The address of the file for the same query: `path/export` with the pairs, encoded, without `page…` and `perPage`.
fn export_link(path: &str, pairs: &[(String, String)]) -> String {
    let query_pairs = pairs
        .iter()
        .filter(|(key, _)| !key.starts_with("page") && key != "perPage");
    let query = form_urlencoded::Serializer::new(String::new())
        .extend_pairs(query_pairs)
        .finish();
    format!("{path}/export?{query}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_the_neighbours_that_exist() {
        let pairs = [("filters[domain][contain]", "a b"), ("page[number]", "2")];
        let pairs = pairs.map(|(key, value)| (key.to_owned(), value.to_owned()));
        let page = |number| Page::Of { number, size: 10 };
        let middle = links("/api/Sems/findAdvertisers", &pairs, page(2), 21);
        let query = "/api/Sems/findAdvertisers?filters%5Bdomain%5D%5Bcontain%5D=a+b&page%5Bnumber%5D=";
        assert_eq!(middle.next, Some(format!("{query}3")));
        assert_eq!(middle.prev, Some(format!("{query}1")));
        assert_eq!(links("/api/Sems/findAdvertisers", &pairs, page(3), 21).next, None);
        assert_eq!(links("/api/Sems/findAdvertisers", &pairs, page(1), 21).prev, None);
        let short = [("page".to_owned(), "2".to_owned())];
        let next = links("/api/Sems/findAdvertisers", &short, page(2), 21).next;
        assert_eq!(next.as_deref(), Some("/api/Sems/findAdvertisers?page%5Bnumber%5D=3"));
        let file = "/api/Sems/findAdvertisers/export?filters%5Bdomain%5D%5Bcontain%5D=a+b";
        assert_eq!(middle.export_csv.as_deref(), Some(file));
    }
}
