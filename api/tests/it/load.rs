//! Too many concurrent requests, parallel guessing, and stores that hang.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use axum::http::{StatusCode, header};
use futures::StreamExt;
use futures::future::join_all;
use futures::stream::FuturesUnordered;
use runtime::Settings;
use serde_json::json;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UnixStream};

use crate::app::{App, PASSWORD, TestResponse};
use crate::limits::{QUESTION, READER, slow_world, until};
use crate::monitoring::LIST;

const LOGIN: &str = "/api/UserAccounts/login";
const OTHER: &str = "user@bolt.example";

async fn try_login(app: &App, email: &str, password: &str, forwarded: &str) -> StatusCode {
    let credentials = json!({ "email": email, "password": password });
    app.post(LOGIN, &credentials, &[("x-forwarded-for", forwarded)])
        .await
        .status
}

fn count(statuses: &[StatusCode], wanted: StatusCode) -> usize {
    statuses.iter().filter(|status| **status == wanted).count()
}

#[tokio::test]
async fn of_parallel_guesses_no_more_are_looked_at_than_of_guesses_in_a_row() {
    let app = App::start().await;
    app.company_user("acme").await;
    let guesses = (0..30).map(|number| {
        // However it is written, it is one address.
        let email = if number % 2 == 0 { READER } else { "User@ACME.example" };
        try_login(&app, email, "Wr0ng!Passw0rd", "192.0.2.9")
    });
    let answers = join_all(guesses).await;
    assert_eq!(count(&answers, StatusCode::UNAUTHORIZED), 5, "{answers:?}");
    assert_eq!(count(&answers, StatusCode::TOO_MANY_REQUESTS), 25, "{answers:?}");
    let right = try_login(&app, READER, PASSWORD, "").await;
    assert_eq!(right, StatusCode::TOO_MANY_REQUESTS);
}

#[tokio::test]
async fn right_passwords_are_never_counted() {
    let app = App::start().await;
    app.company_user("acme").await;
    for _ in 0..10 {
        let answers = join_all((0..4).map(|_| try_login(&app, READER, PASSWORD, ""))).await;
        assert_eq!(count(&answers, StatusCode::OK), 4, "{answers:?}");
    }
}

#[tokio::test]
async fn a_flood_of_logins_is_refused_at_once_and_counts_nobody() {
    let mut app = App::start().await;
    app.set(Settings {
        api: runtime::settings::Api {
            login_throttle: false,
            ..runtime::settings::Api::default()
        },
        ..Settings::default()
    });
    let emails: Vec<String> = (0..100).map(|number| format!("{number}@nowhere.example")).collect();
    let answers = join_all(emails.iter().map(|email| try_login(&app, email, "Wr0ng!Passw0rd", ""))).await;
    let busy = count(&answers, StatusCode::SERVICE_UNAVAILABLE);
    assert!(busy > 20, "{busy} of 100 were told to come back");
    assert_eq!(busy + count(&answers, StatusCode::UNAUTHORIZED), 100, "{answers:?}");
}

#[tokio::test]
async fn only_a_trusted_proxy_says_where_a_client_is() {
    let mut app = App::start().await;
    let guess = async |app: &App, from: &str| try_login(app, "nobody@acme.example", "Wr0ng!Passw0rd", from).await;
    for number in 0..5 {
        let status = guess(&app, &format!("198.51.100.{number}")).await;
        assert_eq!(status, StatusCode::UNAUTHORIZED);
    }
    assert_eq!(guess(&app, "198.51.100.200").await, StatusCode::TOO_MANY_REQUESTS);

    // The same connection, now that of a proxy: its clients are distinguished, and what they write themselves is not believed.
    let mut settings = Settings::default();
    let proxy = "192.0.2.0/24".to_owned();
    settings.api.trusted_proxies = vec![proxy.try_into().unwrap()];
    app.set(settings);
    for number in 0..5 {
        let status = guess(&app, &format!("1.1.1.{number}, 198.51.100.1")).await;
        assert_eq!(status, StatusCode::UNAUTHORIZED);
    }
    assert_eq!(
        guess(&app, "2.2.2.2, 198.51.100.1").await,
        StatusCode::TOO_MANY_REQUESTS
    );
    assert_eq!(guess(&app, "198.51.100.2").await, StatusCode::UNAUTHORIZED);
}

/// Questions that differ and find the same.
fn worst(number: u32) -> String {
    QUESTION.replace("[end]=99", &format!("[end]={}", 100 + number))
}

#[tokio::test]
async fn forty_worst_lists_of_one_user_leave_another_user_alone() {
    let world = slow_world().await;
    let (crowd, other) = (world.app.login(READER).await, world.app.login(OTHER).await);
    let ask = |token: String, path: String| {
        let app = &world.app;
        async move { app.get(&path, &[("token", &token)]).await }
    };
    let forty = join_all((0..40).map(|number| ask(crowd.clone(), worst(number))));
    let alone = async {
        until(&world, 2).await;
        let me = ask(other.clone(), "/api/UserAccounts/me".to_owned()).await;
        assert_eq!(me.status, StatusCode::OK);
        let own = ask(crowd.clone(), "/api/UserAccounts/me".to_owned()).await;
        assert_eq!(own.status, StatusCode::OK, "lists wait beside what is quick");
        tokio::select! {
            _ = ask(other, QUESTION.to_owned()) => panic!("the question is slow"),
            () = until(&world, 3) => {}
        }
    };
    tokio::select! {
        _ = forty => panic!("the questions are slow"),
        () = alone => {}
    }
    until(&world, 0).await;
    // All but the two that run.
    let asked = (0..40).map(|number| ask(crowd.clone(), worst(number)));
    let asked: FuturesUnordered<_> = asked.collect();
    for answer in asked.take(38).collect::<Vec<TestResponse>>().await {
        assert_eq!(answer.status, StatusCode::TOO_MANY_REQUESTS, "{}", answer.body);
        assert_eq!(answer.body["error"]["code"], "TOO_MANY_AT_ONCE");
        assert!(answer.headers.contains_key(header::RETRY_AFTER));
    }
}

/// Where a store listens.
#[derive(Clone)]
enum Store {
    At(String),
    In(PathBuf),
}

/// A relay between a client and its store, which passes everything on until it is silenced.
struct Between {
    address: std::net::SocketAddr,
    is_silent: Arc<AtomicBool>,
}

impl Between {
    async fn before(store: Store) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let between = Self {
            address: listener.local_addr().unwrap(),
            is_silent: Arc::default(),
        };
        let is_silent = Arc::clone(&between.is_silent);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let (store, is_silent) = (store.clone(), Arc::clone(&is_silent));
                tokio::spawn(async move {
                    match store {
                        Store::At(address) => {
                            pass_both(client, TcpStream::connect(address).await.unwrap(), &is_silent).await;
                        }
                        Store::In(socket) => {
                            pass_both(client, UnixStream::connect(socket).await.unwrap(), &is_silent).await;
                        }
                    }
                });
            }
        });
        between
    }

    fn say_nothing(&self) {
        self.is_silent.store(true, Ordering::SeqCst);
    }
}

async fn pass_both(client: TcpStream, store: impl AsyncRead + AsyncWrite, is_silent: &AtomicBool) {
    let ((from_client, to_client), (from_store, to_store)) = (tokio::io::split(client), tokio::io::split(store));
    tokio::join!(
        pass_on(from_client, to_store, is_silent),
        pass_on(from_store, to_client, is_silent)
    );
}

async fn pass_on(mut from: impl AsyncReadExt + Unpin, mut to: impl AsyncWriteExt + Unpin, is_silent: &AtomicBool) {
    let mut piece = vec![0; 64 << 10];
    while let Ok(read) = from.read(&mut piece).await {
        if is_silent.load(Ordering::SeqCst) {
            std::future::pending::<()>().await;
        }
        if read == 0 || to.write_all(&piece[..read]).await.is_err() {
            return;
        }
    }
}

/// A busy machine included; well below the time that a request may take.
const A_FEW_SECONDS: Duration = Duration::from_secs(20);

async fn is_unavailable(app: &App, path: &str, token: &str) {
    let began = Instant::now();
    let answer = app.get(path, &[("token", token)]).await;
    assert_eq!(
        answer.status,
        StatusCode::SERVICE_UNAVAILABLE,
        "{path}: {}",
        answer.body
    );
    assert_eq!(answer.body["error"]["code"], "STORE_UNAVAILABLE");
    assert!(began.elapsed() < A_FEW_SECONDS, "{path}: {:?}", began.elapsed());
}

#[tokio::test]
async fn a_store_of_ads_that_hangs_is_told_and_actions_go_on_without_it() {
    let mut app = App::start().await;
    app.company_user("acme").await;
    let token = app.login(READER).await;
    let store = &app.clickhouse;
    let host = store.url.host_str().unwrap();
    let between = Between::before(Store::At(format!("{host}:{}", store.url.port().unwrap()))).await;
    let client = analytics::Client::new(&analytics::ConnectOptions {
        url: format!("http://{}", between.address).parse().unwrap(),
        ..store.options()
    });
    app.ask_ads_of(client.unwrap());
    let list = app.get(LIST, &[("token", &token)]).await;
    assert_eq!(list.status, StatusCode::OK, "{}", list.body);
    between.say_nothing();
    is_unavailable(&app, LIST, &token).await;
    is_unavailable(&app, "/api/Sems", &token).await;
    let actions = app.get("/api/actions", &[("token", &token)]).await;
    assert_eq!(actions.status, StatusCode::OK, "{}", actions.body);
}

#[tokio::test]
async fn a_ledger_that_hangs_is_told_within_a_few_seconds() {
    let mut app = App::start().await;
    app.company_user("acme").await;
    let url: url::Url = app.postgres.url.parse().unwrap();
    let (_, folder) = url.query_pairs().find(|(name, _)| name == "host").unwrap();
    let between = Between::before(Store::In(Path::new(&*folder).join(".s.PGSQL.5432"))).await;
    let through = format!("postgres://vigie@{}{}", between.address, url.path());
    app.keep_records_in(postgres::connect_without_libraries(&through, 8, "test").unwrap());
    let token = app.login(READER).await;
    let me = "/api/UserAccounts/me";
    assert_eq!(app.get(me, &[("token", &token)]).await.status, StatusCode::OK);
    between.say_nothing();
    is_unavailable(&app, me, &token).await;
    is_unavailable(&app, "/api/actions", &token).await;
}
