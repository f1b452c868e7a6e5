//! What a capture gives.

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
