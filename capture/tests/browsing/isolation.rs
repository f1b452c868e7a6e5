//! Nothing of one job reaches another.

use axum::body::Body;
use axum::http::Response;
use capture::browsing::{CapturedPage, Pool};

use crate::engine::{TestEngine, html, pool, search, settings};

/// Reports what it finds of an earlier visit, then leaves a mark everywhere it can.
const PAGE: &str = "<!doctype html><pre id=found></pre><img src=/cached.png><script src=/cached.js></script><script>
    const database = () => new Promise(done => {
        const request = indexedDB.open('marks');
        let isNew = false;
        request.onupgradeneeded = () => { isNew = true; request.result.createObjectStore('marks') };
        request.onsuccess = () => done(isNew ? '' : 'marked');
        request.onerror = () => done('refused');
    });
    const marked = async () => {
        const before = {
            cookie: document.cookie, local: localStorage.length, session: sessionStorage.length, name: window.name,
            history: history.length, database: await database(), state: JSON.stringify(history.state),
        };
        document.cookie = 'mark=1; max-age=9999'; localStorage.mark = 1; sessionStorage.mark = 1; window.name = 'marked';
        history.replaceState('marked', ''); history.pushState('marked', '', '#marked');
        addEventListener('pagehide', () => { document.cookie = 'late=1'; localStorage.late = 1; sessionStorage.late = 1 });
        found.textContent = JSON.stringify(before);
        await fetch('/done');
    };
    onload = marked;
</script>";

/// What a new tab finds: its history has the blank page it started with.
const CLEAN: &str = r#"{"cookie":"","local":0,"session":0,"name":"","history":2,"database":"","state":"null"}"#;

async fn marking_engine() -> TestEngine {
    TestEngine::serve(|request| match request.path.as_str() {
        "/cached.png" | "/cached.js" => Response::builder()
            .header(
                "content-type",
                if request.path.ends_with("js") {
                    "text/javascript"
                } else {
                    "image/png"
                },
            )
            .header("cache-control", "public, max-age=9999, immutable")
            .header("etag", "\"mark\"")
            .body(Body::empty())
            .unwrap(),
        "/done" => html(""),
        _ => Response::builder()
            .header("content-type", "text/html")
            .header("set-cookie", "from-server=1; Max-Age=9999; HttpOnly; Path=/")
            .body(Body::from(PAGE))
            .unwrap(),
    })
    .await
}

fn found(page: &CapturedPage) -> String {
    let (_, after) = page.html.split_once("<pre id=\"found\">").unwrap();
    after.split_once("</pre>").unwrap().0.to_owned()
}

async fn capture(pool: &Pool) -> String {
    found(&pool.capture(search("x")).await.unwrap())
}

#[tokio::test]
async fn nothing_of_a_job_reaches_the_next_one_in_its_tab() {
    let engine = marking_engine().await;
    let folder = tempfile::tempdir().unwrap();
    let pool = pool(&engine, &folder).await;

    for _ in 0..3 {
        assert_eq!(capture(&pool).await, CLEAN);
    }

    let request = engine.requests();
    assert!(
        request
            .iter()
            .all(|request| request.header("cookie").is_empty() || request.path != "/google/search")
    );
    for path in ["/cached.png", "/cached.js"] {
        let request: Vec<_> = request.iter().filter(|request| request.path == path).collect();
        assert_eq!(request.len(), 3, "{path} was taken from a cache");
        assert!(
            request.iter().all(|request| request.header("if-none-match").is_empty()),
            "{path} was known"
        );
    }
    assert_eq!(
        pool.health().await.browsers_started,
        1,
        "the jobs did not share a browser"
    );
    pool.shutdown().await;
}

#[tokio::test]
async fn jobs_side_by_side_do_not_see_each_other() {
    let engine = marking_engine().await;
    let folder = tempfile::tempdir().unwrap();
    let mut settings = settings(&engine, &folder);
    settings.tabs = 3;
    let pool = Pool::start(settings).await.unwrap();
    for _ in 0..3 {
        let (one, two, three) = tokio::join!(capture(&pool), capture(&pool), capture(&pool));
        assert_eq!([one.as_str(), &two, &three], [CLEAN; 3]);
    }
    pool.shutdown().await;
}
