//! What a capture gives.

use capture::browsing::SearchRequest;
use vocabulary::Device;

use crate::engine::{TestEngine, html, pool, search, status};

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
    let engine = TestEngine::serve(|asked| match asked.path.as_str() {
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
    let engine = TestEngine::serve(|asked| {
        if asked.query.contains("sei=1") {
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
    let engine = TestEngine::serve(|_| html("<body style='margin:0'><div style='height:3000px'>long</div>")).await;
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
        let picture = page.screenshot.unwrap();
        assert_eq!((&picture[..4], &picture[8..12]), (&b"RIFF"[..], &b"WEBP"[..]));
        // The extended form has the size, less one, at bytes 24 to 30.
        assert_eq!(&picture[12..16], b"VP8X");
        assert_eq!(u16::from_le_bytes([picture[27], picture[28]]), 2_999, "{device}");
    }
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
