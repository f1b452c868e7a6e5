//! Whatever a page does, its capture ends with a reason within the deadline, and the next one is fine.

use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::http::Response;
use capture::browsing::{CaptureError, CapturedPage, Pool, SearchRequest};
use futures::stream::{self, StreamExt as _};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use vocabulary::CaptureFailure;

use crate::engine::{ReceivedRequest, TestEngine, html, pool, redirect, search};

const DEADLINE: Duration = Duration::from_secs(45);
/// For pages that are known not to finish.
const SHORT_DEADLINE: Duration = Duration::from_secs(3);
/// What a busy machine may add to a deadline.
const SLACK: Duration = Duration::from_secs(4);

/// Responds with the fault that the term names; other terms get results.
fn respond(request: &ReceivedRequest) -> Response<Body> {
    let fault = request
        .query
        .split('&')
        .find_map(|pair| pair.strip_prefix("q="))
        .unwrap_or_default();
    match fault {
        // Hidden text: Chromium can need minutes to lay out as much, and such a page would end at its deadline.
        "huge" => {
            let head = "<p>a page</p><script type=text/plain>".to_owned();
            let parts = std::iter::once(head).chain(std::iter::repeat_n("0123456789".repeat(100_000), 30));
            html(Body::from_stream(stream::iter(parts.map(Ok::<_, std::io::Error>))))
        }
        "grown" => html(
            "<script>const grown=document.createElement('template');grown.title='x'.repeat(2e7);document.head.append(grown)</script>",
        ),
        "hang" => {
            let first = stream::once(async { Ok::<_, std::io::Error>(Bytes::from("<p>the first part")) });
            html(Body::from_stream(first.chain(stream::pending())))
        }
        "silent" => Response::new(Body::from_stream(stream::pending::<Result<Bytes, std::io::Error>>())),
        "redirects" => redirect(&format!("{}?{}", request.path, request.query)),
        "script-redirects" => html("<script>location.replace(location.href.split('#')[0]+'&r=1')</script>"),
        "loop" => html("<p>x</p><script>for(;;){}</script>"),
        "late-loop" => html("<p>x</p><script>onload=()=>setTimeout(()=>{for(;;){}},20)</script>"),
        "dialogs" => html(
            "<script>onbeforeunload=e=>{e.preventDefault();return 'stay'};alert(1);confirm(2);prompt(3)</script><p>results</p>",
        ),
        "endless-dialogs" => html("<script>for(;;)alert(1)</script>"),
        "popups" => html("<script>for(let i=0;i<5;i++)open('/popup')</script><p>results</p><script>print()</script>"),
        "cut-length" => Response::builder()
            .header("content-type", "text/html")
            .header("content-length", "5000")
            .body(broken_off())
            .unwrap(),
        "cut-chunk" => html(broken_off()),
        "download" => Response::builder()
            .header("content-disposition", "attachment; filename=evil.exe")
            .body(Body::from("MZ"))
            .unwrap(),
        "nothing" => Response::builder().status(204).body(Body::empty()).unwrap(),
        "empty-error" => Response::builder().status(503).body(Body::empty()).unwrap(),
        "deep" => html(format!("{}<p>results</p>", "<div>".repeat(100_000))),
        "frames" => html(
            "<p>results</p><iframe src='/google/search?q=frames'></iframe><iframe src='/google/search?q=x'></iframe>",
        ),
        "greedy" => html(
            "<p>results</p><script>const all=[];onload=()=>{try{for(let i=0;i<64;i++)all.push(new Uint8Array(1<<20).fill(1))}catch{}}</script>",
        ),
        "permissions" => html(
            "<p>results</p><script>Notification.requestPermission();navigator.geolocation.getCurrentPosition(()=>{});\
             navigator.mediaDevices?.getUserMedia({video:true}).catch(()=>{})</script>",
        ),
        _ => html("<p>results</p>"),
    }
}

async fn capture(pool: &Pool, term: &str) -> Result<CapturedPage, CaptureError> {
    pool.capture(SearchRequest {
        deadline: Some(DEADLINE),
        ..search(term)
    })
    .await
}

/// The first part of a page; then the connection breaks.
fn broken_off() -> Body {
    let first = stream::once(async { Ok(Bytes::from("<html><body><div id=search>the first part</div>")) });
    let broken = stream::once(async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        Err(std::io::Error::other("the connection broke"))
    });
    Body::from_stream(first.chain(broken))
}

async fn assert_fine(pool: &Pool) {
    let page = capture(pool, "fine").await.unwrap();
    assert!(page.html.contains("<p>results</p>"), "{}", page.html);
}

async fn assert_fails(pool: &Pool, fault: &str, expected: CaptureFailure) {
    let begun = Instant::now();
    let deadline = if expected == CaptureFailure::Timeout {
        SHORT_DEADLINE
    } else {
        DEADLINE
    };
    let request = SearchRequest {
        deadline: Some(deadline),
        ..search(fault)
    };
    let error = pool.capture(request).await.map(|page| page.html).unwrap_err();
    assert_eq!(error.failure(), expected, "{fault}: {error}");
    assert!(begun.elapsed() < deadline + SLACK, "{fault} took {:?}", begun.elapsed());
    assert_fine(pool).await;
}

#[tokio::test]
async fn pages_that_are_too_large_or_redirect_on_and_on_are_refused() {
    let engine = TestEngine::serve(respond).await;
    let folder = tempfile::tempdir().unwrap();
    let pool = pool(&engine, &folder).await;
    assert_fails(&pool, "huge", CaptureFailure::TooLarge).await;
    assert_fails(&pool, "grown", CaptureFailure::TooLarge).await;
    assert_fails(&pool, "redirects", CaptureFailure::Redirects).await;
    assert_fails(&pool, "script-redirects", CaptureFailure::Redirects).await;
    pool.shutdown().await;
}

#[tokio::test]
async fn a_page_that_breaks_off_is_a_failure_that_keeps_what_came() {
    let engine = TestEngine::serve(respond).await;
    let folder = tempfile::tempdir().unwrap();
    let pool = pool(&engine, &folder).await;
    for fault in ["cut-length", "cut-chunk"] {
        let error = capture(&pool, fault).await.unwrap_err();
        assert_eq!(error.failure(), CaptureFailure::Network, "{fault}: {error}");
        let page = error.into_page().unwrap();
        assert!(page.html.contains("the first part"), "{fault}: {}", page.html);
        assert!(page.screenshot.is_some());
        assert_fine(&pool).await;
    }
    pool.shutdown().await;
}

#[tokio::test]
async fn pages_that_never_finish_end_at_the_deadline() {
    let engine = TestEngine::serve(respond).await;
    let folder = tempfile::tempdir().unwrap();
    let pool = pool(&engine, &folder).await;
    for fault in ["hang", "silent", "loop", "late-loop", "endless-dialogs"] {
        assert_fails(&pool, fault, CaptureFailure::Timeout).await;
    }
    pool.shutdown().await;
}

#[tokio::test]
async fn answers_without_a_page_say_so() {
    let engine = TestEngine::serve(respond).await;
    let folder = tempfile::tempdir().unwrap();
    let pool = pool(&engine, &folder).await;
    assert_fails(&pool, "download", CaptureFailure::Network).await;
    assert_fails(&pool, "nothing", CaptureFailure::Network).await;
    assert_fails(&pool, "empty-error", CaptureFailure::HttpError).await;
    assert_eq!(
        pool.health().await.browsers_started,
        1,
        "such answers are no reason to replace the browser"
    );
    pool.shutdown().await;
}

#[tokio::test]
async fn dialogs_popups_nesting_and_prompts_do_not_keep_a_page_from_being_read() {
    let engine = TestEngine::serve(respond).await;
    let folder = tempfile::tempdir().unwrap();
    let pool = pool(&engine, &folder).await;
    for fault in ["dialogs", "popups", "permissions", "deep", "frames", "greedy"] {
        let page = capture(&pool, fault).await.unwrap();
        assert!(page.html.contains("<p>results</p>"), "{fault}: {}", page.html);
        assert_fine(&pool).await;
    }
    pool.shutdown().await;
}

#[tokio::test]
async fn an_engine_that_cannot_be_reached_is_a_network_failure() {
    let engine = TestEngine::serve(respond).await;
    let free = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut settings = crate::engine::settings(&engine, &folder);
    for engine in settings.engines.values_mut() {
        engine.resolve = Some(free);
    }
    let pool = Pool::start(settings).await.unwrap();
    let error = capture(&pool, "x").await.unwrap_err();
    assert_eq!(error.failure(), CaptureFailure::Network, "{error}");
    pool.shutdown().await;
}

#[tokio::test]
async fn a_browser_that_dies_in_the_middle_is_replaced() {
    let engine = TestEngine::serve(respond).await;
    let folder = tempfile::tempdir().unwrap();
    let pool = pool(&engine, &folder).await;
    let pid = pool.health().await.browsers[0].pid;
    let loading = tokio::spawn({
        let pool = pool.clone();
        async move { capture(&pool, "hang").await }
    });
    engine.wait_for("/google/search").await;

    let begun = Instant::now();
    kill(Pid::from_raw(pid.try_into().unwrap()), Signal::SIGKILL).unwrap();
    let error = loading.await.unwrap().unwrap_err();

    assert_eq!(error.failure(), CaptureFailure::Browser, "{error}");
    assert!(
        begun.elapsed() < DEADLINE,
        "its death went unnoticed for {:?}",
        begun.elapsed()
    );
    assert_fine(&pool).await;
    assert_eq!(pool.health().await.browsers_started, 2);
    pool.shutdown().await;
}

#[tokio::test]
async fn a_fault_in_one_tab_does_not_disturb_its_neighbour() {
    let engine = TestEngine::serve(respond).await;
    let folder = tempfile::tempdir().unwrap();
    let mut settings = crate::engine::settings(&engine, &folder);
    settings.tabs = 2;
    let pool = Pool::start(settings).await.unwrap();
    let faults = async {
        for fault in ["loop", "hang"] {
            let request = SearchRequest {
                deadline: Some(SHORT_DEADLINE),
                ..search(fault)
            };
            pool.capture(request).await.unwrap_err();
        }
    };
    let neighbours = async {
        for _ in 0..10 {
            assert_fine(&pool).await;
        }
    };
    tokio::join!(faults, neighbours);
    pool.shutdown().await;
}
