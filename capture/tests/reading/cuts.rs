//! Pages that break off, and pages on which nothing is found.

use capture::Doubt;
use vocabulary::{Engine, Verdict};

use super::{bing, google, page};

#[test]
fn a_page_cut_anywhere_is_doubted_though_what_is_there_is_read() {
    for (engine, page) in [
        (Engine::Google, page!("google-2024")),
        (Engine::Google, page!("google-2014")),
        (Engine::Bing, page!("bing-desktop")),
    ] {
        for share in [30, 40, 50, 70, 95] {
            let end = (0..=page.len() * share / 100)
                .rev()
                .find(|end| page.is_char_boundary(*end));
            let read = capture::read(&page[..end.unwrap()], engine);
            assert_ne!(
                read.verdict_to_store(),
                Verdict::Results,
                "{engine} at {share} %: {:?}",
                read.doubts
            );
        }
        assert_eq!(
            capture::read(page, engine).verdict_to_store(),
            Verdict::Results,
            "{engine}"
        );
    }
}

#[test]
fn end_tags_without_a_foot_are_what_a_browser_makes_of_a_page_that_broke_off() {
    let whole = page!("google-2024");
    let closed = whole.replace("<div id=\"foot\"></div>", "");
    assert_ne!(closed, whole);
    assert_eq!(google(&closed).doubts, [Doubt::PageCut]);
    let whole = page!("bing-desktop");
    let closed = whole.replace("<footer id=\"b_footer\"></footer>", "");
    assert_ne!(closed, whole);
    assert_eq!(bing(&closed).doubts, [Doubt::PageCut]);
}

#[test]
fn a_page_that_says_it_found_nothing_is_doubtful_and_keeps_what_it_says() {
    for page in [
        "<div id=topstuff><div class=card-section>Your search - <em>sfl234</em> - did not match any documents.</div></div>",
        "<div id=topstuff><p>No results containing all your search terms were found.</p></div>",
    ] {
        let read = google(page);
        assert_eq!(
            (read.verdict_to_store(), read.ads.len()),
            (Verdict::Doubtful, 0),
            "{page}"
        );
        assert_eq!(read.verdict, Verdict::Doubtful);
        assert_eq!(read.doubts, [Doubt::NoResults]);
    }
    let read =
        bing("<ol id=b_results><li class=b_no><h1>There are no results for <strong>sfl234</strong></h1></li></ol>");
    assert_eq!(read.doubts, [Doubt::NoResults]);
    assert_eq!(read.nothing_found.as_deref(), Some("There are no results for sfl234"));
}

#[test]
fn searches_that_are_proposed_beside_nothing_are_no_answer_and_are_not_what_the_page_says() {
    let related = |words: &str| {
        format!(
            "<ol id=b_results><li class=b_no><h1>There are no results for it</h1></li>\
             <li class=b_ans><div class=b_rs><h2>Related searches</h2><ul><li><a href='/search?q=1'>{words}</a></li></ul></div></li></ol>\
             <ol id=b_context><li class=b_ans><div class=b_rs><h2>Related searches</h2>{words}</div></li></ol>"
        )
    };
    for words in ["", "winter boots", "summer shoes"] {
        let read = bing(&related(words));
        assert_eq!(
            (read.verdict_to_store(), &*read.doubts),
            (Verdict::Doubtful, &[Doubt::NoResults][..]),
            "{words}"
        );
        assert_eq!(read.nothing_found.as_deref(), Some("There are no results for it"));
    }
    let answer = "<ol id=b_results><li class=b_ans><div class=b_focusLabel>Height</div>330 m</li></ol>";
    assert_eq!(bing(answer).verdict_to_store(), Verdict::Results);
}

#[test]
fn ads_above_nothing_found_are_ads() {
    let page = "<div id=tads><div class=uEierd><div data-text-ad=1><a data-rw='/aclk?sa=l' href='https://shop.example/'><div role=heading>Shop</div>\
        </a></div></div></div><div id=topstuff><p>Nothing was found for it.</p></div>";
    let read = google(page);
    assert_eq!((read.verdict_to_store(), read.ads.len()), (Verdict::Results, 1));
    assert_eq!(read.nothing_found, None);
}

#[test]
fn an_ad_that_poses_as_a_result_is_doubted_and_not_listed() {
    let coded = |target: &str| {
        use base64::Engine as _;
        let code = base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(target);
        format!("https://www.bing.com/ck/a?!&&p=1&ptn=3&u=a1{code}&ntb=1")
    };
    let result = |link: &str| {
        let organic = coded("https://guide.example/");
        format!(
            "<ol id=b_results><li class=b_algo><h2><a href='{organic}'>Guide</a></h2></li>\
             <li class=b_algo><h2><a href='{link}'>Shop</a></h2></li></ol>"
        )
    };
    for link in [
        coded("https://www.bing.com/aclick?ld=1"),
        coded("/aclick?ld=1"),
        coded("https://shop.example/?msclkid=1"),
        "https://www.bing.com/ck/a?!&&p=1".to_owned(),
    ] {
        let read = bing(&result(&link));
        assert_eq!(read.doubts, [Doubt::StrayClicks], "{link}");
        assert_eq!(read.organic.len(), 1, "{link}");
    }
    let read = bing(&result(&coded("https://other.example/")));
    assert_eq!((read.doubts.len(), read.organic.len()), (0, 2));
}

#[test]
fn a_label_within_a_result_is_no_label_of_the_ads_around_it() {
    let page = "<ol id=b_results><li class='b_ad b_adTop'><ul><li><div class=sb_add><h2><a href='/aclick?ld=1'>Ropes</a></h2>\
        <p>Ropes for boats and bells.</p></div></li></ul></li>\
        <li class=b_algo><h2><a href='https://shop.example/'>Shop</a></h2><div><span>Sponsored</span></div></li></ol>";
    assert_eq!(bing(page).doubts, [Doubt::StrayLabel]);
}
