//! The content of a result page, before it is rendered.

use serde::Serialize;

use crate::device::Device;
use crate::engine::Engine;
use crate::generation::Generation;
use crate::localization::Language;
use crate::search::Search;

/// The part of the page that holds an ad.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Region {
    /// Above the organic results.
    Top,
    /// Between organic results.
    Middle,
    /// Below the organic results.
    Bottom,
    /// In the side column.
    Right,
}

/// A text ad.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct TextAd {
    pub region: Region,
    /// Rank among the text ads of the page in document order, from 1.
    pub position: usize,
    /// Rank among all ads of the page, text and shopping, in document order, from 1.
    pub real_position: usize,
    pub title: String,
    pub description: String,
    pub advertiser: &'static str,
    /// The address as displayed; a call ad has none.
    pub display_url: Option<String>,
    /// The displayed address before its path (`www.shop.example`).
    pub display_host: String,
    /// The displayed path (` › sale`).
    pub display_path: String,
    /// The host of the site: lower case, punycode, without `www.`.
    pub domain: String,
    /// The advertiser's own page.
    pub landing_url: String,
    /// The target of the engine's redirect: the landing page, or a tracker in front of it.
    pub redirect_target: String,
    pub telephone: Option<String>,
    pub sitelinks: Vec<Sitelink>,
    pub callouts: Vec<&'static str>,
    /// Makes the ad's links and ids unique.
    pub token: String,
}

/// A link below an ad to another page of the same advertiser.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Sitelink {
    pub title: &'static str,
    pub text: &'static str,
    pub landing_url: String,
}

/// A shopping ad.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Product {
    pub region: Region,
    /// Rank among the shopping ads of the page in document order, from 1.
    pub position: usize,
    /// Rank among all ads of the page, text and shopping, in document order, from 1.
    pub real_position: usize,
    pub title: String,
    pub price: String,
    pub merchant: &'static str,
    pub domain: String,
    pub landing_url: String,
    pub redirect_target: String,
    /// As displayed, with the word before the name (`Par Kompara`).
    pub comparator_name: Option<String>,
    pub comparator_url: Option<String>,
    pub shipping: Option<&'static str>,
    /// The path of the picture on this server.
    pub image: String,
    pub merchant_id: String,
    pub offer_id: String,
    pub token: String,
}

/// An organic result.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Organic {
    pub position: usize,
    pub title: String,
    pub url: String,
    pub site: &'static str,
    pub display_host: String,
    pub display_path: String,
    pub domain: String,
    pub text: String,
}

/// A result page with all its ads and results.
#[derive(Clone, Debug)]
pub(crate) struct ResultPage {
    pub engine: Engine,
    pub device: Device,
    pub generation: Generation,
    pub language: Language,
    pub query: String,
    /// Text ads in document order.
    pub ads: Vec<TextAd>,
    /// Shopping ads in document order; all in one region.
    pub products: Vec<Product>,
    pub organic: Vec<Organic>,
    pub related: Vec<String>,
    /// How many results the engine claims.
    pub found: usize,
}

impl ResultPage {
    /// Creates the page of a search that finds nothing.
    pub(crate) fn without_results(search: &Search, generation: Generation) -> Self {
        Self {
            engine: search.engine,
            device: search.device,
            generation,
            language: search.language,
            query: search.query.clone(),
            ads: Vec::new(),
            products: Vec::new(),
            organic: Vec::new(),
            related: Vec::new(),
            found: 0,
        }
    }

    /// Sorts the text ads and numbers all ads, by kind and over both kinds, in document order: shopping ads above the results, then text ads at the
    /// top, in the middle and at the bottom, then the side column with its shopping ads before its text ads.
    pub(crate) fn numbered(mut self) -> Self {
        self.ads.sort_by_key(|ad| ad.region);
        let shopping_before = |region: Region| match self.products.first().map(|product| product.region) {
            Some(Region::Right) => region == Region::Right,
            Some(_) => true,
            None => false,
        };
        let products = self.products.len();
        for (at, ad) in self.ads.iter_mut().enumerate() {
            ad.position = at + 1;
            ad.real_position = at + 1 + if shopping_before(ad.region) { products } else { 0 };
        }
        let ads_before = match self.products.first().map(|product| product.region) {
            Some(Region::Right) => self.ads.iter().filter(|ad| ad.region != Region::Right).count(),
            _ => 0,
        };
        for (at, product) in self.products.iter_mut().enumerate() {
            product.position = at + 1;
            product.real_position = at + 1 + ads_before;
        }
        self
    }
}
