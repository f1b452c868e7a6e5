//! `GET /comparator/export`: the same comparison as a file, a row for each offer.

use axum::extract::State;
use axum::response::Response;
use comparator::{Offer, Product};
use futures::stream;

use super::products::{amount, read_labels};
use super::question::read_and_compare;
use crate::access::Downloader;
use crate::ad_filters::AdFilter;
use crate::extract::Pairs;
use crate::failure::{ApiError, FailureBody};
use crate::list_file::{self, Cell, FileParams};
use crate::lists::FilterParams;
use crate::state::ApiState;

/// Keys of the titles of columns.
const TITLES: [&str; 14] = [
    "monitoring:filter.brand",
    "comparator:product",
    "monitoring:filter.country",
    "comparator:currency",
    "comparator:unit",
    "comparator:merchant",
    "monitoring:column.domain",
    "comparator:service",
    "comparator:price",
    "comparator:ownPrice",
    "comparator:gap",
    "comparator:date",
    "comparator:daysBelow",
    "monitoring:column.nbViews",
];

/// All offers of the same comparison as a file, whatever the page; the gap is a share of the brand's own price.
#[utoipa::path(
    get, path = "/comparator/export", tag = "Monitoring",
    params(FileParams, FilterParams<AdFilter>),
    responses(
        (status = 200, body = String, content_type = "text/csv", description = "`comparator-YYYY-MM-DD.csv`, or `.xlsx`"),
        (status = 400, body = FailureBody, description = "No period, one of more than a year, or a value that cannot be read"),
        (status = 401, body = FailureBody, description = "No valid session, or a ticket that was used, is too old or is for another link"),
        (status = 408, body = FailureBody, description = "Too many results; narrow the filters"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn export_products(
    State(state): State<ApiState>,
    Downloader(caller): Downloader,
    Pairs(pairs): Pairs,
) -> Result<Response, ApiError> {
    let (found, _) = read_and_compare(&state, &caller, &pairs).await?;
    let labels = read_labels(&state, &caller.scope, &found.products).await?;
    let mut rows = Vec::new();
    for product in &found.products {
        let label = labels.get(&product.brand).map_or("", String::as_str);
        rows.extend(product.offers.iter().map(|offer| Ok(cells(label, product, offer))));
    }
    let titles = list_file::titles(&pairs, &TITLES);
    list_file::download(
        &state,
        &pairs,
        "comparator",
        titles,
        stream::iter(rows),
        stream::empty(),
    )
    .await
}

/// The cells of an offer, in the order of [`TITLES`].
fn cells(brand: &str, product: &Product, offer: &Offer) -> Vec<Cell> {
    let text = |text: &str| Cell::Text(text.to_owned());
    vec![
        text(brand),
        text(&product.title),
        text(&product.country),
        text(product.currency),
        text(&product.unit),
        text(&offer.merchant),
        text(&offer.host),
        text(&offer.comparator),
        Cell::Number(format!("{:.2}", amount(offer.lowest))),
        Cell::Number(format!("{:.2}", amount(offer.own_then))),
        Cell::Number(format!("{:.4}", offer.gap())),
        Cell::Time(offer.widest_on.to_string()),
        Cell::number(&offer.days_below),
        Cell::number(&offer.views),
    ]
}
