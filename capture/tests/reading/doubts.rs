use capture::Doubt;
use vocabulary::Verdict;

use super::{bing, google, page};

#[test]
fn pages_that_were_read_whole_leave_no_doubt() {
    for page in [
        page!("google-2013"),
        page!("google-2014"),
        page!("google-2018-mobile"),
        page!("google-2020"),
        page!("google-pla"),
        page!("google-unknown"),
    ] {
        let read = google(page);
        assert!(
            read.doubts.is_empty(),
            "{} {:?} {:?}",
            read.generation,
            read.doubts,
            read.traces
        );
        assert_eq!(read.verdict_to_store(), Verdict::Results);
    }
    assert!(bing(page!("bing-mobile")).doubts.is_empty());
}

#[test]
fn a_container_of_ads_that_was_not_read_is_doubtful() {
    let page = "<div id=tads><div><b>Shop</b> <a href='/x'>Everything for less</a></div></div><div id=rso><a href='https://a.example/'><h3>A</h3></a></div>";
    let read = google(page);
    assert_eq!(read.verdict, Verdict::Results);
    assert_eq!(read.doubts, [Doubt::UnreadContainer]);
    assert_eq!(read.verdict_to_store(), Verdict::Doubtful);
}

#[test]
fn a_label_in_any_known_language_that_announces_nothing_read_is_doubtful() {
    for label in [
        "Annonce",
        "Sponsored",
        "Annons",
        "Advertentie",
        "Anzeige",
        "Реклама",
        "Annuncio",
        "広告",
        "Patrocinado",
        "إعلان",
        "Sponset",
        "Спонсоровано",
        "Anúncio",
        "Reklama",
        "Ad ·",
    ] {
        let page = format!(
            "<div id=rso><div><span>{label}</span><b>Shop</b></div><a href='https://a.example/'><h3>A</h3></a></div>"
        );
        assert_eq!(google(&page).doubts, [Doubt::StrayLabel], "{label}");
    }
}

#[test]
fn the_word_in_a_footer_or_a_text_is_no_label() {
    let page = "<div id=rso><a href='https://a.example/'><h3>A</h3></a><p>Ad astra, a sponsored trip</p></div><footer><span>Реклама</span></footer><div><a href=/ads>Annonces</a></div>";
    assert!(google(page).doubts.is_empty());
}

#[test]
fn a_hidden_link_that_counts_clicks_belongs_to_the_shown_product_beside_it() {
    let product = |shown: &str| {
        format!(
            "<div id=rso><a href='https://guide.example/'><h3>Guide</h3></a></div>\
             <div class=new-card><a style='display:none' href='https://www.google.com/aclk?sa=l'></a>{shown}</div>"
        )
    };
    let shown = product("<a href='https://shop.example/kettle'>Kettle</a> <b>12,50 €</b>");
    assert_eq!(google(&shown).doubts, [Doubt::StrayClicks]);
    assert_eq!(google(&product("")).doubts, []);
    let hidden = product("<a href='https://shop.example/kettle' style='display:none'>Kettle</a>");
    assert_eq!(google(&hidden).doubts, []);
}

#[test]
fn a_click_counter_outside_everything_read_is_doubtful() {
    let page = "<div id=rso><a href='https://a.example/'><h3>A</h3></a></div><div><a href='https://www.google.com/aclk?sa=l&ai=1'>Shop</a></div>";
    assert_eq!(google(page).doubts, [Doubt::StrayClicks]);
    let page = "<ol id=b_results><li class=b_algo><h2><a href='https://a.example/'>A</a></h2></li></ol><a href='https://www.bing.com/aclick?ld=1'>Shop</a>";
    assert_eq!(bing(page).doubts, [Doubt::StrayClicks]);
}
