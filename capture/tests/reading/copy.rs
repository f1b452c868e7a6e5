use capture::{PageFile, files_in, read_and_copy, viewing_copy};
use url::Url;
use vocabulary::Engine;

use super::{google, page};

const HOSTILE: &str = r#"<html manifest=x onload="go()"><head><base href="https://evil.example/"><meta http-equiv=refresh content="0;url=https://evil.example/">
<link rel=prefetch href="https://evil.example/p"><link rel="dns-prefetch" href="//evil.example"><link rel=stylesheet href="/s.css"><style>.a{color:red}</style></head>
<body onclick="go()"><script>go()</script><script src=https://evil.example/x.js></script><noscript><img src=https://evil.example/n></noscript>
<iframe src=https://evil.example/f srcdoc="<script>go()</script>"></iframe><object data=https://evil.example/o></object><embed src=https://evil.example/e>
<form action=https://evil.example/send><input name=q autofocus formaction=https://evil.example/b></form><video poster=https://evil.example/v autoplay></video>
<a href=" java
script:go()" target=_blank ping=https://evil.example/ping>x</a><a href="https://shop.example/">y</a><img src=x onerror="go()"><img src="https://img.example/a.png">
<svg><script>go()</script><a xlink:href="javascript:go()"><set attributeName=href to="javascript:go()"/></a><use href="https://evil.example/u#a"/></svg>
<!-- <script>go()</script> --><template><script>go()</script></template><div id="ad-1">not an ad</div><math><mtext><style><img src=x onerror=go()></style></mtext></math>
<div id=search>nothing</div></body></html>"#;

fn base() -> Url {
    Url::parse("https://www.google.com/search?q=a").expect("an address")
}

#[test]
fn nothing_in_a_copy_acts_asks_or_leads_away() {
    let copy = viewing_copy(HOSTILE, Engine::Google, &base(), &[]);
    for gone in [
        "<script",
        "go()",
        "<iframe",
        "<object",
        "<embed",
        "<form",
        "evil.example",
        "refresh",
        "prefetch",
        "onerror",
        "onclick",
        "javascript:",
        "<video",
        "<template",
        "<noscript",
        "<!--",
        "autofocus",
        "target=",
        "ping=",
        " href=\"https://shop.example",
        "<math",
        "src=\"http",
        "<link",
    ] {
        assert!(!copy.contains(gone), "{gone} in {copy}");
    }
    assert!(!copy.contains("id=\"ad-1\""), "only real ads carry the mark");
}

#[test]
fn styles_links_and_the_base_stay() {
    let copy = viewing_copy(HOSTILE, Engine::Google, &base(), &[]);
    for kept in [
        "<meta charset=\"utf-8\"><base href=\"https://www.google.com/search?q=a\">",
        ".a{color:red}",
        "data-href=\"https://shop.example/\"",
    ] {
        assert!(copy.contains(kept), "{kept} in {copy}");
    }
}

#[test]
fn what_the_page_has_loaded_is_in_the_copy() {
    let page = r#"<head><link rel=stylesheet media=screen href="/s.css"><style>#b{background:url(/b.png)}</style></head>
<body background="/b.png"><img src="/b.png#x" srcset="/b.png 1x, /c.png 2x"><img srcset="/c.png 2x, /b.png 1x"><p style="background:url('b.png')">x</p>
<img src="data:image/gif;base64,R0lG"></body>"#;
    let files = [
        PageFile {
            url: "https://www.google.com/s.css",
            mime: "text/css",
            bytes: b".s{background:url(b.png)}",
        },
        PageFile {
            url: "https://www.google.com/b.png",
            mime: "image/png",
            bytes: b"PNG",
        },
    ];
    let copy = viewing_copy(page, Engine::Google, &base(), &files);
    assert_eq!(copy.matches(";base64,UE5H").count(), 6, "{copy}");
    assert!(copy.contains(".s{background:url(\"data:"), "{copy}");
    assert!(copy.contains("<img src=\"data:image/gif;base64,R0lG\">"), "{copy}");
    assert!(!copy.contains(".png"), "{copy}");
}

#[test]
fn a_second_copy_takes_its_files_from_the_first_wherever_they_are() {
    let files = [
        PageFile {
            url: "https://www.google.com/s.css",
            mime: "text/css",
            bytes: b".s{background:url(b.png?a=1&b=2)}",
        },
        PageFile {
            url: "https://www.google.com/b.png?a=1&b=2",
            mime: "image/png",
            bytes: b"PNG",
        },
    ];
    for page in [
        "<link rel=stylesheet href='/s.css'>",
        "<img src='/b.png?a=1&amp;b=2'>",
        "<p style='color:red;background:url(\"/b.png?a=1&amp;b=2\") no-repeat'>x</p>",
        "<style>p{background:url(/b.png?a=1&b=2)}</style>",
        "<table background='/b.png?a=1&amp;b=2'></table>",
    ] {
        let copy = viewing_copy(page, Engine::Google, &base(), &files);
        assert!(copy.contains(";base64,UE5H"), "{copy}");
        let found = files_in(&copy);
        let again: Vec<PageFile<'_>> = found.iter().map(capture::CopiedFile::as_page_file).collect();
        assert_eq!(viewing_copy(page, Engine::Google, &base(), &again), copy);
    }
}

#[test]
fn a_copy_names_no_address_a_browser_would_open() {
    let page = r#"<body background="https://evil.example/1"><img src="//evil.example/2" srcset="https://evil.example/3 2x" lowsrc="https://evil.example/4">
<input type=image src="https://evil.example/5"><p style="background:url(https://evil.example/6)">x</p><svg><image href="https://evil.example/7"/>
<rect fill="url(https://evil.example/8#a)" filter="u\72l(https://evil.example/9)"/></svg><style>@import "https://evil.example/10";</style>
<link rel=stylesheet href="https://evil.example/11"><table background="https://evil.example/12"></table><img src="data:text/html,<script>"></body>"#;
    let copy = viewing_copy(page, Engine::Google, &base(), &[]);
    assert!(!copy.contains("evil.example"), "{copy}");
    assert!(!copy.contains("data:text"), "{copy}");
}

#[test]
fn each_ad_is_marked_with_its_rank_among_ads() {
    for page in [page!("google-2014"), page!("google-2020"), page!("google-pla")] {
        let (read, copy) = read_and_copy(page, Engine::Google, &base(), &[]);
        assert!(!read.ads.is_empty());
        for ad in &read.ads {
            assert_eq!(
                copy.matches(&format!("id=\"ad-{}\"", ad.mark)).count(),
                1,
                "{}",
                ad.title
            );
        }
    }
}

#[test]
fn the_copy_shows_the_same_texts_as_the_page() {
    let copy = viewing_copy(page!("google-2020"), Engine::Google, &base(), &[]);
    let read = google(page!("google-2020"));
    for ad in &read.ads {
        assert!(copy.contains(&ad.title.replace('&', "&amp;")), "{}", ad.title);
    }
}

#[test]
fn a_copy_of_a_copy_is_the_same() {
    let once = viewing_copy(HOSTILE, Engine::Google, &base(), &[]);
    assert_eq!(viewing_copy(&once, Engine::Google, &base(), &[]), once);
}
