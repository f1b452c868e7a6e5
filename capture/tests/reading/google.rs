use vocabulary::{AdKind, Block};

use super::{domain, google, of_kind, page, titles};

#[test]
fn reads_list_items_of_2013_above_and_beside_the_results() {
    let read = google(page!("google-2013"));
    assert_eq!(read.generation, "google-2013");
    assert_eq!(titles(&read), ["Lumen Lanterns - Official", "Glow Shop", "Wick & Son"]);
    let blocks: Vec<_> = read.ads.iter().map(|ad| ad.block).collect();
    assert_eq!(blocks, [Block::Top, Block::Right, Block::Right]);
    assert_eq!(
        read.ads[0].description.as_deref(),
        Some("Light for every garden. Free returns.")
    );
    assert_eq!(
        read.ads[0].target_url.as_deref(),
        Some("http://www.lumen.example/lamps")
    );
}

#[test]
fn keeps_the_tracker_of_a_click_apart_from_its_target() {
    let read = google(page!("google-2013"));
    let ad = &read.ads[1];
    assert_eq!(ad.target_url.as_deref(), Some("http://www.glow.example/"));
    assert_eq!(ad.trackers.len(), 1);
    assert_eq!(ad.trackers[0].as_str(), "bs.serving-sys.com");
    assert_eq!(domain(ad), Some("glow.example"));
}

#[test]
fn sitelinks_are_no_ads() {
    assert_eq!(of_kind(&google(page!("google-2013")), AdKind::Text).len(), 3);
    assert_eq!(of_kind(&google(page!("google-2014")), AdKind::Text).len(), 3);
    assert_eq!(of_kind(&google(page!("google-2018-mobile")), AdKind::Text).len(), 2);
}

#[test]
fn reads_desktop_pages_of_2014_with_their_blocks_and_positions() {
    let read = google(page!("google-2014"));
    assert_eq!(read.generation, "google-2014");
    let text: Vec<_> = of_kind(&read, AdKind::Text)
        .iter()
        .map(|ad| (ad.position, ad.block))
        .collect();
    assert_eq!(text, [(1, Block::Top), (2, Block::Top), (3, Block::Bottom)]);
    let first = &read.ads[0];
    assert_eq!(first.title, "Soldes Aubergine - Jusqu'à -50%");
    assert_eq!(first.display_url.as_deref(), Some("www.aubergine.example/Soldes"));
    assert_eq!(
        first.description.as_deref(),
        Some("Nouvelle démarque. Livraison offerte.")
    );
    assert_eq!(
        first.target_url.as_deref(),
        Some("http://www.aubergine.example/soldes?utm_source=x")
    );
    assert_eq!(first.aclk_urls.len(), 1);
}

#[test]
fn a_product_drawn_three_times_for_three_widths_is_read_once() {
    let read = google(page!("google-2014"));
    let products = of_kind(&read, AdKind::Shopping);
    assert_eq!(products.len(), 1);
    let product = products[0];
    assert_eq!(product.block, Block::Right);
    assert_eq!(product.price.as_deref(), Some("39,00 €"));
    assert_eq!(product.merchant.as_deref(), Some("Navet Mode Paris"));
    assert_eq!(domain(product), Some("navet.example"));
}

#[test]
fn real_positions_count_results_too_in_the_order_of_the_page() {
    let read = google(page!("google-2014"));
    let ranks: Vec<_> = read.ads.iter().map(|ad| ad.real_position).collect();
    assert_eq!(ranks, [1, 2, 4, 5]);
    assert_eq!(read.ads[3].kind, AdKind::Shopping);
    assert_eq!(read.ads[3].position, 1);
}

#[test]
fn a_call_ad_has_no_displayed_address_and_no_domain() {
    let read = google(page!("google-2018-mobile"));
    let call = of_kind(&read, AdKind::Text)[0];
    assert_eq!(call.title, "Appelez le 01 99 00 12 34 | Plomberie Goutte");
    assert_eq!(call.display_url, None);
    assert_eq!(domain(call), None);
    assert_eq!(
        call.description.as_deref(),
        Some("Plombier à toute heure dans le quartier")
    );
}

#[test]
fn the_mobile_creative_is_not_the_headline_beside_it() {
    let read = google(page!("google-2018-mobile"));
    let ad = of_kind(&read, AdKind::Text)[1];
    assert_eq!(
        ad.description.as_deref(),
        Some("Intervention en trente minutes, prix annoncés avant travaux.")
    );
    assert_eq!(ad.target_url.as_deref(), Some("https://www.tuyau.example/urgence"));
    assert_eq!(ad.trackers[0].as_str(), "ad.doubleclick.net");
}

#[test]
fn mobile_products_leave_out_the_see_more_tile_and_hidden_copies() {
    let read = google(page!("google-2018-mobile"));
    let products = of_kind(&read, AdKind::Shopping);
    let named: Vec<_> = products.iter().map(|ad| ad.title.as_str()).collect();
    assert_eq!(named, ["Bouilloire émaillée", "Bouilloire inox"]);
    assert_eq!(products[0].comparator_name.as_deref(), Some("Par Comparateur"));
    assert_eq!(
        products[0].comparator_url.as_deref(),
        Some("https://comparateur.example/s?q=b")
    );
    assert_eq!(products[0].merchant_id.as_deref(), Some("77"));
    assert_eq!(products[0].image.as_deref(), Some("https://img.example/1.jpg"));
}

#[test]
fn a_product_whose_domain_cannot_be_known_says_so() {
    let mobile = google(page!("google-2018-mobile"));
    assert_eq!(domain(of_kind(&mobile, AdKind::Shopping)[0]), None);
    assert_eq!(domain(of_kind(&mobile, AdKind::Shopping)[1]), Some("vapeur.example"));
    let desktop = google(page!("google-pla"));
    let tracked = &desktop.ads[1];
    assert_eq!(domain(tracked), None);
    assert_eq!(tracked.trackers[0].as_str(), "clickserve.dartsearch.net");
}

#[test]
fn price_and_merchant_are_found_by_their_order_where_no_name_is_known() {
    let mobile = google(page!("google-2018-mobile"));
    let unnamed = of_kind(&mobile, AdKind::Shopping)[1];
    assert_eq!(
        (unnamed.price.as_deref(), unnamed.merchant.as_deref()),
        (Some("19,90 €"), Some("Vapeur"))
    );
    let desktop = google(page!("google-pla"));
    let unnamed = &desktop.ads[1];
    assert_eq!(
        (unnamed.price.as_deref(), unnamed.merchant.as_deref()),
        (Some("£ 310.50"), Some("Chain Reaction House"))
    );
}

#[test]
fn desktop_products_leave_out_hover_copies_and_the_see_more_tile() {
    let read = google(page!("google-pla"));
    assert_eq!(titles(&read), ["Touring bicycle, green", "City bicycle"]);
    assert_eq!(read.ads[0].merchant.as_deref(), Some("Saddle and Sp..."));
    assert_eq!(read.ads[0].comparator_name.as_deref(), Some("By Compare"));
    assert_eq!(domain(&read.ads[0]), Some("saddle.example"));
    assert!(read.doubts.is_empty(), "{:?}", read.doubts);
}

#[test]
fn reads_pages_since_2020_with_a_second_block_among_the_results() {
    let read = google(page!("google-2020"));
    assert_eq!(read.generation, "google-2020");
    let seen: Vec<_> = read.ads.iter().map(|ad| (ad.title.as_str(), ad.block)).collect();
    let expected = [
        ("Wanduhren vom Uhrwerk", Block::Top),
        ("Zeiträume", Block::Top),
        ("Pendel & Co", Block::Middle),
        ("Unruh", Block::Bottom),
    ];
    assert_eq!(seen, expected);
    assert_eq!(
        read.ads[0].description.as_deref(),
        Some("Handgefertigte Wanduhren aus dem Schwarzwald. Versand frei.")
    );
    assert_eq!(
        read.ads[1].description.as_deref(),
        Some("Uhren für jeden Raum, online und im Laden.")
    );
    assert_eq!(domain(&read.ads[1]), Some("xn--zeitrume-4za.example"));
}

#[test]
fn the_target_gives_the_domain_where_no_address_is_displayed() {
    let read = google(page!("google-2020"));
    assert_eq!(read.ads[3].display_url, None);
    assert_eq!(domain(&read.ads[3]), Some("unruh.example"));
}

#[test]
fn organic_results_are_listed_apart_from_ads() {
    let read = google(page!("google-2020"));
    let listed: Vec<_> = read
        .organic
        .iter()
        .map(|result| (result.position, result.title.as_str(), result.domain.as_str()))
        .collect();
    assert_eq!(
        listed,
        [
            (1, "Uhr", "lexikon.example"),
            (2, "Verein der Uhrenfreunde", "verein.example")
        ]
    );
    let old = google(page!("google-2013"));
    assert_eq!(old.organic[1].url, "http://museum.example/lamps");
}

#[test]
fn an_unknown_generation_is_read_by_its_links_through_the_click_counter() {
    let read = google(page!("google-unknown"));
    assert_eq!(read.generation, "google-fallback");
    assert_eq!(titles(&read), ["Grytor hos Gryta", "Slev & Kastrull"]);
    assert_eq!(domain(&read.ads[1]), Some("slev.example"));
    assert_eq!(
        read.ads[0].description.as_deref(),
        Some("Gjutjärn för livet, fri frakt över hela landet.")
    );
}
