//! Layouts and traps beside the generations themselves.

use std::collections::BTreeMap;

use capture::{OtherUnit, decode};
use vocabulary::{AdKind, Block, Verdict};

use super::{bing, domain, google, of_kind, page, titles};

#[test]
fn reads_the_layout_for_browsers_without_scripts() {
    let read = google(page!("google-noscript"));
    assert_eq!(titles(&read), ["Alder Lodge - Book a room today", "Birch Inn"]);
    assert_eq!(domain(&read.ads[0]), Some("alderlodge.example"));
    assert_eq!(
        read.ads[0].description.as_deref(),
        Some("Quiet rooms by the lake, with breakfast from seven in the morning.")
    );
    assert_eq!(read.ads[1].target_url.as_deref(), Some("https://birch.example/stay"));
    assert_eq!(read.organic[0].url, "https://guide.example/lodges");
    assert!(read.doubts.is_empty(), "{:?} {:?}", read.doubts, read.traces);
}

#[test]
fn reads_pages_of_2024_with_text_ads_around_a_carousel() {
    let read = google(page!("google-2024"));
    let text: Vec<_> = of_kind(&read, AdKind::Text)
        .iter()
        .map(|ad| (ad.title.as_str(), ad.position, ad.real_position, ad.block, domain(ad)))
        .collect();
    assert_eq!(
        text,
        [
            (
                "Kettles by Spout - Whistling since 1950",
                1,
                1,
                Block::Top,
                Some("spout.example")
            ),
            ("Call 020 1234 567 | Kettle repairs", 2, 2, Block::Top, None),
            ("Lids & handles", 3, 6, Block::Bottom, Some("lid.example")),
        ]
    );
    assert_eq!(
        read.ads[0].description.as_deref(),
        Some("Stovetop and electric kettles in steel and copper. Delivered tomorrow.")
    );
    let products = of_kind(&read, AdKind::Shopping);
    assert_eq!(products.len(), 2);
    assert_eq!((products[0].position, products[0].real_position), (1, 3));
    assert_eq!(
        (
            products[0].merchant.as_deref(),
            products[0].price.as_deref(),
            domain(products[0])
        ),
        (Some("Steam House"), Some("£24.99"), Some("steam.example"))
    );
    assert_eq!(domain(products[1]), None, "its tracker hides where it leads");
    assert!(read.doubts.is_empty(), "{:?} {:?}", read.doubts, read.traces);
}

#[test]
fn other_paid_units_are_counted_apart() {
    let read = google(page!("google-units"));
    assert_eq!(titles(&read), ["Taps and pipes"]);
    let counted = BTreeMap::from([
        (OtherUnit::LocalServices, 1),
        (OtherUnit::Hotels, 1),
        (OtherUnit::Flights, 1),
    ]);
    assert_eq!(read.other_units, counted);
    assert!(read.doubts.is_empty(), "{:?} {:?}", read.doubts, read.traces);
}

#[test]
fn reads_bing_without_scripts_and_leaves_sitelinks_out() {
    let read = bing(page!("bing-noscript"));
    let seen: Vec<_> = read
        .ads
        .iter()
        .map(|ad| (ad.title.as_str(), ad.block, domain(ad)))
        .collect();
    assert_eq!(
        seen,
        [
            ("Ropes - Twisted and Braided", Block::Top, Some("rope.example")),
            ("Knots by post", Block::Top, Some("knot.example")),
            ("Cords", Block::Bottom, Some("cord.example")),
        ]
    );
    assert_eq!(read.ads[0].description.as_deref(), Some("Ropes for boats and bells."));
    assert!(read.doubts.is_empty(), "{:?} {:?}", read.doubts, read.traces);
}

#[test]
fn a_displayed_host_in_other_letters_is_the_host_it_means() {
    for (shown, host) in [
        ("https://www.bücher.example › neu", "xn--bcher-kva.example"),
        ("кофе.example/скидки", "xn--e1ajmy.example"),
        ("WWW.Zürich-Uhren.EXAMPLE", "xn--zrich-uhren-thb.example"),
    ] {
        let page = page!("google-2024").replace("https://www.lid.example › spares", shown);
        let read = google(&page);
        let ad = read.ads.last().unwrap();
        assert_eq!(ad.display_url.as_deref(), Some(shown));
        assert_eq!(ad.domain, vocabulary::WebHost::parse(shown), "{shown}");
        assert_eq!(domain(ad), Some(host), "{shown}");
    }
}

#[test]
fn pages_in_other_encodings_are_read_as_they_were_meant() {
    let cyrillic = page!("google-2024")
        .replace("<head>", "<head><meta charset=windows-1251>")
        .replace("Lids &amp; handles", "Крышки и ручки");
    let (bytes, _, _) = encoding_rs::WINDOWS_1251.encode(&cyrillic);
    let read = google(&decode(&bytes, None));
    assert_eq!(read.ads.last().unwrap().title, "Крышки и ручки");

    let western = page!("bing-noscript")
        .replace(
            "<html lang=\"en\">",
            "<html><head><meta http-equiv=content-type content='text/html; charset=iso-8859-1'></head>",
        )
        .replace("Thin ropes.", "Cordes légères, à l’œil.");
    let (bytes, _, _) = encoding_rs::WINDOWS_1252.encode(&western);
    let read = bing(&decode(&bytes, None));
    assert_eq!(
        read.ads.last().unwrap().description.as_deref(),
        Some("Cordes légères, à l’œil.")
    );
}

#[test]
fn nothing_found_is_doubtful_and_a_shell_is_no_answer() {
    let nothing = "<div id=topstuff><div class=card-section>Your search did not match any documents.</div></div>";
    let read = google(nothing);
    assert_eq!((read.verdict_to_store(), read.ads.len()), (Verdict::Doubtful, 0));
    let shell = "<html><body><div id=main></div><script>load()</script></body></html>";
    assert_eq!(google(shell).verdict_to_store(), Verdict::Shell);
    assert_eq!(bing(shell).verdict_to_store(), Verdict::Shell);
}
