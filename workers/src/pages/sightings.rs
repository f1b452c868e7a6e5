//! The sightings of advertisers in a capture.

use std::collections::BTreeMap;

use analytics::ingest::{AdRow, StoredAd};
use chrono::DateTime;
use postgres::actions::detection::{SightedAd, Sighting};
use postgres::captures::Capture;
use vocabulary::{AdKind, WebHost};

/// An ad as far as cases need it.
pub struct PageAd<'a> {
    domain: &'a str,
    kind: &'a str,
    title: &'a str,
    description: &'a str,
    rank: u16,
}

impl<'a> From<&'a AdRow> for PageAd<'a> {
    fn from(row: &'a AdRow) -> Self {
        Self {
            domain: &row.domain,
            kind: &row.kind,
            title: &row.title,
            description: &row.description,
            rank: row.real_position,
        }
    }
}

impl<'a> From<&'a StoredAd> for PageAd<'a> {
    fn from(ad: &'a StoredAd) -> Self {
        Self {
            domain: &ad.domain,
            kind: &ad.kind,
            title: &ad.title,
            description: &ad.description,
            rank: ad.real_position,
        }
    }
}

/// The sightings in a capture, one per domain in alphabetical order, from its ads. Ads without a domain are left out; none if the term had no brand.
/// Their time is that of the page, to the second, as in ClickHouse.
pub fn sightings<'a, A: Into<PageAd<'a>>>(capture: &Capture, ads: impl IntoIterator<Item = A>) -> Vec<Sighting> {
    let Some(brand) = capture.brand_id else {
        return Vec::new();
    };
    let at = DateTime::from_timestamp(capture.taken_at.timestamp(), 0).unwrap_or(capture.taken_at);
    let mut by_domain: BTreeMap<&str, Sighting> = BTreeMap::new();
    for ad in ads.into_iter().map(Into::into).filter(|ad| !ad.domain.is_empty()) {
        let domain = ad.domain;
        let sighting = by_domain.entry(domain).or_insert_with(|| Sighting {
            brand,
            domain: domain.to_owned(),
            master: WebHost::parse(domain).map_or_else(|| domain.to_owned(), |host| host.master().to_string()),
            country: capture.locale.country().to_owned(),
            engine: capture.engine,
            languages: vec![capture.locale.language().to_owned()],
            terms: capture.term_id.into_iter().collect(),
            text: None,
            shopping: None,
            first: at,
            ads: Vec::new(),
        });
        let Ok(kind) = ad.kind.parse() else { continue };
        match kind {
            AdKind::Text => sighting.text = Some(at),
            AdKind::Shopping => sighting.shopping = Some(at),
        }
        sighting.ads.push(SightedAd {
            capture: capture.id,
            kind,
            at,
            words: format!("{} {}", ad.title, ad.description),
            rank: ad.rank,
        });
    }
    by_domain.into_values().collect()
}
