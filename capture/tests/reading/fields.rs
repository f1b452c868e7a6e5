//! The sources of single fields of ads.

use vocabulary::AdKind;

use super::{bing, domain, google, of_kind};

const RESULT: &str = "<div id=rso><a href='https://guide.example/'><h3>Guide</h3></a></div>";

#[test]
fn the_creative_of_bing_is_not_the_callout_before_it() {
    let ad = |text: &str| {
        format!(
            "<ol id=b_results><li class='b_ad b_adTop'><ul><li><div class=sb_add><h2><a href='/aclick?ld=1'>Ropes</a></h2>\
             <div class=b_caption><cite>rope.example</cite><p class=callout_vis>Free returns · Since 1900</p>{text}</div></div></li></ul></li></ol>"
        )
    };
    let shown = |text: &str| bing(&ad(text)).ads[0].description.clone();
    let described = "<div class=b_ad_description>Ropes for boats and bells.</div>";
    assert_eq!(shown(described).as_deref(), Some("Ropes for boats and bells."));
    let plain = "<p>Cords by the yard.</p>";
    assert_eq!(shown(plain).as_deref(), Some("Cords by the yard."));
}

#[test]
fn the_target_is_that_of_the_headline_and_not_of_a_card() {
    let page = format!(
        "{RESULT}<div id=tads><div data-text-ad=1><a data-rw='/aclk?sa=l&amp;ai=2' href='https://www.inn.example/rooms/7'><img></a>\
         <a data-rw='/aclk?sa=l&amp;ai=1' href='https://www.inn.example/'><div role=heading>Harbour Inn</div></a>\
         <span data-dtld=inn.example>https://www.inn.example</span></div></div>"
    );
    assert_eq!(
        google(&page).ads[0].target_url.as_deref(),
        Some("https://www.inn.example/")
    );
}

#[test]
fn where_the_landing_page_is_unknown_the_target_is_the_displayed_site() {
    for link in [
        "https://mmtro.com/c?tagid=1",
        "https://relay.example/r.php?c=7",
        "https://www.google.com/goto?url=CAESOpaque",
        "https://www.google.com/aclk?sa=l&amp;ai=1&amp;adurl=",
    ] {
        let page = format!(
            "{RESULT}<div id=tads><div data-text-ad=1><a data-rw='/aclk?sa=l&amp;ai=1' href='{link}'><div role=heading>Lanterns</div></a>\
             <span data-dtld=lumen.example>https://www.lumen.example › lamps</span></div></div>"
        );
        let read = google(&page);
        assert_eq!(
            read.ads[0].target_url.as_deref(),
            Some("https://lumen.example/"),
            "{link}"
        );
        assert_eq!(domain(&read.ads[0]), Some("lumen.example"), "{link}");
    }
}

#[test]
fn a_product_cut_for_want_of_room_has_the_whole_name_that_is_said() {
    let page = format!(
        "{RESULT}<div class=commercial-unit-desktop-top><div class=pla-unit><a class=plantl href='/aclk?adurl=https://spout.example/k' \
         aria-label='Copper kettle with a whistle, 2 litres 89,00 € Spout'></a><div class=pla-unit-title><a class=pla-unit-title-link \
         href='/aclk?adurl=https://spout.example/k'>Copper kettle ...</a></div><div class=e10twf>89,00 €</div><div class=LbUacb><span>Spout</span></div>\
         </div></div>"
    );
    let read = google(&page);
    assert_eq!(
        of_kind(&read, AdKind::Shopping)[0].title,
        "Copper kettle with a whistle, 2 litres"
    );
}

#[test]
fn a_product_alone_with_its_one_offer_is_a_shopping_ad() {
    let unit = |offers: &str| {
        format!(
            "{RESULT}<div class='c commercial-unit-mobile-top'><div><a href='/aclk?sa=l&amp;adurl=https://gong.example/p'><img><div role=heading>\
             Brass gong</div></a>{offers}</div></div>"
        )
    };
    let offer =
        |price: &str, shop: &str| format!("<div class='x__offer-row'><div>Реклама · {price} · {shop}</div></div>");
    let read = google(&unit(&offer("1 910,00 ₽", "Gong House")));
    let products = of_kind(&read, AdKind::Shopping);
    assert_eq!(products.len(), 1, "{:?}", read.other_units);
    assert_eq!(products[0].title, "Brass gong");
    assert_eq!(products[0].price.as_deref(), Some("1 910,00 ₽"));
    assert_eq!(products[0].merchant.as_deref(), Some("Gong House"));
    assert_eq!(domain(products[0]), Some("gong.example"));
    let compared = google(&unit(
        &(offer("1 910,00 ₽", "Gong House") + &offer("1 950,00 ₽", "Bells")),
    ));
    assert_eq!(compared.ads.len(), 0);
    assert_eq!(compared.other_units.len(), 1);
}

#[test]
fn the_shop_behind_a_click_counter_of_products_is_its_domain() {
    let page = format!(
        "{RESULT}<div class=commercial-unit-desktop-top><div class=pla-unit><div class=pla-unit-title><a class=pla-unit-title-link \
         href='https://ad.adlegend.com/click.ng?id=7&amp;click=https%3A%2F%2Fwww.spout.example%2Fk'>Kettle</a></div><div class=e10twf>$9.00</div></div></div>"
    );
    let read = google(&page);
    assert_eq!(domain(&read.ads[0]), Some("spout.example"));
    assert_eq!(read.ads[0].trackers[0].as_str(), "ad.adlegend.com");
}

#[test]
fn the_comparison_service_has_its_name_without_the_word_before_it() {
    let mut ad = google(super::page!("google-pla")).ads[0].clone();
    assert_eq!(ad.comparator(), Some("Compare"));
    for (shown, name) in [
        ("Par Comparateur", "Comparateur"),
        ("Von Preise Heute", "Preise Heute"),
        ("Parfum Club", "Parfum Club"),
    ] {
        ad.comparator_name = Some(shown.to_owned());
        assert_eq!(ad.comparator(), Some(name));
    }
}

#[test]
fn ranks_count_results_and_a_shopping_unit_once() {
    let unit = |name: &str| {
        let product = |n: usize| {
            format!(
                "<div class=pla-unit><div class=pla-unit-title><a class=pla-unit-title-link href='https://{name}{n}.example/'>{name} {n}</a></div>\
                 <div class=e10twf>${n}.00</div></div>"
            )
        };
        format!(
            "<div class=commercial-unit-desktop-top>{}{}</div>",
            product(1),
            product(2)
        )
    };
    let ad = |n: usize| {
        format!(
            "<div data-text-ad=1><a data-rw='/aclk?ai={n}' href='https://shop{n}.example/'><div role=heading>Shop {n}</div></a></div>"
        )
    };
    let result = |n: usize| format!("<div><a href='https://page{n}.example/'><h3>Page {n}</h3></a></div>");
    let page = format!(
        "<div id=taw>{}{}<div id=tads>{}</div></div><div id=rso>{}{}</div><div id=bottomads><div id=tadsb>{}</div></div>",
        unit("gong"),
        unit("bell"),
        ad(1),
        result(1),
        result(2),
        ad(2)
    );
    let read = google(&page);
    let ranks: Vec<_> = read
        .ads
        .iter()
        .map(|ad| (ad.title.as_str(), ad.real_position, ad.mark))
        .collect();
    assert_eq!(
        ranks,
        [
            ("gong 1", 1, 1),
            ("gong 2", 1, 2),
            ("bell 1", 2, 3),
            ("bell 2", 2, 4),
            ("Shop 1", 3, 5),
            ("Shop 2", 6, 6)
        ]
    );
}
