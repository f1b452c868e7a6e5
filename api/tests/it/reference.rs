//! The page on which the API is read and tried.

use axum::http::StatusCode;

use crate::app::App;

#[tokio::test]
async fn the_reference_is_a_page_of_this_server_alone() {
    let app = App::start().await;
    let page = app.get("/api/docs/", &[]).await;
    assert_eq!(page.status, StatusCode::OK);
    let html = String::from_utf8(page.bytes).unwrap();
    assert!(html.contains("swagger-ui"), "{html}");
    assert!(!html.contains("https://") && !html.contains("<script>"), "{html}");
    let policy = page.headers["content-security-policy"].to_str().unwrap();
    assert!(
        policy.contains("script-src 'self';") && policy.contains("frame-ancestors 'none'"),
        "{policy}"
    );
    let start = app.get("/api/docs/swagger-initializer.js", &[]).await;
    let script = String::from_utf8(start.bytes).unwrap();
    assert!(script.contains("/api/openapi.json"), "{script}");
    assert!(!script.contains("petstore"), "{script}");
    for missing in ["/api/docs/nothing.js", "/api/docs/..%2f..%2fetc/passwd", "/api/docsx"] {
        assert_eq!(app.get(missing, &[]).await.status, StatusCode::NOT_FOUND, "{missing}");
    }
}
