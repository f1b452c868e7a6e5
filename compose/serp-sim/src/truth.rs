//! The truth of a page, in the format of an ad reader's output.

use serde::Serialize;

use crate::device::Device;
use crate::engine::Engine;
use crate::faults::Fault;
use crate::money::NO_BREAK_SPACE;
use crate::results::{Organic, Product, Region, ResultPage, TextAd};

/// What a perfect reader reads from a page: texts with every white space as one plain space, `targetUrl` the advertiser's own page behind
/// the engine's redirect and all trackers, `redirectTarget` the target of the engine's redirect itself.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Truth<'a> {
    outcome: &'static str,
    engine: Engine,
    device: Device,
    generation: String,
    query: &'a str,
    ads: Vec<TrueAd<'a>>,
    shopping: Vec<TrueProduct<'a>>,
    organic: Vec<TrueOrganic<'a>>,
}

/// A text ad in the truth of a page.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct TrueAd<'a> {
    position: usize,
    real_position: usize,
    region: Region,
    title: &'a str,
    description: &'a str,
    display_url: Option<&'a str>,
    target_url: &'a str,
    redirect_target: &'a str,
    domain: &'a str,
    telephone: Option<&'a str>,
}

/// A shopping ad in the truth of a page.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct TrueProduct<'a> {
    position: usize,
    real_position: usize,
    region: Region,
    title: &'a str,
    price: String,
    merchant: &'a str,
    domain: &'a str,
    target_url: &'a str,
    redirect_target: &'a str,
    comparator_name: Option<&'a str>,
    comparator_url: Option<&'a str>,
    image: String,
}

/// An organic result in the truth of a page.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct TrueOrganic<'a> {
    position: usize,
    title: &'a str,
    target_url: &'a str,
    domain: &'a str,
    description: &'a str,
}

impl<'a> Truth<'a> {
    /// Builds the truth of a page served from `origin`, with the outcome that the fault leads to; it lists ads, products and organic results only if
    /// that is `results`.
    pub(crate) fn from_page(page: &'a ResultPage, fault: Option<Fault>, origin: &str) -> Self {
        let outcome = fault.map_or("results", Fault::outcome);
        let shows = outcome == "results";
        Self {
            outcome,
            engine: page.engine,
            device: page.device,
            generation: page.generation.to_string(),
            query: &page.query,
            ads: page.ads.iter().filter(|_| shows).map(true_ad).collect(),
            shopping: page
                .products
                .iter()
                .filter(|_| shows)
                .map(|product| true_product(product, origin))
                .collect(),
            organic: page.organic.iter().filter(|_| shows).map(true_organic).collect(),
        }
    }
}

/// Lists what a perfect reader reads of a text ad. The display address and the telephone number may be missing.
fn true_ad(ad: &TextAd) -> TrueAd<'_> {
    TrueAd {
        position: ad.position,
        real_position: ad.real_position,
        region: ad.region,
        title: &ad.title,
        description: &ad.description,
        display_url: ad.display_url.as_deref(),
        target_url: &ad.landing_url,
        redirect_target: &ad.redirect_target,
        domain: &ad.domain,
        telephone: ad.telephone.as_deref(),
    }
}

/// Lists what a perfect reader reads of a shopping ad; its price has plain spaces, its picture an absolute address.
fn true_product<'a>(product: &'a Product, origin: &str) -> TrueProduct<'a> {
    TrueProduct {
        position: product.position,
        real_position: product.real_position,
        region: product.region,
        title: &product.title,
        price: product.price.replace(NO_BREAK_SPACE, " "),
        merchant: product.merchant,
        domain: &product.domain,
        target_url: &product.landing_url,
        redirect_target: &product.redirect_target,
        comparator_name: product.comparator_name.as_deref(),
        comparator_url: product.comparator_url.as_deref(),
        image: format!("{origin}{}", product.image),
    }
}

/// Lists what a perfect reader reads of an organic result.
fn true_organic(result: &Organic) -> TrueOrganic<'_> {
    TrueOrganic {
        position: result.position,
        title: &result.title,
        target_url: &result.url,
        domain: &result.domain,
        description: &result.text,
    }
}
