//! A small engine for the tests: pages on demand, and a record of requests.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::HeaderMap;
use axum::response::Response;
use capture::browsing::{EngineAddress, HostPattern, Limits, Pool, Sandbox, SearchRequest, Settings};
use tokio::sync::Notify;
use vocabulary::{Device, Engine};

/// Responds to a request.
pub type Handler = Arc<dyn Fn(&ReceivedRequest) -> Response<Body> + Send + Sync>;

/// One request the engine got.
#[derive(Clone, Debug)]
pub struct ReceivedRequest {
    pub path: String,
    pub query: String,
    pub headers: HeaderMap,
}

impl ReceivedRequest {
    pub fn header(&self, name: &str) -> String {
        self.headers
            .get(name)
            .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
            .unwrap_or_default()
    }
}

/// The engine: serves what a test wants, and records requests.
#[derive(Clone)]
pub struct TestEngine {
    pub address: SocketAddr,
    requests: Arc<Mutex<Vec<ReceivedRequest>>>,
    arrived: Arc<Notify>,
    handler: Handler,
}

impl TestEngine {
    pub async fn serve(handler: impl Fn(&ReceivedRequest) -> Response<Body> + Send + Sync + 'static) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let engine = Self {
            address: listener.local_addr().unwrap(),
            requests: Arc::default(),
            arrived: Arc::default(),
            handler: Arc::new(handler),
        };
        let router = Router::new().fallback(reply).with_state(engine.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        engine
    }

    pub fn requests(&self) -> Vec<ReceivedRequest> {
        self.requests.lock().unwrap().clone()
    }

    /// Waits until a path has been requested.
    pub async fn wait_for(&self, path: &str) {
        loop {
            let arrived = self.arrived.notified();
            if self.paths().iter().any(|requests| requests == path) {
                return;
            }
            arrived.await;
        }
    }

    /// The requested paths, without those that browsers request by themselves.
    pub fn paths(&self) -> Vec<String> {
        self.requests()
            .into_iter()
            .map(|requests| requests.path)
            .filter(|path| path != "/favicon.ico")
            .collect()
    }
}

async fn reply(State(engine): State<TestEngine>, request: Request) -> Response<Body> {
    let (parts, _) = request.into_parts();
    let requests = ReceivedRequest {
        path: parts.uri.path().to_owned(),
        query: parts.uri.query().unwrap_or_default().to_owned(),
        headers: parts.headers,
    };
    engine.requests.lock().unwrap().push(requests.clone());
    engine.arrived.notify_waiters();
    (engine.handler)(&requests)
}

pub fn html(body: impl Into<Body>) -> Response<Body> {
    Response::builder()
        .header("content-type", "text/html; charset=utf-8")
        .body(body.into())
        .unwrap()
}

pub fn status(code: u16, body: &'static str) -> Response<Body> {
    Response::builder()
        .status(code)
        .header("content-type", "text/html")
        .body(Body::from(body))
        .unwrap()
}

pub fn redirect(to: &str) -> Response<Body> {
    Response::builder()
        .status(302)
        .header("location", to)
        .body(Body::empty())
        .unwrap()
}

/// The browser of Debian, the one without windows first, as in `vigie up`.
fn installed() -> PathBuf {
    let shell = PathBuf::from("/usr/lib/chromium/chromium-headless-shell");
    if shell.exists() {
        shell
    } else {
        "/usr/bin/chromium".into()
    }
}

/// Settings that search the engine; the base path of each engine is its name.
pub fn settings(engine: &TestEngine, folder: &tempfile::TempDir) -> Settings {
    let address = |name: Engine| EngineAddress {
        base: format!("http://serp.test/{name}").parse().unwrap(),
        hosts: vec![HostPattern::new("serp.test")],
        resolve: Some(engine.address),
    };
    Settings {
        chromium: std::env::var_os("VIGIE__CAPTURE__CHROMIUM").map_or_else(installed, PathBuf::from),
        host: None,
        work_folder: folder.path().to_owned(),
        // Tests may run as root, where Chromium refuses its sandbox; another test covers that.
        sandbox: Sandbox::Off,
        tabs: 1,
        limits: Limits {
            deadline: Duration::from_secs(20),
            ..Limits::default()
        },
        engines: [Engine::Google, Engine::Bing]
            .map(|engine| (engine, address(engine)))
            .into(),
        proxies: Vec::new(),
    }
}

pub async fn pool(engine: &TestEngine, folder: &tempfile::TempDir) -> Pool {
    Pool::start(settings(engine, folder)).await.unwrap()
}

pub fn search(term: &str) -> SearchRequest {
    SearchRequest {
        engine: Engine::Google,
        device: Device::Desktop,
        term: term.to_owned(),
        locale: "fr_FR".parse().unwrap(),
        location: None,
        screenshot: false,
        resources: false,
        deadline: None,
    }
}
