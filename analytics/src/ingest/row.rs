//! The row of an ad as it is stored.

use clickhouse::Row;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// One ad seen in one capture, as it is stored. Facts of the term are those at the time of the capture (decision D81). A text the page did
/// not show is empty; so is a column that a row journaled as JSON by an older version lacks.
#[derive(Clone, Debug, Default, PartialEq, Row, Serialize, Deserialize)]
#[serde(default)]
pub struct AdRow {
    /// Number of the manifest the row is stored with.
    pub batch: u64,
    /// Place in the manifest, from 0.
    pub row: u16,
    /// The capture it was seen in.
    #[serde(with = "clickhouse::serde::uuid")]
    pub capture_id: Uuid,
    /// Time of the slot, in seconds since 1970: which run it was, never when the ad was seen.
    pub slot_time: u32,
    /// When the page was received, in seconds since 1970: the time of the ad in every figure.
    pub seen_at: u32,
    /// 0: the term had no brand.
    pub brand_id: u32,
    /// Id of the term.
    pub term_id: u32,
    /// The words of the term.
    pub keyword: String,
    /// As [`vocabulary::KeywordType`] displays.
    pub keyword_type: String,
    /// Where the search was made from.
    pub localization_id: u32,
    /// Two letters, upper case.
    pub country: String,
    /// ISO 639 code, lower case.
    pub language: String,
    /// City of the localization.
    pub city: String,
    /// Targeted place of the term.
    pub region: String,
    /// As [`vocabulary::Engine`] displays.
    pub engine: String,
    /// As [`vocabulary::Device`] displays.
    pub device: String,
    /// As [`vocabulary::AdKind`] displays.
    pub kind: String,
    /// Rank among the ads of its kind, from 1.
    pub position: u16,
    /// Rank over the page, from 1; with unpaid results where there is a mark, of ads alone where there is none.
    pub real_position: u16,
    /// The number of its mark in the viewing copy. 0 in older rows, whose rank is the mark.
    pub mark: u16,
    /// As [`vocabulary::Block`] displays.
    pub block: String,
    /// The advertiser's host (decision D53).
    pub domain: String,
    /// Whether it was learnt from other ads of the merchant, because this ad does not show it.
    pub domain_learnt: bool,
    /// Its registrable domain.
    pub master: String,
    /// The ad's headline.
    pub title: String,
    /// The ad's text below the headline.
    pub description: String,
    /// The address shown.
    pub display_url: String,
    /// The landing page.
    pub target_url: String,
    /// Addresses that count a click.
    pub aclk_urls: Vec<String>,
    /// Address of the product's picture.
    pub image: String,
    /// As displayed, with its currency.
    pub price: String,
    /// The merchant as displayed.
    pub merchant: String,
    /// The engine's id of the merchant.
    pub merchant_id: String,
    /// The comparison service as displayed.
    pub comparator_name: String,
    /// Address of the comparison service.
    pub comparator_url: String,
}

/// The part of a row that makes an ad what it is, with the texts that go with it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Row, Serialize)]
pub(super) struct Creative<'a> {
    pub(super) domain: &'a str,
    pub(super) kind: &'a str,
    pub(super) engine: &'a str,
    pub(super) device: &'a str,
    pub(super) country: &'a str,
    pub(super) language: &'a str,
    pub(super) title: &'a str,
    pub(super) description: &'a str,
    pub(super) display_url: &'a str,
    pub(super) image: &'a str,
    pub(super) price: &'a str,
    pub(super) merchant: &'a str,
    pub(super) comparator_name: &'a str,
    pub(super) comparator_url: &'a str,
}

impl<'a> Creative<'a> {
    /// The creative that a row shows: what is the same in every view of the ad, without when, where and at which rank it was seen.
    pub(super) fn from_row(row: &'a AdRow) -> Self {
        Self {
            domain: &row.domain,
            kind: &row.kind,
            engine: &row.engine,
            device: &row.device,
            country: &row.country,
            language: &row.language,
            title: &row.title,
            description: &row.description,
            display_url: &row.display_url,
            image: &row.image,
            price: &row.price,
            merchant: &row.merchant,
            comparator_name: &row.comparator_name,
            comparator_url: &row.comparator_url,
        }
    }
}
