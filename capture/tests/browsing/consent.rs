//! Consent is answered once per profile.

use axum::body::Body;
use axum::http::Response;
use capture::browsing::{CaptureError, SearchRequest};
use vocabulary::{Device, Engine};

use crate::engine::{ReceivedRequest, TestEngine, html, pool, redirect, search};

fn set_cookie_and_send(cookie: &str, to: &str) -> Response<Body> {
    Response::builder()
        .status(303)
        .header("location", to)
        .header("set-cookie", cookie)
        .body(Body::empty())
        .unwrap()
}

/// A consent page with a form for each answer.
fn wall(request: &ReceivedRequest, remembers: bool) -> Response<Body> {
    let has_consent = request.header("cookie").contains("SOCS=yes");
    match request.path.as_str() {
        "/consent" => html(
            "<form method=get action=/save><input type=hidden name=set_eom value=true><button>Reject</button></form>\
             <form method=get action=/save><input type=hidden name=set_eom value=false><button>Accept</button></form>",
        ),
        "/save" if remembers && request.query == "set_eom=false" => {
            set_cookie_and_send("SOCS=yes; Path=/; Max-Age=9999", "/google/home")
        }
        "/save" => redirect("/google/home"),
        "/google/search" if !has_consent => redirect("/consent"),
        _ => html("<p>results</p>"),
    }
}

#[tokio::test]
async fn a_wall_is_answered_once_per_profile() {
    let engine = TestEngine::serve(|request| wall(request, true)).await;
    let folder = tempfile::tempdir().unwrap();
    let pool = pool(&engine, &folder).await;

    let first = pool.capture(search("one")).await.unwrap();
    let second = pool.capture(search("two")).await.unwrap();
    let other = pool
        .capture(SearchRequest {
            device: Device::Mobile,
            ..search("three")
        })
        .await
        .unwrap();

    assert!(first.html.contains("<p>results</p>") && second.html.contains("<p>results</p>"));
    assert_eq!(
        [first.consent_answered, second.consent_answered, other.consent_answered],
        [true, false, true]
    );
    assert_eq!(engine.paths().iter().filter(|path| *path == "/save").count(), 2);
    pool.shutdown().await;
}

#[tokio::test]
async fn an_answer_outlives_the_worker_that_gave_it() {
    let engine = TestEngine::serve(|request| wall(request, true)).await;
    let folder = tempfile::tempdir().unwrap();
    let mut asked_for_consent = Vec::new();
    for _ in 0..2 {
        let pool = pool(&engine, &folder).await;
        asked_for_consent.push(pool.capture(search("x")).await.unwrap().consent_answered);
        pool.shutdown().await;
    }
    assert_eq!(asked_for_consent, [true, false]);
}

#[tokio::test]
async fn a_banner_on_the_page_is_answered_once() {
    let engine = TestEngine::serve(|request| {
        if request.header("cookie").contains("BCP=yes") {
            return html("<p>results</p>");
        }
        html(
            "<p>results</p><div id=banner><button id=bnp_btn_accept onclick=\"document.cookie='BCP=yes; path=/';\
             banner.remove()\">Accept</button></div>",
        )
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    let pool = pool(&engine, &folder).await;
    let bing = || SearchRequest {
        engine: Engine::Bing,
        ..search("x")
    };
    let first = pool.capture(bing()).await.unwrap();
    let second = pool.capture(bing()).await.unwrap();
    assert_eq!([first.consent_answered, second.consent_answered], [true, false]);
    assert!(!first.html.contains("banner") && !second.html.contains("banner"));
    pool.shutdown().await;
}

#[tokio::test]
async fn a_wall_that_asks_again_is_a_failed_capture() {
    let engine = TestEngine::serve(|request| wall(request, false)).await;
    let folder = tempfile::tempdir().unwrap();
    let pool = pool(&engine, &folder).await;
    let error = pool.capture(search("x")).await.unwrap_err();
    assert!(matches!(error, CaptureError::Consent(_)), "{error}");
    let page = error.into_page().unwrap();
    assert!(
        page.html.contains("Accept") && page.final_url.path() == "/consent",
        "{}",
        page.html
    );
    assert!(page.screenshot.is_some());
    pool.shutdown().await;
}
