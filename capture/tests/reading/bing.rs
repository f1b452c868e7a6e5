use vocabulary::{AdKind, Block};

use super::{bing, domain, of_kind, page};

#[test]
fn reads_text_ads_above_and_below_with_targets_out_of_base64() {
    let read = bing(page!("bing-desktop"));
    let text = of_kind(&read, AdKind::Text);
    let seen: Vec<_> = text
        .iter()
        .map(|ad| (ad.position, ad.block, ad.title.as_str()))
        .collect();
    assert_eq!(
        seen,
        [
            (1, Block::Top, "Kettles - Official"),
            (2, Block::Bottom, "Kettles - Official")
        ]
    );
    assert_eq!(text[0].target_url.as_deref(), Some("https://www.kettle.example/sale"));
    assert_eq!(text[0].description.as_deref(), Some("Kettles for every stove."));
}

#[test]
fn a_badge_is_no_part_of_the_displayed_address() {
    let read = bing(page!("bing-desktop"));
    let first = of_kind(&read, AdKind::Text)[0];
    assert_eq!(first.display_url.as_deref(), Some("kettle.example › sale"));
    assert_eq!(domain(first), Some("kettle.example"));
}

#[test]
fn products_are_counted_once_though_a_hover_card_repeats_them() {
    let read = bing(page!("bing-desktop"));
    let products = of_kind(&read, AdKind::Shopping);
    let seen: Vec<_> = products.iter().map(|ad| (ad.title.as_str(), ad.block)).collect();
    assert_eq!(seen, [("Brass kettle", Block::Top), ("Copper kettle", Block::Right)]);
    assert_eq!(products[1].price.as_deref(), Some("89,00 €"));
    assert_eq!(products[1].merchant.as_deref(), Some("Spout"));
    assert!(read.doubts.is_empty(), "{:?}", read.doubts);
}

#[test]
fn a_tracker_is_never_the_domain_of_a_product() {
    let read = bing(page!("bing-desktop"));
    let products = of_kind(&read, AdKind::Shopping);
    assert_eq!(domain(products[0]), None);
    assert_eq!(products[0].trackers[0].as_str(), "clickserve.dartsearch.net");
    assert_eq!(domain(products[1]), Some("spout.example"));
}

#[test]
fn reads_the_mobile_layout() {
    let read = bing(page!("bing-mobile"));
    let seen: Vec<_> = read
        .ads
        .iter()
        .map(|ad| (ad.title.as_str(), ad.block, domain(ad)))
        .collect();
    assert_eq!(
        seen,
        [
            ("Prêt en ligne", Block::Top, Some("pret.example")),
            ("Crédit rapide", Block::Bottom, Some("credit.example"))
        ]
    );
    assert_eq!(
        read.ads[0].description.as_deref(),
        Some("Réponse immédiate et sans engagement.")
    );
    assert_eq!(read.organic[0].domain.as_str(), "banque.example");
}

#[test]
fn organic_results_lead_behind_the_redirect() {
    assert_eq!(bing(page!("bing-desktop")).organic[0].url, "https://kitchen.example/");
}
