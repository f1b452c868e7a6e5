//! The response bodies that several operations of this slice have in common.

use analytics::reports::ads::Ad;
use postgres::brands::Brand;
use serde::Serialize;
use utoipa::ToSchema;
use vocabulary::AdKind;

use crate::lists::TotalsView;

/// A list of choices or records without paging.
#[derive(Serialize, ToSchema)]
pub(super) struct DataView<T> {
    pub(super) data: Vec<T>,
}

/// How often a tag is used.
#[derive(Serialize, ToSchema)]
pub(super) struct TagUsesView {
    /// Id of the tag.
    pub(super) id: i32,
    /// Advertisers or terms that have it.
    pub(super) uses: i64,
}

/// Totals of the whole filtered set (decision D71).
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ListMetaView {
    pub(super) page: TotalsView,
}

/// One distinct ad under the filters.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct AdvertisementView {
    /// The name of the latest capture that shows it.
    result_id: String,
    /// Whether the page of that capture is kept, so that it can be shown.
    page_kept: bool,
    domain: String,
    /// `ads` or `shopping`.
    #[serde(rename = "type")]
    kind: String,
    engine: String,
    device: String,
    /// ISO 3166 code of two letters.
    country: String,
    language: String,
    title: String,
    description: String,
    display_url: String,
    target_url: String,
    /// Addresses the engine counts clicks with: following one costs the advertiser money.
    aclk_urls: Vec<String>,
    image: String,
    /// As written on the page.
    price: String,
    comparator_name: String,
    comparator_url: String,
    /// Words of the terms that show it, most viewed first.
    keywords: Vec<String>,
    views: u64,
    /// Mean rank over the page; of text ads only.
    #[serde(skip_serializing_if = "Option::is_none")]
    real_position_avg: Option<f64>,
    /// Mean rank among the shopping ads; of shopping ads only.
    #[serde(skip_serializing_if = "Option::is_none")]
    position_avg: Option<f64>,
    advertisement_first_seen: String,
    advertisement_last_seen: String,
}

impl AdvertisementView {
    /// An ad as answered, its times in ISO 8601 in UTC to the millisecond; `page_kept` is whether the page of its capture is kept. Its position is
    /// `realPositionAvg` for a text ad and `positionAvg` for a shopping ad; the other one is left out.
    pub(super) fn new(ad: Ad, page_kept: bool) -> Self {
        let is_text = ad.kind == AdKind::Text.to_string();
        let instant = |at: chrono::DateTime<chrono::Utc>| at.to_rfc3339_opts(chrono::SecondsFormat::Millis, true);
        Self {
            result_id: ad.capture,
            page_kept,
            domain: ad.domain,
            engine: ad.engine,
            device: ad.device,
            country: ad.country,
            language: ad.language,
            title: ad.title,
            description: ad.description,
            display_url: ad.display_url,
            target_url: ad.target_url,
            aclk_urls: ad.aclk_urls,
            image: ad.image,
            price: ad.price,
            comparator_name: ad.comparator_name,
            comparator_url: ad.comparator_url,
            keywords: ad.keywords,
            views: ad.views,
            real_position_avg: is_text.then_some(ad.position),
            position_avg: (!is_text).then_some(ad.position),
            advertisement_first_seen: instant(ad.first_seen),
            advertisement_last_seen: instant(ad.last_seen),
            kind: ad.kind,
        }
    }
}

/// A brand of the reader.
#[derive(Serialize, ToSchema)]
pub(super) struct BrandView {
    id: i32,
    label: String,
    /// Unique name in lower case.
    name: String,
    /// Whether its ads lead to actions.
    validated: bool,
}

impl From<Brand> for BrandView {
    /// The brand with its id as a number; a missing label or name becomes empty.
    fn from(brand: Brand) -> Self {
        Self {
            id: brand.id.0,
            label: brand.label.unwrap_or_default(),
            name: brand.name.unwrap_or_default(),
            validated: brand.validated,
        }
    }
}
