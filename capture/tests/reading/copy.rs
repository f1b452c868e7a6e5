use capture::{read_and_copy, viewing_copy};
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
    let copy = viewing_copy(HOSTILE, Engine::Google, &base());
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
    ] {
        assert!(!copy.contains(gone), "{gone} in {copy}");
    }
    assert!(!copy.contains("id=\"ad-1\""), "only real ads carry the mark");
}

#[test]
fn styles_pictures_and_the_base_stay() {
    let copy = viewing_copy(HOSTILE, Engine::Google, &base());
    for kept in [
        "<meta charset=\"utf-8\"><base href=\"https://www.google.com/search?q=a\">",
        ".a{color:red}",
        "<img src=\"https://img.example/a.png\">",
        "data-href=\"https://shop.example/\"",
        "href=\"/s.css\"",
    ] {
        assert!(copy.contains(kept), "{kept} in {copy}");
    }
}

#[test]
fn each_ad_is_marked_with_its_real_position() {
    for page in [page!("google-2014"), page!("google-2020"), page!("google-pla")] {
        let (read, copy) = read_and_copy(page, Engine::Google, &base());
        assert!(!read.ads.is_empty());
        for ad in &read.ads {
            assert_eq!(
                copy.matches(&format!("id=\"ad-{}\"", ad.real_position)).count(),
                1,
                "{}",
                ad.title
            );
        }
    }
}

#[test]
fn the_copy_shows_the_same_texts_as_the_page() {
    let copy = viewing_copy(page!("google-2020"), Engine::Google, &base());
    let read = google(page!("google-2020"));
    for ad in &read.ads {
        assert!(copy.contains(&ad.title.replace('&', "&amp;")), "{}", ad.title);
    }
}

#[test]
fn a_copy_of_a_copy_is_the_same() {
    let once = viewing_copy(HOSTILE, Engine::Google, &base());
    assert_eq!(viewing_copy(&once, Engine::Google, &base()), once);
}
