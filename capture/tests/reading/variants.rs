//! Layouts within one generation that differ in their order of elements, each as small as possible.

use std::collections::BTreeMap;

use capture::{Doubt, OtherUnit, ReadPage};
use vocabulary::{AdKind, Block, Verdict};

use super::{bing, domain, google, of_kind, titles};

const RESULT: &str = "<div id=rso><a href='https://guide.example/'><h3>Guide</h3></a></div>";

/// Title, price, merchant, domain and block.
type Product<'a> = (&'a str, Option<&'a str>, Option<&'a str>, Option<&'a str>, Block);

fn products(read: &ReadPage) -> Vec<Product<'_>> {
    let shopping = of_kind(read, AdKind::Shopping);
    let seen = shopping.into_iter().map(|ad| {
        let (price, merchant) = (ad.price.as_deref(), ad.merchant.as_deref());
        (ad.title.as_str(), price, merchant, domain(ad), ad.block)
    });
    seen.collect()
}

fn assert_sure(read: &ReadPage) {
    assert!(read.doubts.is_empty(), "{:?} {:?}", read.doubts, read.traces);
}

#[test]
fn products_in_a_table_beside_text_ads_are_read_by_their_pictures() {
    let product = |name: &str, price: &str, shop: &str, host: &str| {
        let link = format!("/aclk?sa=l&amp;adurl=https://www.{host}/p");
        format!(
            "<td><div><a href='{link}'><img alt='{name} in full'></a><div><a href='{link}'>{name} <b>kettle</b></a></div>\
             <div><b>{price}</b></div><div><cite>{shop}</cite></div></div></td>"
        )
    };
    let page = format!(
        "{RESULT}<table><tr><td id=rhs_block><table class=ts><tr><td><div>Anzeigen<a href=/support/answer.py></a></div>\
         <h3><a href='/search?tbm=shop'>Results of shops</a></h3></td></tr><tr>{}{}</tr></table>\
         <ol><li class=ads-ad><h3><a href='/aclk?adurl=https://tea.example/'>Tea</a></h3><cite>tea.example</cite>\
         <div class=ads-creative>Leaves by the pound.</div></li></ol></td></tr></table>",
        product("Iron", "12,50 €", "Spout", "spout.example"),
        product("Tin", "8,00 €", "Steam", "steam.example"),
    );
    let read = google(&page);
    assert_eq!(
        products(&read),
        [
            (
                "Iron kettle",
                Some("12,50 €"),
                Some("Spout"),
                Some("spout.example"),
                Block::Right
            ),
            (
                "Tin kettle",
                Some("8,00 €"),
                Some("Steam"),
                Some("steam.example"),
                Block::Right
            ),
        ]
    );
    assert_eq!(of_kind(&read, AdKind::Text).len(), 1);
    assert_sure(&read);
}

#[test]
fn a_product_alone_in_its_unit_is_named_by_its_link_and_not_by_the_explanation() {
    let link = "/aclk?sa=L&amp;adurl=https://spout.example/p";
    let page = format!(
        "{RESULT}<div id=rhs><div class='c commercial-unit-desktop-rhs'><span>Sponsored</span><div>We think that you are looking for a \
         product, and show what shops pay for.</div><table><tr><td><a href='{link}'><img alt='Kettle'></a></td><td><div>\
         <a href='{link}'>Iron <b>kettle</b></a></div><div>EUR17.06</div> - <span>Spout</span><div>36% price drop</div></td></tr></table>\
         </div></div>"
    );
    let read = google(&page);
    let kettle = (
        "Iron kettle",
        Some("EUR17.06"),
        Some("Spout"),
        Some("spout.example"),
        Block::Right,
    );
    assert_eq!(products(&read), [kettle]);
    assert_sure(&read);
}

#[test]
fn a_room_in_a_panel_of_facts_is_no_product_and_leaves_a_doubt() {
    let page = format!(
        "{RESULT}<div id=rhs_block><div class=kp-blk><b>Alder Lodge</b><a href='/aclk?ai=1'><img>Rooms by Birch</a><span>£80</span></div></div>"
    );
    let read = google(&page);
    assert_eq!((read.ads.len(), read.verdict_to_store()), (0, Verdict::Doubtful));
}

#[test]
fn what_a_carousel_keeps_for_its_lightbox_is_no_further_product() {
    let card = |class: &str, name: &str| {
        format!(
            "<div class='{class}'><a href='/aclk?ai={name}'><img><h4>{name}</h4></a><div>£5.00</div><div>Spout</div></div>"
        )
    };
    let page = format!(
        "<div id=tvcap><div class='commercial-unit-mobile-top'><span>Ads</span>{}{}<div style='display: none'>{}{}{}</div></div></div>{RESULT}",
        card("pla-unit", "Iron"),
        card("pla-unit", "Tin"),
        card("big", "Iron"),
        card("big", "Tin"),
        card("big", "Brass")
    );
    let read = google(&page);
    assert_eq!(titles(&read), ["Iron", "Tin"]);
    assert_sure(&read);
}

#[test]
fn a_product_for_browsers_without_scripts_has_a_prefix_before_its_name() {
    let page = format!(
        "<div id=main><div>โฆษณา</div><div><a href='/aclk?ai=1' class='xY7__pla-unit xY7__pla-unit-link' data-merchant-id=5><img>\
         <div><h4>เก้าอี้</h4></div><div>฿3,999</div><div>Chairs &amp; Co</div></a></div></div>{RESULT}"
    );
    let read = google(&page);
    assert_eq!(
        products(&read),
        [("เก้าอี้", Some("฿3,999"), Some("Chairs & Co"), None, Block::Top)]
    );
    assert_eq!(read.ads[0].merchant_id.as_deref(), Some("5"));
    assert_sure(&read);
}

#[test]
fn a_badge_is_no_name_and_the_button_of_a_card_belongs_to_it() {
    let card = |name: &str| {
        format!(
            "<div class=pla-unit-container><div><div><a class=pla-unit data-dtld='{name}.example' href='/aclk?ai={name}'><img><div>Price drop</div>\
             <div>{name} laptop with a long name</div><div>$829.79</div><div>Screen House</div></a></div></div>\
             <a href='/aclk?ai={name}&amp;button=1'>Shop now</a></div>"
        )
    };
    let page = format!(
        "<div id=tvcap><div class=commercial-unit-mobile-top><div><div><div><div><div><div><span><b></b><span>Sponsored</span></span>\
         </div></div></div></div></div></div><div>{}{}</div></div></div>{RESULT}",
        card("Slim"),
        card("Wide")
    );
    let read = google(&page);
    assert_eq!(
        titles(&read),
        ["Slim laptop with a long name", "Wide laptop with a long name"]
    );
    assert_eq!(read.ads[1].merchant.as_deref(), Some("Screen House"));
    assert_eq!(
        domain(&read.ads[1]),
        Some("wide.example"),
        "named beside a link that hides it"
    );
    assert_sure(&read);
}

#[test]
fn of_a_name_written_for_three_widths_one_is_read() {
    let page = format!(
        "<div id=rhs><div class=pla-unit><a class=pla-unit-title-link href='/aclk?adurl=https://spout.example/'>\
         <span class=rhsl4>Iron kettle, ...</span><span class='rhsg3 rhsl5'>Iron kettle, two litres</span><span class=rhsg4>Iron kettle,</span></a>\
         <div>£5.00</div><div>Spout</div></div></div>{RESULT}"
    );
    assert_eq!(titles(&google(&page)), ["Iron kettle, two litres"]);
}

#[test]
fn a_creative_that_begins_like_its_label_keeps_its_first_word() {
    let page = format!(
        "<div id=tads><ol><li class=ads-ad><h3><a href='/aclk?adurl=https://mug.example/'>Mugs</a></h3><div class=ads-visurl>\
         <span>Ad</span><cite>Adorable.example/mugs</cite></div><div class=ads-creative>Add your own photos.</div></li></ol></div>{RESULT}"
    );
    let read = google(&page);
    assert_eq!(read.ads[0].description.as_deref(), Some("Add your own photos."));
    assert_eq!(read.ads[0].display_url.as_deref(), Some("Adorable.example/mugs"));
}

#[test]
fn text_ads_of_a_narrow_page_stand_in_two_lists_of_one_name() {
    let list = |name: &str| {
        format!(
            "<div id=mtads><h2>Ad</h2><ol><li><h3><a id=pa0 href='/aclk?adurl=https://www.{name}.example/'>{name} rooms</a></h3><div><div>\
             <cite>www.{name}.example</cite></div>Rooms from tonight on.</div><div><a href='/aclk?ai=2'>Suites</a></div></li></ol></div>"
        )
    };
    let read = google(&format!("{}{RESULT}{}", list("alder"), list("birch")));
    let seen: Vec<_> = read
        .ads
        .iter()
        .map(|ad| (ad.title.as_str(), ad.block, domain(ad)))
        .collect();
    assert_eq!(
        seen,
        [
            ("alder rooms", Block::Top, Some("alder.example")),
            ("birch rooms", Block::Bottom, Some("birch.example"))
        ]
    );
    assert_eq!(read.ads[0].description.as_deref(), Some("Rooms from tonight on."));
    assert_sure(&read);
}

#[test]
fn shops_offers_rooms_and_flights_are_units_and_no_ads() {
    let page = format!(
        "<div id=tads><div><span>Sponsored</span><a href='https://support.google.com/hotelprices/answer/1'>Why</a>\
         <a href='/aclk?ai=h'>Alder Lodge $72</a></div></div>\
         <div class=commercial-unit-mobile-top><span>Ads</span><g-inner-card><img id=plascg0b0><div>Spout</div><a href='/aclk?ai=s'>\
         <img>Go to Spout</a><div>5,00 €</div></g-inner-card></div>{RESULT}\
         <div id=rhs><div class=commercial-unit-desktop-rhs><b>Glasses</b><span>75 €</span><span class=aB__jackpot-merchant>\
         <a href='/aclk?ai=o'><img>Lens</a></span></div></div>\
         <div id=flun><span>Sponsored</span><a href='https://www.google.com/flights/gwsredirect?q=a'>Flights</a></div>"
    );
    let read = google(&page);
    let counted = BTreeMap::from([
        (OtherUnit::Hotels, 1),
        (OtherUnit::Showcase, 1),
        (OtherUnit::Comparison, 1),
        (OtherUnit::Flights, 1),
    ]);
    assert_eq!((read.ads.len(), &read.other_units), (0, &counted));
    assert_sure(&read);
}

#[test]
fn products_of_a_phone_have_their_name_in_a_heading_behind_the_price() {
    let page = "<ol id=b_results><li class=b_ad><ul><li class=pa_item><a href='https://www.bing.com/aclick?u=aHR0cHM6Ly9zcG91dC5leGFtcGxlLw'>\
        <div class=pa_img><img></div></a><div class=pa_price><strong>95,00 €</strong></div><h3>Iron kettle</h3>\
        <div><cite>Spout</cite></div></li></ul></li><li class=b_algo><h2><a href='https://guide.example/'>Guide</a></h2></li></ol>";
    let read = bing(page);
    let kettle = (
        "Iron kettle",
        Some("95,00 €"),
        Some("Spout"),
        Some("spout.example"),
        Block::Top,
    );
    assert_eq!(products(&read), [kettle]);
    assert_sure(&read);
}

#[test]
fn products_of_an_unknown_layout_are_noticed_by_the_counter() {
    let card = |name: &str| {
        let link = format!("https://www.bing.com/aclick?ld={name}");
        format!(
            "<div><a href='{link}'><img></a><div><a href='{link}'>{name} kettle</a></div><div>$5.00</div><div>Spout</div></div>"
        )
    };
    let read = bing(&format!(
        "<ol id=b_results><li class=b_ad><div>{}{}</div></li><li class=b_algo><h2><a href='https://guide.example/'>Guide</a></h2></li></ol>",
        card("Iron"),
        card("Tin")
    ));
    let kettle = |name| (name, Some("$5.00"), Some("Spout"), None, Block::Top);
    assert_eq!(products(&read), [kettle("Iron kettle"), kettle("Tin kettle")]);
    assert_sure(&read);
}

#[test]
fn an_old_counter_hides_the_target_and_sitelinks_are_no_creative() {
    let page = "<div id=results><div class=sb_adsW><ul><li><div class='sb_add sb_adW'><h3><a href='http://0.r.msn.com/?ld=1'>Tyres</a></h3><div>\
        <div><cite>www.tyre.example</cite></div><p>Buy at the tyre barn.</p><div><a href='http://0.r.msn.com/?ld=2'>Purchase a gift \
        certificate</a></div></div></div></li></ul></div><ul><li><h3><a href='https://guide.example/'>Guide</a></h3></li></ul></div>";
    let read = bing(page);
    let ad = &read.ads[0];
    assert_eq!(ad.description.as_deref(), Some("Buy at the tyre barn."));
    assert_eq!(
        (domain(ad), ad.target_url.as_deref()),
        (Some("tyre.example"), Some("https://tyre.example/"))
    );
    assert_eq!(ad.aclk_urls, ["http://0.r.msn.com/?ld=1"]);
    assert_sure(&read);
}

#[test]
fn a_container_with_its_label_alone_and_the_word_within_a_sentence_are_no_traces() {
    let page = format!(
        "<div id=appbar><a href='/search?lr=de'>Weiter auf <span>Deutsch</span> anzeigen</a></div>{RESULT}\
         <div id=rso><p>... <em>words</em> Ads ...</p></div><div id=bottomads><div id=tadsb><h1>Ads</h1></div></div>\
         <div class=commercial-unit-desktop-top>Similar products <a href='/search?q=a'>Alpha</a> <a href='/search?q=b'>Beta</a></div>"
    );
    assert_sure(&google(&page));
}

#[test]
fn nothing_found_may_be_said_outside_the_frame_of_the_results() {
    for page in [
        "<div id=center_col><div id=res><div id=topstuff></div><div id=search></div></div><p>Nothing was found.</p></div>",
        "<div id=main><div><div class=xpd><div>Your search did not match any documents.</div></div></div></div>",
    ] {
        assert_eq!(google(page).doubts, [Doubt::NoResults], "{page}");
    }
}
