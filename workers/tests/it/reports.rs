//! Reports as PDF: printed as the user who asked for them, with a token that ends with the print.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Response};
use capture::browsing::{self, Limits, Sandbox};
use chrono::TimeDelta;
use postgres::report_files::{self, Progress, ReportFileId, ReportOrder};
use postgres::tokens;
use runtime::Clock;
use testkit::Postgres;
use vocabulary::{BrandId, Language, UserId};
use workers::printing::Printer;

const WORLD: &str = "insert into brand (id, name, label, validated) values (201, 'acme', 'Acme', true);
    insert into user_account (id, email, language) values (301, 'ann@acme.example', 'en'), (302, 'bea@acme.example', 'fr')";

/// A web client that shows its page to the user of the token alone, and notes for whom and for what address.
#[derive(Clone)]
struct Client {
    store: postgres::Pool,
    page: &'static str,
    seen: Arc<Mutex<Vec<String>>>,
}

async fn show(State(client): State<Client>, request: Request) -> Response {
    let token = request
        .headers()
        .get("authorization")
        .and_then(|token| token.to_str().ok());
    let found = tokens::find(&client.store, &tokens::digest(token.unwrap_or_default()))
        .await
        .unwrap();
    match (request.uri().path(), found) {
        ("/report", Some((token, user))) => {
            assert_eq!(token.scopes.as_deref(), Some(&["report".to_owned()][..]));
            let seen = format!("{} {}", user.id, request.uri().query().unwrap_or_default());
            client.seen.lock().unwrap().push(seen);
            Html(client.page).into_response()
        }
        _ => StatusCode::NOT_FOUND.into_response(),
    }
}

struct World {
    store: Postgres,
    printer: Printer,
    seen: Arc<Mutex<Vec<String>>>,
    _folder: tempfile::TempDir,
}

impl World {
    async fn new(page: &'static str) -> Self {
        let store = Postgres::new().await;
        store.execute(WORLD).await;
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let client = Client {
            store: store.pool.clone(),
            page,
            seen: Arc::default(),
        };
        let seen = Arc::clone(&client.seen);
        let router = Router::new().fallback(show).with_state(client);
        tokio::spawn(async move { axum::serve(listener, router).await });
        let folder = tempfile::tempdir().unwrap();
        let browsers = browsing::Pool::start(browsing::Settings {
            chromium: testkit::chromium(),
            host: None,
            work_folder: folder.path().to_owned(),
            sandbox: Sandbox::Off,
            tabs: 1,
            limits: Limits::default(),
            engines: [].into(),
            proxies: Vec::new(),
        });
        let printer = Printer {
            postgres: store.pool.clone(),
            browsers: browsers.await.unwrap(),
            clock: Clock::by_hand(Clock::system().now()),
            public_url: format!("http://{address}/").parse().unwrap(),
        };
        Self {
            store,
            printer,
            seen,
            _folder: folder,
        }
    }

    async fn request(&self, user: i32) -> ReportFileId {
        let order = ReportOrder {
            user: UserId(user),
            brand: Some(BrandId(201)),
            month: "2026-10-01".parse().unwrap(),
            language: Language::Fr,
            time_zone: chrono_tz::Europe::Paris,
        };
        let mut connection = self.store.pool.acquire().await.unwrap();
        let now = Clock::system().now();
        report_files::request(&mut connection, &order, now).await.unwrap()
    }

    async fn progress(&self, user: i32, id: ReportFileId) -> Option<Progress> {
        let found = report_files::find(&self.store.pool, UserId(user), id).await.unwrap();
        found.map(|report| report.progress)
    }
}

#[tokio::test]
async fn a_report_is_printed_once_as_its_user_with_a_token_that_ends_with_it() {
    let world = World::new("<article data-print=ready>42 views</article>").await;
    let id = world.request(301).await;
    assert_eq!(world.request(301).await, id, "what waits is not asked for twice");
    assert!(world.printer.pass().await.unwrap());
    assert!(!world.printer.pass().await.unwrap());
    assert_eq!(world.progress(301, id).await, Some(Progress::Ready));
    assert_eq!(world.progress(302, id).await, None, "another user's");
    let pool = &world.store.pool;
    let pdf = report_files::pdf(pool, UserId(301), id).await.unwrap().unwrap();
    assert!(pdf.starts_with(b"%PDF-"));
    assert_eq!(report_files::pdf(pool, UserId(302), id).await.unwrap(), None);
    assert_eq!(*world.seen.lock().unwrap(), ["301 month=2026-10&lng=fr&brand=201"]);
    assert_eq!(world.store.fetch::<i64>("select count(*) from access_token").await, 0);
    assert_ne!(
        world.request(301).await,
        id,
        "what is printed is printed anew on demand"
    );
    world.printer.clock.advance(TimeDelta::minutes(59));
    assert_eq!(world.printer.forget().await.unwrap(), 0);
    world.printer.clock.advance(TimeDelta::minutes(2));
    assert_eq!(world.printer.forget().await.unwrap(), 2);
    assert_eq!(world.progress(301, id).await, None);
}

#[tokio::test]
async fn a_report_that_lacks_a_part_is_tried_again_and_then_given_up() {
    let world = World::new("<article data-print=failed>").await;
    let id = world.request(301).await;
    for tried in 1..=3 {
        assert_eq!(
            world.progress(301, id).await,
            Some(Progress::Waiting),
            "before try {tried}"
        );
        assert!(world.printer.pass().await.unwrap());
        assert!(!world.printer.pass().await.unwrap(), "not at once");
        let retry = TimeDelta::from_std(report_files::RETRY_AFTER).unwrap();
        world.printer.clock.advance(retry);
    }
    assert_eq!(world.progress(301, id).await, Some(Progress::Failed));
    assert!(!world.printer.pass().await.unwrap());
    let reason: String = world.store.fetch("select reason from report_file").await;
    assert!(reason.contains("a part of it"), "{reason}");
    assert_eq!(world.store.fetch::<i64>("select count(*) from access_token").await, 0);
}

#[tokio::test]
async fn two_workers_print_different_reports_and_one_that_died_is_replaced() {
    let world = World::new("<article data-print=ready>").await;
    let (ann, bea) = (world.request(301).await, world.request(302).await);
    // A worker that died with its lease.
    world
        .store
        .execute("update report_file set tries = 1, leased_until = now() - interval '1 second' where user_id = 301")
        .await;
    let (one, other) = tokio::join!(world.printer.pass(), world.printer.pass());
    assert!(one.unwrap() && other.unwrap());
    assert_eq!(world.progress(301, ann).await, Some(Progress::Ready));
    assert_eq!(world.progress(302, bea).await, Some(Progress::Ready));
    let tries: i64 = world.store.fetch("select sum(tries) from report_file").await;
    assert_eq!(tries, 3, "each was claimed once, and one a second time");
}
