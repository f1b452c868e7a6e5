//! `GET /comparator`: products that others offer below the brands' own prices.

use std::collections::BTreeMap;

use analytics::reports::page::Page;
use axum::Json;
use axum::extract::State;
use chrono::NaiveDate;
use comparator::{Offer, Product};
use postgres::brands;
use serde::Serialize;
use utoipa::ToSchema;
use vocabulary::{BrandId, Scope};

use super::question::read_and_compare;
use crate::access::Caller;
use crate::ad_filters::AdFilter;
use crate::extract::Pairs;
use crate::failure::{ApiError, FailureBody};
use crate::lists::{self, FilterParams, LinksView, PageParams, SeenPartners};
use crate::state::ApiState;

const PATH: &str = "/api/comparator/export";

/// Products that others offer below the brands' own prices.
#[derive(Serialize, ToSchema)]
pub(super) struct ProductsView {
    /// The widest gap first.
    data: Vec<ProductView>,
    links: LinksView,
    meta: ProductsMetaView,
}

/// What was compared.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ProductsMetaView {
    /// Products in the list.
    total: usize,
    /// Products of which an own price and one of somebody else are known.
    compared: usize,
    /// Products that others offer, and whose own price is not known.
    without_own_price: usize,
    /// Offers whose price cannot be read.
    unreadable: usize,
}

/// A product, with its own price and the offers below it. All amounts are in the same currency, for the same unit.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ProductView {
    #[serde(rename = "brandID")]
    brand_id: i32,
    brand_label: String,
    /// What the brand's own ad calls it.
    title: String,
    /// ISO 3166 code of two letters.
    country: String,
    /// The code of the currency, as in ISO 4217.
    currency: String,
    /// What prices pay for, such as `month`; empty for the whole product.
    unit: String,
    /// The brand's own price as it was seen last.
    own_price: f64,
    /// The latest capture that shows it.
    own_capture: String,
    /// The brand's own price by day, ascending.
    own_days: Vec<PriceOfDayView>,
    /// The widest gap first.
    offers: Vec<OfferView>,
}

/// What a seller asks for, by itself or through one comparison service.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct OfferView {
    merchant: String,
    domain: String,
    /// `partner` or `reseller` where the seller is one of the brand; absent for neither.
    #[serde(skip_serializing_if = "Option::is_none")]
    partner: Option<String>,
    /// The comparison service that placed the ad, as its page says; empty for none.
    comparator: String,
    /// The price of the day with the widest gap.
    price: f64,
    /// The brand's own price of that day.
    own_price: f64,
    /// How far the price was below, as a share of the brand's own.
    gap: f64,
    /// The day with the widest gap, the latest of several.
    date: NaiveDate,
    /// Days on which it was below.
    days_below: usize,
    views: u64,
    /// The latest capture that shows the lowest price.
    capture: String,
    /// Its price by day, ascending.
    days: Vec<PriceOfDayView>,
}

/// The lowest price of a day.
#[derive(Serialize, ToSchema)]
struct PriceOfDayView {
    date: NaiveDate,
    price: f64,
}

/// Products that others offer below the price that the brand itself asks for, read from shopping ads: the same words, country, currency and unit,
/// compared with the own price as of each day. The own price is that of shopping ads of the brand's official domains, and counts for 30 days after it
/// was seen last.
#[utoipa::path(
    get, path = "/comparator", tag = "Monitoring",
    params(
        FilterParams<AdFilter>, PageParams,
        ("timeZone" = Option<String>, Query, description = "Where days begin, such as Europe/Paris; that of the settings by default"),
    ),
    responses(
        (status = 200, body = ProductsView),
        (status = 400, body = FailureBody, description = "No period, one of more than a year, or a value that cannot be read"),
        (status = 401, body = FailureBody),
        (status = 408, body = FailureBody, description = "Too many results; narrow the filters"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn list_products(
    State(state): State<ApiState>,
    caller: Caller,
    Pairs(pairs): Pairs,
) -> Result<Json<ProductsView>, ApiError> {
    let (found, page) = read_and_compare(&state, &caller, &pairs).await?;
    let total = found.products.len();
    let shown = rows_of(found.products, page);
    let labels = read_labels(&state, &caller.scope, &shown).await?;
    let partners = SeenPartners::read(&state, &caller.scope).await?;
    let product = |product: Product| {
        let label = labels.get(&product.brand).cloned().unwrap_or_default();
        ProductView::new(product, label, &partners)
    };
    Ok(Json(ProductsView {
        data: shown.into_iter().map(product).collect(),
        links: lists::links(PATH, &pairs, page, u64::try_from(total).unwrap_or(u64::MAX)),
        meta: ProductsMetaView {
            total,
            compared: found.compared,
            without_own_price: found.without_own_price,
            unreadable: found.unreadable,
        },
    }))
}

/// The labels of the brands of these products.
pub(super) async fn read_labels(
    state: &ApiState,
    scope: &Scope,
    products: &[Product],
) -> Result<BTreeMap<BrandId, String>, ApiError> {
    let mut ids: Vec<BrandId> = products.iter().map(|product| product.brand).collect();
    ids.sort_unstable();
    ids.dedup();
    let brands = brands::by_ids(&state.postgres, scope, &ids).await?;
    let labels = brands
        .into_iter()
        .map(|brand| (brand.id, brand.label.unwrap_or_default()));
    Ok(labels.collect())
}

/// The products of a page.
fn rows_of(products: Vec<Product>, page: Page) -> Vec<Product> {
    match page {
        Page::All => products,
        Page::Of { number, size } => {
            let (number, size) = (usize::try_from(number).unwrap_or(1), usize::try_from(size).unwrap_or(0));
            let before = size.saturating_mul(number.saturating_sub(1));
            products.into_iter().skip(before).take(size).collect()
        }
    }
}

/// An amount in hundredths as a number of the currency.
pub(super) fn amount(hundredths: u64) -> f64 {
    #[allow(clippy::cast_precision_loss, reason = "prices have 15 digits at most")]
    let hundredths = hundredths as f64;
    hundredths / 100.0
}

/// Prices by day as answered.
fn by_day(days: &BTreeMap<NaiveDate, u64>) -> Vec<PriceOfDayView> {
    let days = days.iter().map(|(date, price)| PriceOfDayView {
        date: *date,
        price: amount(*price),
    });
    days.collect()
}

impl ProductView {
    fn new(product: Product, brand_label: String, partners: &SeenPartners) -> Self {
        let brand = product.brand;
        let offer = |offer: Offer| OfferView {
            partner: partners.kind_of(Some(brand), &offer.host),
            price: amount(offer.lowest),
            own_price: amount(offer.own_then),
            gap: offer.gap(),
            date: offer.widest_on,
            days_below: offer.days_below,
            views: offer.views,
            capture: offer.capture.0.to_string(),
            days: by_day(&offer.days),
            merchant: offer.merchant,
            domain: offer.host,
            comparator: offer.comparator,
        };
        Self {
            brand_id: brand.0,
            brand_label,
            own_price: product
                .own
                .days
                .values()
                .next_back()
                .map_or(0.0, |price| amount(*price)),
            own_capture: product.own.capture.0.to_string(),
            own_days: by_day(&product.own.days),
            offers: product.offers.into_iter().map(offer).collect(),
            title: product.title,
            country: product.country,
            currency: product.currency.to_owned(),
            unit: product.unit,
        }
    }
}
