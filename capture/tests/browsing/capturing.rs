//! The result of a capture.

use std::time::Duration;

use axum::body::Body;
use axum::http::Response;
use capture::browsing::{RESOURCE_BYTES, SearchRequest};
use vocabulary::Device;

use crate::engine::{ReceivedRequest, TestEngine, html, pool, redirect, search, status};

#[tokio::test]
async fn gives_the_page_as_its_scripts_left_it() {
    let engine = TestEngine::serve(|_| {
        html("<!doctype html><title>t</title><p id=a>before</p><script>a.textContent='after'</script>")
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    let pool = pool(&engine, &folder).await;

    let page = pool.capture(search("blue shoes")).await.unwrap();

    assert!(page.html.starts_with("<!DOCTYPE html>"), "{}", page.html);
    assert!(page.html.contains("<p id=\"a\">after</p>"), "{}", page.html);
    assert_eq!(page.status, 200);
    assert_eq!(
        page.final_url.as_str(),
        "http://serp.test/google/search?q=blue+shoes&hl=fr&gl=fr"
    );
    assert!(
        page.headers
            .contains(&("content-type".into(), "text/html; charset=utf-8".into())),
        "{:?}",
        page.headers
    );
    assert!(page.screenshot.is_none() && !page.consent_answered);
    assert!(page.browser_version.starts_with("Chrome/"), "{}", page.browser_version);
    pool.shutdown().await;
}

#[tokio::test]
async fn gives_error_pages_with_their_status() {
    let engine = TestEngine::serve(|_| status(429, "<p>too many requests")).await;
    let folder = tempfile::tempdir().unwrap();
    let pool = pool(&engine, &folder).await;
    let page = pool.capture(search("x")).await.unwrap();
    assert_eq!(page.status, 429);
    assert!(page.html.contains("too many requests"));
    pool.shutdown().await;
}

#[tokio::test]
async fn waits_for_what_scripts_fetch_after_the_load() {
    let engine = TestEngine::serve(|request| match request.path.as_str() {
        "/late" => html("late ad"),
        _ => html("<p id=a></p><script>onload=()=>fetch('/late').then(r=>r.text()).then(t=>a.textContent=t)</script>"),
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    let pool = pool(&engine, &folder).await;
    let page = pool.capture(search("x")).await.unwrap();
    assert!(page.html.contains("<p id=\"a\">late ad</p>"), "{}", page.html);
    pool.shutdown().await;
}

#[tokio::test]
async fn follows_a_shell_page_that_sends_itself_on() {
    let engine = TestEngine::serve(|request| {
        if request.query.contains("sei=1") {
            return html("<p>results</p>");
        }
        html("<script>setTimeout(()=>location.replace(location.href+'&sei=1'),50)</script>")
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    let pool = pool(&engine, &folder).await;
    let page = pool.capture(search("x")).await.unwrap();
    assert!(page.html.contains("<p>results</p>"), "{}", page.html);
    assert!(page.final_url.as_str().ends_with("&sei=1"));
    pool.shutdown().await;
}

#[tokio::test]
async fn takes_a_picture_of_the_whole_page() {
    let engine = TestEngine::serve(|_| {
        html("<body style='margin:0'><div style='height:3000px;border-bottom:50px solid #00f'>long</div>")
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    let pool = pool(&engine, &folder).await;
    for device in [Device::Desktop, Device::Mobile] {
        let page = pool
            .capture(SearchRequest {
                screenshot: true,
                device,
                ..search("x")
            })
            .await
            .unwrap();
        let picture = webp::Decoder::new(&page.screenshot.unwrap()).decode().unwrap();
        assert_eq!(picture.height(), 3_050, "{device}");
        let row = &picture[3 * picture.width() as usize * 3_025..];
        assert!(row[0] < 20 && row[1] < 20 && row[2] > 235, "{device}: {:?}", &row[..3]);
    }
    pool.shutdown().await;
}

#[tokio::test]
async fn of_a_page_too_large_for_a_picture_the_upper_left_is_taken() {
    let engine =
        TestEngine::serve(|_| html("<body style='margin:0'><div style='width:20000px;height:20000px'>wide")).await;
    let folder = tempfile::tempdir().unwrap();
    let pool = pool(&engine, &folder).await;
    let page = pool
        .capture(SearchRequest {
            screenshot: true,
            ..search("x")
        })
        .await
        .unwrap();
    let picture = webp::Decoder::new(&page.screenshot.unwrap()).decode().unwrap();
    // As many pixels as a desktop page of the longest side that WebP allows.
    assert_eq!((picture.width(), picture.height()), (16_383, 1_366));
    pool.shutdown().await;
}

#[tokio::test]
async fn reads_the_document_even_when_the_page_forges_its_serialisation() {
    let forged = "<p>ads</p><script>Object.defineProperty(Element.prototype,'outerHTML',{get:()=>'forged'});\
        XMLSerializer.prototype.serializeToString=()=>'forged'</script>";
    let engine = TestEngine::serve(move |_| html(forged)).await;
    let folder = tempfile::tempdir().unwrap();
    let pool = pool(&engine, &folder).await;
    let page = pool.capture(search("x")).await.unwrap();
    assert!(
        page.html.contains("<p>ads</p>") && page.html.starts_with("<html>"),
        "{}",
        page.html
    );
    pool.shutdown().await;
}

/// A page with an image, a style sheet that names a font and another image, and two images that do not count.
fn with_resources(request: &ReceivedRequest) -> Response<Body> {
    let typed = |kind: &'static str, bytes: &'static [u8]| {
        Response::builder()
            .header("content-type", kind)
            .body(Body::from(bytes))
            .unwrap()
    };
    match request.path.as_str() {
        "/moved.svg" => redirect("/image.svg"),
        "/image.svg" => typed("image/svg+xml; charset=utf-8", SVG),
        "/style.css" => typed(
            "text/css",
            b"@font-face{font-family:f;src:url(/font.ttf)}p{font-family:f}div{width:9px}",
        ),
        "/font.ttf" => typed("font/ttf", b"no font"),
        "/huge.svg" => Response::builder()
            .header("content-type", "image/svg+xml")
            .body(Body::from([SVG, &vec![b' '; RESOURCE_BYTES]].concat()))
            .unwrap(),
        "/gone.svg" => status(404, "<p>not here"),
        _ => Response::builder()
            .header("content-type", "text/html")
            .header("set-cookie", "secret=1")
            .header("x-seen", "yes")
            .body(Body::from(
                "<!doctype html><link rel=stylesheet href=/style.css><p>results</p><img src=/moved.svg>\
                 <img src=/huge.svg><img src=/gone.svg><img src='data:image/gif;base64,R0lGODlhAQABAAAAACw='>",
            ))
            .unwrap(),
    }
}

const SVG: &[u8] = b"<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><rect width='9' height='9'/></svg>";

#[tokio::test]
async fn gives_what_the_page_has_loaded_when_asked_to() {
    let engine = TestEngine::serve(with_resources).await;
    let folder = tempfile::tempdir().unwrap();
    let pool = pool(&engine, &folder).await;

    let plain = pool.capture(search("x")).await.unwrap();
    let requested_before = engine.paths().len();
    let page = pool
        .capture(SearchRequest {
            resources: true,
            ..search("x")
        })
        .await
        .unwrap();

    assert!(plain.resources.is_empty());
    let mut found: Vec<_> = page
        .resources
        .iter()
        .map(|resource| (resource.url.as_str(), resource.mime.as_str(), resource.bytes.len()))
        .collect();
    found.sort_unstable();
    assert_eq!(
        found,
        [
            ("http://serp.test/font.ttf", "font/ttf", 7),
            ("http://serp.test/moved.svg", "image/svg+xml", SVG.len()),
            ("http://serp.test/style.css", "text/css", 74),
        ]
    );
    let requested = engine.paths().len() - requested_before;
    assert_eq!(requested, requested_before, "something was asked for again");
    pool.shutdown().await;
}

#[tokio::test]
async fn headers_are_given_without_cookies() {
    let engine = TestEngine::serve(with_resources).await;
    let folder = tempfile::tempdir().unwrap();
    let pool = pool(&engine, &folder).await;
    let page = pool.capture(search("x")).await.unwrap();
    assert!(page.headers.contains(&("x-seen".into(), "yes".into())));
    assert!(!format!("{:?}", page.headers).contains("secret"), "{:?}", page.headers);
    pool.shutdown().await;
}

#[tokio::test]
async fn a_picture_can_be_decided_on_once_the_page_was_read() {
    let engine = TestEngine::serve(|request| html(format!("<p>results of {}</p>", request.query))).await;
    let folder = tempfile::tempdir().unwrap();
    let pool = pool(&engine, &folder).await;

    let (page, open_page) = pool.capture_and_hold(search("x")).await.unwrap();
    assert!(page.screenshot.is_none());
    // There is one tab: the next page waits for it.
    let mut next = tokio::spawn({
        let pool = pool.clone();
        async move { pool.capture(search("next")).await }
    });
    let early = tokio::time::timeout(Duration::from_millis(500), &mut next).await;
    assert!(early.is_err(), "the tab was taken from its holder");
    assert_eq!(&open_page.screenshot().await.unwrap()[8..12], b"WEBP");
    assert!(next.await.unwrap().unwrap().html.contains("q=next"));

    let (_, open_page) = pool.capture_and_hold(search("y")).await.unwrap();
    drop(open_page);
    assert!(pool.capture(search("z")).await.unwrap().html.contains("q=z"));
    pool.shutdown().await;
}

#[tokio::test]
async fn a_page_that_is_never_let_go_of_is_taken_away() {
    let engine = TestEngine::serve(|_| html("<p>results</p>")).await;
    let folder = tempfile::tempdir().unwrap();
    let pool = pool(&engine, &folder).await;
    let (_, open_page) = pool.capture_and_hold(search("x")).await.unwrap();
    pool.capture(search("y")).await.unwrap();
    assert!(open_page.screenshot().await.is_err());
    assert_eq!(pool.health().await.browsers_started, 1);
    pool.shutdown().await;
}
