//! The sightings of advertisers in a capture.

use std::collections::BTreeMap;

use chrono::DateTime;
use postgres::actions::detection::Sighting;
use postgres::captures::Capture;
use vocabulary::{AdKind, WebHost};

/// The sightings in a capture, one per domain in alphabetical order, from the domain and kind of each of its ads. Ads without a domain are left out;
/// none if the term had no brand. Their time is that of the page, to the second, as in ClickHouse.
pub fn sightings<'a>(capture: &Capture, ads: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<Sighting> {
    let Some(brand) = capture.brand_id else {
        return Vec::new();
    };
    let at = DateTime::from_timestamp(capture.taken_at.timestamp(), 0).unwrap_or(capture.taken_at);
    let mut by_domain: BTreeMap<&str, Sighting> = BTreeMap::new();
    for (domain, kind) in ads.filter(|(domain, _)| !domain.is_empty()) {
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
        });
        if kind == AdKind::Text.to_string() {
            sighting.text = Some(at);
        } else if kind == AdKind::Shopping.to_string() {
            sighting.shopping = Some(at);
        }
    }
    by_domain.into_values().collect()
}
