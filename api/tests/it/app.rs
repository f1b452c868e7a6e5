//! The API of one test: its router on databases of its own, asked as a client asks.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use api::ApiState;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::connect_info::MockConnectInfo;
use axum::http::{HeaderMap, Request, StatusCode, header};
use axum::response::Response;
use blobs::Blobs;
use chrono::{DateTime, TimeDelta, Utc};
use coordination::Coordination;
use postgres::tokens::{self, NewToken};
use postgres::users::{self, NewUser};
use runtime::{Clock, Secret, Settings};
use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::{ClickHouse, Postgres};
use tower::ServiceExt;
use vocabulary::{Role, SystemScope, UserId};

/// The password of every user that a test makes.
pub const PASSWORD: &str = "Str0ng!Passw0rd";
/// Bodies over this are a fault of the API.
const MAX_ANSWER: usize = 10 << 20;

/// A running API with stores of its own.
pub struct App {
    pub postgres: Postgres,
    pub clickhouse: ClickHouse,
    pub state: ApiState,
    router: Router,
    /// Deleted with the test.
    _files: TempDir,
}

/// An answer, read whole.
pub struct TestResponse {
    pub status: StatusCode,
    pub headers: HeaderMap,
    /// Null where it is no JSON.
    pub body: Value,
    pub bytes: Vec<u8>,
}

impl App {
    pub async fn start() -> Self {
        let (postgres, clickhouse) = tokio::join!(Postgres::new(), ClickHouse::new());
        let analytics = analytics::Client::new(&clickhouse.options()).unwrap();
        let start: DateTime<Utc> = "2026-03-02T08:00:00Z".parse().unwrap();
        let files = tempfile::tempdir().unwrap();
        let state = ApiState {
            postgres: postgres.pool.clone(),
            direct: postgres.direct(),
            analytics,
            blobs: Blobs::folder(files.path()).unwrap(),
            coordination: Coordination::alone(),
            changes: api::Changes::default(),
            clock: Clock::by_hand(start),
            settings: Arc::new(settings()),
        };
        let router = route(&state);
        Self {
            postgres,
            clickhouse,
            state,
            router,
            _files: files,
        }
    }

    /// An API whose sessions end by their own time alone, however long nobody uses them.
    pub async fn without_idle_end() -> Self {
        let mut app = Self::start().await;
        let mut settings = settings();
        settings.api.session_idle_hours = 0;
        app.set(settings);
        app
    }

    /// The same API with other settings.
    pub fn set(&mut self, settings: Settings) {
        self.state.settings = Arc::new(settings);
        self.router = route(&self.state);
    }

    /// The same API, which gives questions up earlier.
    pub fn limit_queries(&mut self, longest: Duration) {
        self.state.analytics = self.state.analytics.with_time_limit(longest);
        self.router = route(&self.state);
    }

    /// The same API, whose lists add up roll-ups of the days that are over, however few results they sum up.
    pub async fn roll_up(&mut self) {
        analytics::roll_up::seal_closed_days(&self.state.analytics)
            .await
            .unwrap();
        self.state.analytics = self.state.analytics.always_rolled_up();
        self.router = route(&self.state);
    }

    /// The same API on another store of ads.
    pub fn ask_ads_of(&mut self, analytics: analytics::Client) {
        self.state.analytics = analytics;
        self.router = route(&self.state);
    }

    /// The same API on other connections to its ledger.
    pub fn keep_records_in(&mut self, postgres: postgres::Pool) {
        self.state.direct = postgres::DirectPool::new(postgres.clone());
        self.state.postgres = postgres;
        self.router = route(&self.state);
    }

    /// All of it, to be served to clients over a socket.
    pub fn service(&self) -> Router {
        self.router.clone()
    }

    /// A company account with one brand and a user of it.
    pub async fn company_user(&self, name: &str) -> UserId {
        let system = SystemScope::new("test");
        let pool = &self.postgres.pool;
        let company = postgres::companies::create(pool, &system, name, name).await.unwrap();
        let brand = postgres::brands::NewBrand {
            label: name,
            name,
            validated: true,
            create_notification: true,
            create_shopping_notification: true,
        };
        let brand = postgres::brands::create(pool, &system, &brand).await.unwrap();
        postgres::companies::link_brand(pool, &system, company, brand)
            .await
            .unwrap();
        self.user(&NewUser {
            email: &format!("user@{name}.example"),
            company: Some(company),
            ..NewUser::default()
        })
        .await
    }

    /// The administrator that tests sign in as.
    pub async fn admin(&self) -> UserId {
        self.user(&NewUser {
            email: "admin@vigie.example",
            roles: &[Role::Admin],
            ..NewUser::default()
        })
        .await
    }

    /// A second administrator, for what takes two.
    pub async fn second_admin(&self) -> UserId {
        self.user(&NewUser {
            email: "second@vigie.example",
            roles: &[Role::Admin],
            ..NewUser::default()
        })
        .await
    }

    /// A member of the notifying team.
    pub async fn operator(&self) -> UserId {
        self.user(&NewUser {
            email: "operator@vigie.example",
            roles: &[Role::Operator],
            ..NewUser::default()
        })
        .await
    }

    async fn user(&self, new: &NewUser<'_>) -> UserId {
        let hash = api::passwords::hash(PASSWORD.to_owned()).await.unwrap();
        let mut connection = self.postgres.pool.acquire().await.unwrap();
        postgres::users::create(
            &mut connection,
            &NewUser {
                password_hash: Some(&hash),
                ..new.clone()
            },
        )
        .await
        .unwrap()
    }

    /// Signs in and answers the token.
    pub async fn login(&self, email: &str) -> String {
        let answer = self
            .post(
                "/api/UserAccounts/login",
                &json!({"email": email, "password": PASSWORD}),
                &[],
            )
            .await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
        answer.body["id"].as_str().unwrap().to_owned()
    }

    /// The token of a link to choose a new password, as the mail that brings it has one.
    pub async fn reset_token(&self, user: UserId) -> String {
        let token = tokens::fresh();
        let new = NewToken {
            digest: &tokens::digest(&token),
            user,
            ttl: 3_600,
            scopes: Some(&[tokens::RESET_SCOPE.to_owned()]),
            created: self.state.clock.now(),
            made_in: None,
            impersonated_by: None,
            user_agent: None,
        };
        tokens::create(&self.postgres.pool, &new).await.unwrap();
        token
    }

    /// The proof of an address, as the mail that brings it has one.
    pub async fn proof_of_address(&self, user: UserId) -> String {
        let token = tokens::fresh();
        let proof = users::Proof {
            digest: hex::encode(tokens::digest(&token)),
            ends: self.state.clock.now() + TimeDelta::days(users::PROOF_DAYS),
        };
        users::set_proof(&self.postgres.pool, user, Some(&proof)).await.unwrap();
        token
    }

    pub async fn get(&self, path: &str, headers: &[(&str, &str)]) -> TestResponse {
        self.send("GET", path, Body::empty(), headers).await
    }

    pub async fn post(&self, path: &str, body: &Value, headers: &[(&str, &str)]) -> TestResponse {
        let mut all = vec![(header::CONTENT_TYPE.as_str(), "application/json")];
        all.extend_from_slice(headers);
        self.send("POST", path, Body::from(body.to_string()), &all).await
    }

    /// An answer as text. Of a stream, only its status.
    pub async fn text(&self, method: &str, path: &str, body: &str, headers: &[(&str, &str)]) -> (StatusCode, String) {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Body::from(body.to_owned())).unwrap();
        let (parts, body) = self.router.clone().oneshot(request).await.unwrap().into_parts();
        let is_stream = parts
            .headers
            .get(header::CONTENT_TYPE)
            .is_some_and(|kind| kind == "text/event-stream");
        if is_stream {
            return (parts.status, String::new());
        }
        let bytes = to_bytes(body, MAX_ANSWER).await.unwrap();
        (parts.status, String::from_utf8_lossy(&bytes).into_owned())
    }

    /// An answer whose body is still to be read.
    pub async fn open(&self, path: &str, headers: &[(&str, &str)]) -> Response {
        let mut request = Request::builder().uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.router
            .clone()
            .oneshot(request.body(Body::empty()).unwrap())
            .await
            .unwrap()
    }

    pub async fn send(&self, method: &str, path: &str, body: Body, headers: &[(&str, &str)]) -> TestResponse {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let response = self.router.clone().oneshot(request.body(body).unwrap()).await.unwrap();
        let (parts, body) = response.into_parts();
        let bytes = to_bytes(body, MAX_ANSWER).await.unwrap();
        let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        TestResponse {
            status: parts.status,
            headers: parts.headers,
            body,
            bytes: bytes.into(),
        }
    }
}

/// The defaults, and what `vigie up` makes up.
pub fn settings() -> Settings {
    let mut settings = Settings::default();
    settings.secrets.keys = Some(Secret::new("0a".repeat(32)));
    settings
}

fn route(state: &ApiState) -> Router {
    let peer = SocketAddr::from(([192, 0, 2, 1], 40_000));
    api::router(state.clone(), Router::new()).layer(MockConnectInfo(peer))
}

/// The log lines that something writes, as a machine reads them.
pub async fn logged<T>(does: impl Future<Output = T>) -> Vec<Value> {
    let lines = Lines::default();
    let writer = lines.clone();
    let subscriber = tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_writer(move || writer.clone())
        .finish();
    let _guard = tracing::subscriber::set_default(subscriber);
    does.await;
    let text = lines.0.lock().unwrap().clone();
    String::from_utf8(text)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
