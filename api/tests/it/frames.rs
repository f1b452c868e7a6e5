//! Dashboards of others in frames: what reaches their host, and what comes through.

use std::net::SocketAddr;

use axum::Router;
use axum::extract::Request;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use serde_json::json;

use crate::app::{App, settings};

/// A dashboard that asks for a login, sets cookies, redirects, and says what it was asked with.
async fn dashboard() -> SocketAddr {
    async fn page(request: Request) -> Response {
        let asked = request.headers();
        let text = |name: header::HeaderName| {
            asked
                .get(name)
                .and_then(|value| value.to_str().ok())
                .unwrap_or("-")
                .to_owned()
        };
        let body = format!(
            r#"<script src="/app.js"></script><p>{} {} {}</p>"#,
            text(header::AUTHORIZATION),
            text(header::COOKIE),
            request.uri()
        );
        let headers = [
            (header::CONTENT_TYPE, "text/html"),
            (header::SET_COOKIE, "theirs=1; Path=/"),
            (header::CONTENT_SECURITY_POLICY, "sandbox allow-same-origin"),
        ];
        (headers, body).into_response()
    }
    let router = Router::new()
        .route("/board", get(page))
        .route("/board/{page}", get(page))
        .route("/other", get(page))
        .route("/moved", get(|| async { Redirect::to("/board?moved") }))
        .route("/out", get(|| async { Redirect::to("http://169.254.169.254/latest") }));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
}

struct World {
    app: App,
    token: String,
}

impl World {
    async fn new(allowed: &str, is_private: bool) -> Self {
        let mut app = App::start().await;
        app.admin().await;
        let mut changed = settings();
        changed.frames.allowed_hosts = vec![allowed.to_owned()];
        changed.frames.allow_private = is_private;
        app.set(changed);
        let token = app.login("admin@vigie.example").await;
        Self { app, token }
    }

    async fn store(&self, address: &str) {
        let entries = json!({"dashboards": {"stopgo-dashboard": {"address": address}, "clicdata": {"login": "ann", "password": "secret"}}});
        let me = self
            .app
            .get("/api/UserAccounts/me", &[("token", &self.token)])
            .await
            .body;
        let path = format!("/api/UserAccounts/{}", me["id"]);
        let headers = [("token", self.token.as_str()), ("content-type", "application/json")];
        let stored = self
            .app
            .send("PATCH", &path, entries.to_string().into(), &headers)
            .await;
        assert_eq!(stored.status, StatusCode::OK, "{}", stored.body);
    }

    /// The path of the frame; `None` where nothing is shown.
    async fn frame(&self) -> Option<String> {
        let found = self
            .app
            .get("/api/dashboards/stopgo-dashboard/frame", &[("token", &self.token)])
            .await;
        assert_eq!(found.status, StatusCode::OK, "{}", found.body);
        found.body["data"]["url"].as_str().map(str::to_owned)
    }
}

#[tokio::test]
async fn a_dashboard_comes_through_with_our_credentials_and_in_a_sandbox() {
    let address = dashboard().await;
    let world = World::new("127.0.0.1", true).await;
    assert_eq!(world.frame().await, None, "no entry");
    world.store(&format!("http://{address}/board?view=1")).await;
    let frame = world.frame().await.unwrap();
    assert!(!frame.contains("secret") && !frame.contains("ann"), "{frame}");

    // A browser asks from within the sandbox: without a session.
    let shown = world.app.get(&frame, &[("cookie", "access_token=whatever")]).await;
    let page = String::from_utf8(shown.bytes.clone()).unwrap();
    assert_eq!(shown.status, StatusCode::OK, "{page}");
    assert!(
        page.contains("Basic YW5uOnNlY3JldA==") && page.contains("/board?view=1"),
        "{page}"
    );
    assert!(!page.contains("whatever"), "our cookies stay here: {page}");
    let base = frame.split_once("/board").unwrap().0;
    assert!(page.contains(&format!("src=\"{base}/app.js\"")), "{page}");
    assert!(shown.headers.get(header::SET_COOKIE).is_none());
    let policies: Vec<_> = shown.headers.get_all(header::CONTENT_SECURITY_POLICY).iter().collect();
    assert_eq!(policies, ["sandbox allow-scripts allow-forms; frame-ancestors 'self'"]);
    assert_eq!(shown.headers[header::REFERRER_POLICY], "no-referrer");

    let moved = world.app.get(&format!("{base}/moved"), &[]).await;
    assert_eq!(moved.headers[header::LOCATION], format!("{base}/board?moved").as_str());
    assert_eq!(
        world.app.get(&format!("{base}/out"), &[]).await.status,
        StatusCode::FORBIDDEN
    );
    let worker = world.app.get(&frame, &[("service-worker", "script")]).await;
    assert_eq!(worker.status, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn other_dashboards_of_the_host_are_asked_for_without_the_credentials() {
    let address = dashboard().await;
    let world = World::new("127.0.0.1", true).await;
    world.store(&format!("http://{address}/board?of=1")).await;
    let frame = world.frame().await.unwrap();
    let base = frame.split_once("/board").unwrap().0;
    for (path, with_credentials) in [
        ("/board?of=1", true),
        ("/board/data", true),
        ("/board?of=2", false),
        ("/other", false),
        ("/board/../other", false),
    ] {
        let shown = world.app.get(&format!("{base}{path}"), &[]).await;
        let page = String::from_utf8(shown.bytes.clone()).unwrap();
        assert_eq!(shown.status, StatusCode::OK, "{path} {page}");
        assert_eq!(page.contains("Basic "), with_credentials, "{path} {page}");
    }
}

#[tokio::test]
async fn a_ticket_opens_its_dashboard_for_minutes_and_nothing_else() {
    let address = dashboard().await;
    let world = World::new("127.0.0.1", true).await;
    world.store(&format!("http://{address}/board")).await;
    let frame = world.frame().await.unwrap();
    let ticket = frame.split('/').nth(4).unwrap().to_owned();
    let as_session = world.app.get("/api/UserAccounts/me", &[("token", &ticket)]).await;
    assert_eq!(as_session.status, StatusCode::UNAUTHORIZED);
    let session = world.app.get(&frame.replace(&ticket, &world.token), &[]).await;
    assert_eq!(session.status, StatusCode::UNAUTHORIZED, "a session is no ticket");
    world
        .app
        .postgres
        .execute("update access_token set created = created - interval '6 minutes' where scopes is not null")
        .await;
    assert_eq!(world.app.get(&frame, &[]).await.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn hosts_that_are_not_allowed_are_not_shown() {
    let world = World::new("localhost", false).await;
    for address in [
        "https://other.example/",
        "http://localhost/",
        "https://ann:secret@localhost/",
        "https://127.0.0.1/",
        "file:///etc/passwd",
    ] {
        world.store(address).await;
        assert_eq!(world.frame().await, None, "{address}");
    }
    // The name is allowed, and leads into this network.
    world.store("https://localhost/").await;
    let frame = world.frame().await.unwrap();
    assert_eq!(world.app.get(&frame, &[]).await.status, StatusCode::SERVICE_UNAVAILABLE);
}
