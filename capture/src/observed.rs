//! What was seen on a result page.

use serde::{Deserialize, Serialize};
use vocabulary::{AdKind, Block, WebHost};

/// One ad as it stands on a page. Texts are as displayed: blanks collapsed, invisible characters removed, nothing translated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ObservedAd {
    /// Text or shopping.
    pub kind: AdKind,
    /// Rank among the ads of its kind, from 1 (decision D143).
    pub position: u16,
    /// Rank on the whole page in reading order, from 1: text ads, unpaid results and shopping units count. A unit counts once, and all its
    /// products have its rank.
    pub real_position: u16,
    /// Rank among all ads of the page in the order of the document, from 1. The viewing copy marks the ad `ad-N` with it.
    pub mark: u16,
    /// The part of the page it stands in.
    pub block: Block,
    /// The headline; of a shopping ad the product.
    pub title: String,
    /// The creative's text, without the texts of its sitelinks.
    pub description: Option<String>,
    /// The address the ad displays.
    pub display_url: Option<String>,
    /// The landing page, behind every redirect whose target can be told from its address.
    pub target_url: Option<String>,
    /// Addresses that count a click. They are never opened.
    pub aclk_urls: Vec<String>,
    /// The advertiser's host: of the display address, else of the target (decision D53). `None` when neither is known.
    pub domain: Option<WebHost>,
    /// Whether the page does not tell the domain, and it is the one the merchant is known by from other ads.
    pub domain_learnt: bool,
    /// Hosts that only redirect, in the order a click would visit them.
    pub trackers: Vec<WebHost>,
    /// Address of the product's picture.
    pub image: Option<String>,
    /// The price as displayed, with its currency.
    pub price: Option<String>,
    /// The merchant as displayed, which the engine may have shortened.
    pub merchant: Option<String>,
    /// The engine's id of the merchant.
    pub merchant_id: Option<String>,
    /// The comparison service that placed a shopping ad, as displayed.
    pub comparator_name: Option<String>,
    /// Address of that comparison service.
    pub comparator_url: Option<String>,
}

/// Words that stand before the name of a comparison service, by language.
const BY: [&str; 13] = [
    "by", "par", "von", "por", "di", "door", "av", "af", "od", "przez", "от", "від", "από",
];

impl ObservedAd {
    /// The name of the comparison service without the word that says who placed the ad: `Compare` of `By Compare`.
    pub fn comparator(&self) -> Option<&str> {
        let shown = self.comparator_name.as_deref()?;
        let name = shown
            .split_once(' ')
            .filter(|(first, _)| BY.contains(&first.to_lowercase().as_str()));
        Some(name.map_or(shown, |(_, name)| name.trim()))
    }
}

/// One unpaid result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OrganicResult {
    /// Rank among the organic results, from 1.
    pub position: u16,
    /// Headline.
    pub title: String,
    /// Its page.
    pub url: String,
    /// Its host.
    pub domain: WebHost,
}

/// A paid unit that is neither a text ad nor a shopping ad. It is counted and never read as an ad.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, strum::Display)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum OtherUnit {
    /// Craftsmen and services near the searcher.
    LocalServices,
    /// Hotels with prices.
    Hotels,
    /// Shops with pictures of several of their products, none with its price.
    Showcase,
    /// Insurances, loans, or the offers for one product, compared by the engine.
    Comparison,
    /// Flights with prices.
    Flights,
    /// Tickets and tours of a sight.
    Tickets,
    /// A place among those of the map that pays for its rank.
    LocalPlaces,
}
