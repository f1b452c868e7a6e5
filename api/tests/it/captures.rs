//! The capture viewer: what anybody who knows the name of a capture is shown, and what nobody is.

use axum::http::StatusCode;
use serde_json::json;
use vocabulary::AdKind;

use crate::app::{App, TestResponse};
use crate::captured::TAKEN_AT;

const PAGE: &str = "<html><head></head><body><div id=\"ad-1\">one</div><div id=\"ad-4\">four</div></body></html>";
const UNKNOWN: &str = "8d3a7e0e-5f0c-4a53-9c5e-0a4f3f0f7d11";

fn text(answer: &TestResponse) -> &str {
    std::str::from_utf8(&answer.bytes).unwrap()
}

fn outlines(answer: &TestResponse, ad: u16) -> bool {
    text(answer).contains(&format!("<style>#ad-{ad}{{outline"))
}

#[tokio::test]
async fn a_capture_says_what_was_searched_and_when_and_nothing_else() {
    let app = App::start().await;
    let brand = app.postgres.brand("acme").await;
    let id = app.captured("red shoes", Some(brand), PAGE, &[]).await;
    let answer = app.get(&format!("/api/result/{id}"), &[]).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
    assert_eq!(
        answer.body,
        json!({"data": {
            "requestID": id.to_string(),
            "job": {"engine": "google", "locale": "fr_FR", "term": "red shoes", "device": "desktop"},
            "createdDate": TAKEN_AT,
            "verdict": "results",
            "ad": null,
            "hasScreenshot": false,
        }})
    );
}

#[tokio::test]
async fn the_page_is_sent_so_that_nothing_runs_and_nothing_is_asked_for() {
    let app = App::start().await;
    let id = app.captured("red shoes", None, PAGE, &[]).await;
    let answer = app
        .get(
            &format!("/api/capture-iframe/{id}/htmlContent?page=1&domain=none&adstype=none"),
            &[],
        )
        .await;
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!(text(&answer), PAGE);
    assert_eq!(answer.headers["content-type"], "text/html; charset=utf-8");
    assert_eq!(
        answer.headers["content-security-policy"],
        "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; font-src data:; form-action 'none'; \
         base-uri 'none'; frame-ancestors 'self'"
    );
    assert_eq!(answer.headers["referrer-policy"], "no-referrer");
    assert_eq!(answer.headers["x-content-type-options"], "nosniff");
    assert_eq!(answer.headers["cache-control"], "private, max-age=3600");
}

#[tokio::test]
async fn the_first_ad_of_the_domain_and_kind_is_named_and_outlined() {
    let app = App::start().await;
    let ads = [
        (AdKind::Shopping, "shop.example", 1),
        (AdKind::Text, "other.example", 2),
        (AdKind::Text, "shop.example", 4),
        (AdKind::Text, "shop.example", 5),
    ];
    let brand = app.postgres.brand("acme").await;
    let id = app.captured("red shoes", Some(brand), PAGE, &ads).await;
    for (query, ad) in [
        ("domain=shop.example&adstype=ads", Some(4)),
        ("domain=WWW.shop.example&adstype=ads", Some(4)),
        ("domain=shop.example&adstype=shopping", Some(1)),
        ("domain=shop.example&adstype=foo", Some(1)),
        ("domain=shop.example", Some(1)),
        ("domain=nobody.example&adstype=ads", None),
        ("domain=%3Cscript%3E&adstype=ads", None),
        ("domain=none&adstype=none", None),
        ("", None),
    ] {
        let result = app.get(&format!("/api/result/{id}?{query}"), &[]).await;
        assert_eq!(result.body["data"]["ad"], json!(ad), "{query}");
        let page = app
            .get(&format!("/api/capture-iframe/{id}/htmlContent?{query}"), &[])
            .await;
        assert!(text(&page).starts_with(PAGE), "{query}");
        match ad {
            Some(ad) => assert!(outlines(&page, ad), "{query}"),
            None => assert_eq!(text(&page), PAGE, "{query}"),
        }
    }
}

#[tokio::test]
async fn what_names_no_capture_is_not_found() {
    let app = App::start().await;
    app.captured("red shoes", None, PAGE, &[]).await;
    for id in ["nope", "1", UNKNOWN, "..%2F..%2Fetc", "'%20or%201=1"] {
        for path in [
            format!("/api/result/{id}"),
            format!("/api/capture-iframe/{id}/htmlContent"),
            format!("/api/capture-iframe/{id}/screenshot"),
        ] {
            let answer = app.get(&path, &[]).await;
            assert_eq!(answer.status, StatusCode::NOT_FOUND, "{path}");
            assert_eq!(answer.body["error"]["statusCode"], 404, "{path}");
        }
    }
    let broken = app.get("/api/result/%FF", &[]).await;
    assert_eq!(broken.status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn a_run_without_a_page_is_not_found() {
    let app = App::start().await;
    let failed = app.failed_run("red shoes", vocabulary::CaptureFailure::Captcha).await;
    let answer = app.get(&format!("/api/result/{failed}"), &[]).await;
    assert_eq!(answer.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_capture_whose_files_are_gone_says_that_it_has_expired() {
    let app = App::start().await;
    let id = app.captured("red shoes", None, PAGE, &[]).await;
    let expired = async || {
        for path in [
            format!("/api/result/{id}"),
            format!("/api/capture-iframe/{id}/htmlContent"),
        ] {
            let answer = app.get(&path, &[]).await;
            assert_eq!(answer.status, StatusCode::NOT_FOUND, "{path}");
            assert_eq!(answer.body["error"]["code"], "CAPTURE_EXPIRED", "{path}");
        }
    };
    let capture = postgres::captures::by_id(&app.state.postgres, id)
        .await
        .unwrap()
        .unwrap();
    app.state.blobs.delete(&capture.reading.view).await.unwrap();
    expired().await;
    app.postgres.execute("update capture set files_gone_at = now()").await;
    expired().await;
}

#[tokio::test]
async fn a_capture_has_one_page() {
    let app = App::start().await;
    let id = app.captured("red shoes", None, PAGE, &[]).await;
    let path = format!("/api/capture-iframe/{id}/htmlContent");
    assert_eq!(
        app.get(&format!("{path}?page=2"), &[]).await.status,
        StatusCode::NOT_FOUND
    );
    assert_eq!(
        app.get(&format!("{path}?page=x"), &[]).await.status,
        StatusCode::BAD_REQUEST
    );
}

#[tokio::test]
async fn the_picture_of_a_page_is_sent_where_one_was_taken() {
    let app = App::start().await;
    let picture = app.state.blobs.put(b"a picture".to_vec()).await.unwrap();
    let id = app
        .captured_with("red shoes", None, PAGE, &[], |capture| {
            capture.screenshot = Some(picture);
        })
        .await;
    let result = app.get(&format!("/api/result/{id}"), &[]).await;
    assert_eq!(result.body["data"]["hasScreenshot"], true);
    let answer = app.get(&format!("/api/capture-iframe/{id}/screenshot"), &[]).await;
    assert_eq!(answer.headers["content-type"], "image/webp");
    assert!(
        answer.headers["content-security-policy"]
            .to_str()
            .unwrap()
            .starts_with("sandbox;")
    );
    assert_eq!(answer.bytes, b"a picture");
}

#[tokio::test]
async fn a_picture_on_a_page_is_sent_from_its_copy_and_nothing_else_is() {
    let app = App::start().await;
    let held = |kind: &str, name: &str| {
        let from = format!("https%3A%2F%2Fpictures%2Eexample%2F{name}");
        format!("<img src=\"data:{kind};from={from};base64,YSBwaWN0dXJl\">")
    };
    let (shoe, script) = (held("image/webp", "shoe%2Ewebp"), held("image/svg+xml", "script%2Esvg"));
    let page = format!("<html><body>{shoe}{script}</body></html>");
    let id = app.captured("red shoes", None, &page, &[]).await;
    let ask = async |image: &str| {
        let path = format!("/api/capture-iframe/{id}/product?image=https://pictures.example/{image}");
        app.get(&path, &[]).await
    };
    let answer = ask("shoe.webp").await;
    assert_eq!(
        (answer.status, answer.bytes.as_slice()),
        (StatusCode::OK, &b"a picture"[..])
    );
    assert_eq!(answer.headers["content-type"], "image/webp");
    assert_eq!(answer.headers["x-content-type-options"], "nosniff");
    assert_eq!(answer.headers["referrer-policy"], "no-referrer");
    for image in ["script.svg", "boot.webp", ""] {
        assert_eq!(ask(image).await.status, StatusCode::NOT_FOUND, "{image}");
    }
}

#[tokio::test]
async fn the_evidence_is_for_those_who_see_the_brand() {
    let app = App::start().await;
    app.company_user("acme").await;
    app.company_user("bolt").await;
    let system = vocabulary::SystemScope::new("test");
    let acme = postgres::brands::search(&app.state.postgres, &system, "acme", 1)
        .await
        .unwrap()[0]
        .id;
    let id = app.captured("red shoes", Some(acme), PAGE, &[]).await;
    let path = format!("/api/captures/{id}/evidence");
    assert_eq!(app.get(&path, &[]).await.status, StatusCode::UNAUTHORIZED);
    let bolt = app.login("user@bolt.example").await;
    assert_eq!(app.get(&path, &[("token", &bolt)]).await.status, StatusCode::NOT_FOUND);
    let acme = app.login("user@acme.example").await;
    let answer = app.get(&path, &[("token", &acme)]).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
    assert_eq!(answer.headers["content-type"], "application/zip");
    let disposition = answer.headers["content-disposition"].to_str().unwrap();
    assert!(
        disposition.starts_with("attachment; filename=\"") && disposition.ends_with(".zip\""),
        "{disposition}"
    );
    assert!(answer.bytes.starts_with(b"PK"));
    let unknown = app
        .get(&format!("/api/captures/{UNKNOWN}/evidence"), &[("token", &acme)])
        .await;
    assert_eq!(unknown.status, StatusCode::NOT_FOUND);
}
