//! Pages with all that looks like a missed ad but is none. No good page is doubted.

use std::collections::BTreeMap;

use capture::{OtherUnit, ReadPage};
use vocabulary::{AdKind, Verdict};

use super::{bing, google, of_kind, titles};

/// The pages of the folder by name.
fn pages() -> BTreeMap<String, ReadPage> {
    let files = std::fs::read_dir("tests/reading/pages/sure")
        .unwrap()
        .map(|file| file.unwrap().path());
    let read = files.map(|file| {
        let page = std::fs::read_to_string(&file).unwrap();
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let is_bing = name.contains("bing");
        (name, if is_bing { bing(&page) } else { google(&page) })
    });
    read.collect()
}

#[test]
fn no_good_page_is_doubted() {
    let pages = pages();
    assert_eq!(pages.len(), 20);
    for (name, read) in pages {
        assert_eq!(
            read.verdict_to_store(),
            Verdict::Results,
            "{name}: {:?} {:?}",
            read.doubts,
            read.traces
        );
    }
}

#[test]
fn other_paid_units_are_counted_apart_wherever_they_stand() {
    let pages = pages();
    for (name, kind) in [
        ("hotels-above", OtherUnit::Hotels),
        ("hotels-among-results", OtherUnit::Hotels),
        ("place-with-label", OtherUnit::LocalPlaces),
        ("place-with-click", OtherUnit::LocalPlaces),
        ("flights-among-results", OtherUnit::Flights),
        ("flights-beside-ads", OtherUnit::Flights),
        ("tickets-beside", OtherUnit::Tickets),
        ("tickets-among-results", OtherUnit::Tickets),
    ] {
        assert_eq!(pages[name].other_units, BTreeMap::from([(kind, 1)]), "{name}");
    }
}

#[test]
fn ads_beside_other_units_are_read_and_nothing_of_the_units_is() {
    let pages = pages();
    for (name, ads) in [
        ("breadcrumb-own-text", &[][..]),
        ("breadcrumb-beside-ads", &["Remos del Puerto"]),
        ("related-in-container", &[]),
        ("hotels-above", &["Harbour Inn"]),
        ("hotels-among-results", &[]),
        ("place-with-click", &["Joiners of Elm Street"]),
        ("flights-beside-ads", &["Feather Air - Fly Tomorrow"]),
        ("tickets-beside", &[]),
        ("pointer-over-product", &["Ship bell 1", "Ship bell 2"]),
        ("pointer-over-product-apart", &["Ship bell 1", "Ship bell 2"]),
        ("pointer-over-bing-ad", &["Bells by Post"]),
    ] {
        assert_eq!(titles(&pages[name]), ads, "{name}");
    }
}

#[test]
fn a_short_text_is_preferred_to_the_sitelinks_below_it() {
    let pages = pages();
    let ad = of_kind(&pages["sitelinks-below-short-text"], AdKind::Text)[0];
    assert_eq!(ad.description.as_deref(), Some("Light for all gardens."));
}
