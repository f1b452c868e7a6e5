//! What is observed on a result page.

use serde::{Deserialize, Serialize};
use vocabulary::{AdKind, Block, WebHost};

/// One ad as the page shows it. Texts are as displayed: white space collapsed, invisible characters removed, nothing translated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ObservedAd {
    /// Whether it is a text ad or a shopping ad.
    pub kind: AdKind,
    /// Rank among the ads of its kind, from 1 (decision D143).
    pub position: u16,
    /// Rank on the whole page in reading order, from 1, counting text ads, organic results and shopping units. A unit counts once; all its
    /// products share its rank.
    pub real_position: u16,
    /// Number of the ad in document order, from 1. The viewing copy marks the ad `ad-N` with it.
    pub mark: u16,
    /// The part of the page that holds the ad.
    pub block: Block,
    /// The headline; for a shopping ad, the product name.
    pub title: String,
    /// The creative's text, without its sitelinks.
    pub description: Option<String>,
    /// The address the ad displays.
    pub display_url: Option<String>,
    /// The landing page, behind every redirect whose address reveals its target.
    pub target_url: Option<String>,
    /// Addresses that count a click. They are never opened.
    pub aclk_urls: Vec<String>,
    /// The advertiser's host, from the display address, else from the target (decision D53). `None` when neither is known.
    pub domain: Option<WebHost>,
    /// Whether the domain is missing from the page and was inferred from other ads of the same merchant.
    pub domain_learnt: bool,
    /// Hosts that only redirect, in the order a click would visit them.
    pub trackers: Vec<WebHost>,
    /// Address of the product image.
    pub image: Option<String>,
    /// The price as displayed, with its currency.
    pub price: Option<String>,
    /// The merchant as displayed; the engine may have shortened it.
    pub merchant: Option<String>,
    /// The engine's id of the merchant.
    pub merchant_id: Option<String>,
    /// The comparison service that placed a shopping ad, as displayed.
    pub comparator_name: Option<String>,
    /// Address of that comparison service.
    pub comparator_url: Option<String>,
}

/// Words before the name of a comparison service, by language.
const BY: [&str; 13] = [
    "by", "par", "von", "por", "di", "door", "av", "af", "od", "przez", "от", "від", "από",
];

impl ObservedAd {
    /// Returns the name of the comparison service without a leading word of [`BY`]: `Compare` for `By Compare`. `None` when the ad names no service.
    pub fn comparator(&self) -> Option<&str> {
        let shown = self.comparator_name.as_deref()?;
        let name = shown
            .split_once(' ')
            .filter(|(first, _)| BY.contains(&first.to_lowercase().as_str()));
        Some(name.map_or(shown, |(_, name)| name.trim()))
    }
}

/// One organic result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OrganicResult {
    /// Rank among the organic results, from 1.
    pub position: u16,
    /// The headline of the result.
    pub title: String,
    /// Absolute address of the page it links to.
    pub url: String,
    /// Host of that address.
    pub domain: WebHost,
}

/// A paid unit that is neither a text ad nor a shopping ad. It is counted and never read as an ad.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, strum::Display)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum OtherUnit {
    /// Tradespeople and services near the searcher.
    LocalServices,
    /// Hotels with prices.
    Hotels,
    /// Shops with pictures of several products, without prices.
    Showcase,
    /// Insurances, loans, or the offers for one product, compared by the engine.
    Comparison,
    /// Flights with prices.
    Flights,
    /// Tickets and tours for a sight.
    Tickets,
    /// A business on the map that pays for its rank.
    LocalPlaces,
}
