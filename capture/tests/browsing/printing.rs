//! Pages of our own as PDF.

use capture::browsing::{PageToPrint, PrintError};
use tokio::time::Instant;

use crate::engine::{TestEngine, html, pool, status};

/// A page of the server, by its address.
fn page(engine: &TestEngine) -> PageToPrint {
    PageToPrint {
        address: format!("http://{}/report?month=2026-10", engine.address)
            .parse()
            .unwrap(),
        token: "secret".to_owned(),
        time_zone: "Europe/Paris".to_owned(),
    }
}

#[tokio::test]
async fn a_page_is_printed_once_it_says_that_it_is_complete() {
    let other = TestEngine::serve(|_| html("elsewhere")).await;
    let elsewhere = format!("http://127.0.0.2:{}/", other.address.port());
    let engine = TestEngine::serve(move |request| match request.path.as_str() {
        "/figures" => html("42 views"),
        _ => html(format!(
            "<article data-print=loading><p id=a></p></article><img src='{elsewhere}'>
             <script>fetch('/figures').then(r => r.text()).then(t => setTimeout(() => {{
                 a.textContent = t; document.querySelector('article').dataset.print = 'ready' }}, 300))</script>"
        )),
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    let pool = pool(&engine, &folder).await;

    let pdf = pool.print(&page(&engine)).await.unwrap();

    assert!(pdf.starts_with(b"%PDF-"), "{} bytes", pdf.len());
    for request in engine.requests() {
        assert_eq!(request.header("authorization"), "secret", "{}", request.path);
    }
    assert!(engine.paths().contains(&"/figures".to_owned()));
    assert_eq!(other.paths(), Vec::<String>::new(), "another host is not reached");
    assert_eq!(
        pool.health().await.browsers.len(),
        1,
        "the browser of captures alone is left"
    );
    pool.shutdown().await;
}

#[tokio::test]
async fn a_page_that_lacks_a_part_or_cannot_be_loaded_is_not_printed() {
    let engine = TestEngine::serve(|request| match request.path.as_str() {
        "/report" => html("<article data-print=failed>"),
        _ => status(404, ""),
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    let pool = pool(&engine, &folder).await;
    let printed = pool.print(&page(&engine)).await;
    assert!(matches!(printed, Err(PrintError::Incomplete)), "{printed:?}");

    let mut nowhere = page(&engine);
    nowhere.address.set_port(Some(1)).unwrap();
    let began = Instant::now();
    let printed = pool.print(&nowhere).await;
    assert!(matches!(printed, Err(PrintError::Page(_))), "{printed:?}");
    assert!(
        began.elapsed() < PrintError::LIMIT,
        "it does not wait for what cannot come"
    );
    pool.shutdown().await;
}
