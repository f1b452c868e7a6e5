use capture::{Doubt, decode, read, viewing_copy};
use proptest::prelude::*;
use url::Url;
use vocabulary::{AdKind, Engine};

use super::{google, page};

/// Everything a parser may stumble over, cut anywhere and joined in any order.
fn scraps() -> impl Strategy<Value = String> {
    let pages = [
        page!("google-2013"),
        page!("google-2014"),
        page!("google-2018-mobile"),
        page!("google-2020"),
        page!("google-pla"),
        page!("bing-desktop"),
    ];
    let cut = (
        prop::sample::select(pages.to_vec()),
        any::<prop::sample::Index>(),
        any::<prop::sample::Index>(),
    )
        .prop_map(|(page, a, b)| {
            let mut ends = [a.index(page.len()), b.index(page.len())];
            ends.sort_unstable();
            String::from_utf8_lossy(&page.as_bytes()[ends[0]..ends[1]]).into_owned()
        });
    prop::collection::vec(prop_oneof![3 => cut, 1 => any::<String>()], 1..4).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn any_page_is_read_the_same_twice_with_positions_without_gaps(page in scraps(), bing: bool) {
        let engine = if bing { Engine::Bing } else { Engine::Google };
        let first = read(&page, engine);
        prop_assert_eq!(format!("{first:?}"), format!("{:?}", read(&page, engine)));
        for kind in [AdKind::Text, AdKind::Shopping] {
            let positions: Vec<_> = first.ads.iter().filter(|ad| ad.kind == kind).map(|ad| usize::from(ad.position)).collect();
            prop_assert_eq!(&positions, &(1..=positions.len()).collect::<Vec<_>>());
        }
        let marks: Vec<_> = first.ads.iter().map(|ad| usize::from(ad.mark)).collect();
        prop_assert_eq!(&marks, &(1..=marks.len()).collect::<Vec<_>>());
        prop_assert!(first.ads.is_sorted_by_key(|ad| ad.real_position));
    }

    #[test]
    fn any_bytes_are_decoded_and_read(bytes: Vec<u8>, content_type: Option<String>) {
        google(&decode(&bytes, content_type.as_deref()));
    }

    #[test]
    fn a_copy_of_any_page_marks_each_ad_once(page in scraps()) {
        let base = Url::parse("https://www.google.com/search?q=a").unwrap();
        let read = google(&page);
        let copy = viewing_copy(&page, Engine::Google, &base, &[]);
        for ad in &read.ads {
            let mark = format!("id=\"ad-{}\"", ad.mark);
            prop_assert_eq!(copy.matches(&mark).count(), 1);
        }
    }
}

#[test]
fn endless_nesting_is_cut_and_doubted() {
    let read = google(&format!("<div id=search>a{}", "<div>".repeat(300_000)));
    assert_eq!(read.doubts, [Doubt::PageCut]);
}

#[test]
fn a_blow_up_of_formatting_is_cut() {
    let fonts: String = (0..400)
        .flat_map(|number| ["<font color=c".to_owned(), number.to_string(), ">".to_owned()])
        .collect();
    let read = google(&format!("<div id=search>a<p>{fonts}</p>{}", "<p>b</p>".repeat(20_000)));
    assert_eq!(read.doubts, [Doubt::PageCut]);
}

#[test]
fn a_flood_of_attributes_is_cut() {
    let attributes: String = (0..300_000)
        .flat_map(|number| [" a".to_owned(), number.to_string()])
        .collect();
    let read = google(&format!("<div id=search>a</div><b{attributes}>"));
    assert_eq!(read.doubts, [Doubt::PageCut]);
}

#[test]
fn a_long_picture_within_the_page_is_no_flood() {
    let picture = "QUJD/w".repeat(60_000);
    let read = google(&format!(
        "<div id=search><img src='data:image/png;base64,{picture}'>a</div>"
    ));
    assert!(read.doubts.is_empty());
}

#[test]
fn a_page_over_the_limit_is_read_up_to_it() {
    let page = format!("<div id=search>a</div>{}", "é".repeat(5_000_000));
    assert_eq!(google(&page).doubts, [Doubt::PageCut]);
}
