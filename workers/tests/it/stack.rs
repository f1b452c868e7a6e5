//! The stores, browsers and settings of a worker, for one test.

use std::sync::Arc;
use std::time::Duration;

use analytics::Client;
use blobs::Blobs;
use capture::browsing::{self, EngineAddress, Limits, Sandbox};
use chrono::{DateTime, TimeDelta, Utc};
use coordination::Coordination;
use runtime::Clock;
use runtime::settings::Screenshots;
use serp_sim::Simulator;
use strum::VariantArray as _;
use testkit::{ClickHouse, Postgres};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;
use vocabulary::{Engine, Job, TermId};
use workers::reread::Stores;
use workers::storing::Storing;
use workers::volumes::{VolumeService, Volumes};
use workers::{Housekeeping, Pace, WorkerContext};

const PATIENCE: Duration = Duration::from_mins(1);
const MONTH: i64 = 732 * 3_600_000;
/// The engine stays at this hour (2026-11-25 21:00 UTC), so that a test sees the same ads whenever it runs: three or more for each search.
const HOUR_OF_ADS: i64 = 1_795_640_400;

pub struct Stack {
    pub postgres: Postgres,
    pub ads: ClickHouse,
    pub blobs: Blobs,
    pub analytics: Client,
    engine: std::net::SocketAddr,
    stop_engine: CancellationToken,
    folder: tempfile::TempDir,
}

/// A stack whose jobs run at another time.
pub struct Later<'a> {
    stack: &'a Stack,
    clock: Clock,
}

impl Later<'_> {
    /// Runs a job and returns its summary.
    pub async fn job(&self, job: Job) -> String {
        Box::pin(self.stack.job_at(job, self.clock.clone())).await
    }
}

impl Stack {
    /// A stack without terms, in which every job has just run: workers that start have none to catch up on.
    pub async fn new() -> Self {
        // Shown when a test fails. Only the first test of a process starts it.
        let _ = runtime::logs::start(&runtime::settings::Logs {
            format: runtime::settings::LogFormat::Text,
            ..runtime::settings::Logs::default()
        });
        let (postgres, ads) = (Postgres::new().await, ClickHouse::new().await);
        let analytics = Client::new(&ads.options()).unwrap();
        let ran: Vec<String> = Job::VARIANTS
            .iter()
            .map(|job| format!("('{job}', now(), now(), 'done')"))
            .collect();
        let ran = format!(
            "insert into job_run (job, due_at, ended_at, outcome) values {}",
            ran.join(", ")
        );
        postgres.execute(Box::leak(ran.into_boxed_str())).await;
        let folder = tempfile::tempdir().unwrap();
        let settings = serp_sim::Settings {
            clock: Clock::by_hand(DateTime::from_timestamp(HOUR_OF_ADS, 0).unwrap()),
            ..serp_sim::Settings::default()
        };
        let simulator = Simulator::bind(settings).await.unwrap();
        let (engine, stop_engine) = (simulator.address(), CancellationToken::new());
        tokio::spawn(simulator.serve(stop_engine.clone().cancelled_owned()));
        let blobs = Blobs::folder(&folder.path().join("blobs")).unwrap();
        Self {
            postgres,
            ads,
            blobs,
            analytics,
            engine,
            stop_engine,
            folder,
        }
    }

    pub async fn term(&self, words: &str) -> TermId {
        self.postgres.term(words, None, MONTH).await
    }

    /// Runs a worker until no slot is unsettled, then shuts it down.
    pub async fn run_until_settled(&self) {
        self.run_until("select count(*) = 0 and (select count(*) from slot) > 0 from slot where settled_at is null")
            .await;
    }

    /// Runs a worker until a query returns true, then shuts it down.
    pub async fn run_until(&self, done: &'static str) {
        self.run_with(self.context().await, done).await;
    }

    /// Like [`Self::run_until`], with another use of the service of search volumes.
    pub async fn run_asking_until(&self, change: impl Fn(Volumes) -> Volumes, done: &'static str) {
        let context = self.context().await;
        let volumes = context.volumes.clone().map(change);
        self.run_with(WorkerContext { volumes, ..context }, done).await;
    }

    /// Like [`Self::run_until`], with another clock.
    pub async fn run_by_until_settled(&self, clock: Clock) {
        let context = WorkerContext {
            clock,
            ..self.context().await
        };
        self.run_with(
            context,
            "select count(*) = 0 and (select count(*) from slot) > 0 from slot where settled_at is null",
        )
        .await;
    }

    /// Like [`Self::run_until`], with an hour between two passes.
    pub async fn run_with_rare_ticks_until(&self, done: &'static str) {
        let mut context = self.context().await;
        context.pace.tick = Duration::from_hours(1);
        self.run_with(context, done).await;
    }

    /// Like [`Self::run_until`], while no page can be stored, as on a full disk.
    pub async fn run_without_room_until(&self, done: &'static str) {
        let (folder, aside) = (self.folder.path().join("blobs"), self.folder.path().join("aside"));
        std::fs::rename(&folder, &aside).unwrap();
        std::fs::write(&folder, b"").unwrap();
        self.run_until(done).await;
        std::fs::remove_file(&folder).unwrap();
        std::fs::rename(&aside, &folder).unwrap();
    }

    /// Like [`Self::run_until`], while ClickHouse is unreachable.
    pub async fn run_without_clickhouse_until(&self, done: &'static str) {
        let mut store = self.ads.options();
        store.url = "http://127.0.0.1:9".parse().unwrap();
        let context = WorkerContext {
            analytics: Client::new(&store).unwrap(),
            ..self.context().await
        };
        self.run_with(context, done).await;
    }

    async fn run_with(&self, context: WorkerContext, done: &'static str) {
        let shutdown = CancellationToken::new();
        let running = tokio::spawn(workers::run(context, shutdown.clone()));
        let end = tokio::time::Instant::now() + PATIENCE;
        while !self.postgres.fetch::<bool>(done).await {
            if tokio::time::Instant::now() > end {
                let slots: String = self
                    .postgres
                    .fetch("select coalesce(string_agg(concat_ws(' ', id, state, attempt, reason, last_failure, run_at - now()), e'\n'), '') from slot")
                    .await;
                panic!("not so within {PATIENCE:?}: {done}\n{slots}");
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        shutdown.cancel();
        running.await.unwrap().unwrap();
    }

    /// Runs a job and returns its summary.
    pub async fn job(&self, job: Job) -> String {
        Box::pin(self.job_at(job, Clock::system())).await
    }

    async fn job_at(&self, job: Job, clock: Clock) -> String {
        let context = WorkerContext {
            clock,
            ..self.context().await
        };
        let storing = Arc::new(Storing::new(&context, &format!("job-{}", Uuid::new_v4())));
        let detail = workers::jobs::run_now(&context, &storing, job).await.unwrap();
        context.browsers.shutdown().await;
        detail
    }

    /// The ads that were clicked, as the simulated engine counts them.
    pub async fn clicks(&self) -> String {
        let mut engine = TcpStream::connect(self.engine).await.unwrap();
        engine
            .write_all(b"GET /clicks HTTP/1.0\r\nhost: serp.test\r\n\r\n")
            .await
            .unwrap();
        let mut response = String::new();
        engine.read_to_string(&mut response).await.unwrap();
        let (_, body) = response.split_once("\r\n\r\n").unwrap();
        body.to_owned()
    }

    pub fn in_years(&self, years: i64) -> Later<'_> {
        Later {
            stack: self,
            clock: Clock::by_hand(Self::now() + TimeDelta::days(365 * years)),
        }
    }

    /// The same stack at this time.
    pub fn at(&self, time: DateTime<Utc>) -> Later<'_> {
        Later {
            stack: self,
            clock: Clock::by_hand(time),
        }
    }

    pub fn now() -> DateTime<Utc> {
        Clock::system().now()
    }

    /// The numbers of the batches that have rows.
    pub async fn batches(&self) -> Vec<u64> {
        let query = "SELECT DISTINCT batch FROM ad_results ORDER BY batch";
        self.ads.plain().query(query).fetch_all().await.unwrap()
    }

    /// The number of manifests in the ledger.
    pub async fn manifests(&self) -> usize {
        let count: i64 = self.postgres.fetch("select count(*) from manifest").await;
        usize::try_from(count).unwrap()
    }

    /// The stores as re-reading needs them.
    pub fn stores(&self) -> Stores {
        Stores {
            postgres: self.postgres.pool.clone(),
            analytics: self.analytics.clone(),
            blobs: self.blobs.clone(),
            grace: TimeDelta::days(7),
        }
    }

    async fn context(&self) -> WorkerContext {
        let engines =
            [Engine::Google, Engine::Bing].map(|engine| (engine, EngineAddress::simulator(engine, self.engine)));
        let browsers = browsing::Pool::start(browsing::Settings {
            chromium: testkit::chromium(),
            host: None,
            work_folder: self.folder.path().join("capture"),
            // Tests may run as root, where Chromium refuses its sandbox; the pages are our own.
            sandbox: Sandbox::Off,
            tabs: 2,
            limits: Limits::default(),
            engines: engines.into(),
            proxies: Vec::new(),
        });
        WorkerContext {
            postgres: self.postgres.pool.clone(),
            direct: self.postgres.direct(),
            analytics: self.analytics.clone(),
            blobs: self.blobs.clone(),
            browsers: browsers.await.unwrap(),
            coordination: Coordination::alone(),
            clock: Clock::system(),
            pace: Pace {
                tick: Duration::from_millis(200),
                plans_changes_at_once: true,
                concurrency: 2,
                google_per_minute: 6_000,
                bing_per_minute: 6_000,
                least_free_bytes: 0,
            },
            housekeeping: Housekeeping {
                time_zone: chrono_tz::UTC,
                retention: runtime::settings::Retention::default(),
                actions: runtime::settings::Actions::default(),
            },
            screenshots: Screenshots::New,
            public_url: "http://localhost:8080".parse().unwrap(),
            mails: None,
            mailbox: None,
            stop_go: workers::stop_go::StopGo::default(),
            volumes: Some(Volumes {
                postgres: self.postgres.pool.clone(),
                clock: Clock::system(),
                coordination: Coordination::alone(),
                service: VolumeService::new(format!("http://{}/volumes", self.engine).parse().unwrap()).unwrap(),
                questions_per_hour: 600,
            }),
            webhooks: None,
            retriever: None,
        }
    }

    /// Rows per capture in ClickHouse.
    pub async fn stored_rows(&self) -> Vec<(Uuid, u64)> {
        #[derive(clickhouse::Row, serde::Deserialize)]
        struct Counted {
            #[serde(with = "clickhouse::serde::uuid")]
            capture_id: Uuid,
            rows: u64,
        }
        let query =
            "SELECT capture_id, count() AS rows FROM ad_results GROUP BY capture_id ORDER BY toString(capture_id)";
        let rows: Vec<Counted> = self.ads.plain().query(query).fetch_all().await.unwrap();
        rows.into_iter().map(|row| (row.capture_id, row.rows)).collect()
    }

    /// A fingerprint of the stored ads, whatever their batches.
    pub async fn fingerprint(&self) -> u64 {
        let query = "SELECT groupBitXor(cityHash64(capture_id, slot_time, seen_at, kind, position, real_position, domain, title, description, target_url, price)) FROM ad_results";
        self.ads.plain().query(query).fetch_one().await.unwrap()
    }

    /// Fails unless every invariant of the data path holds, in both stores and the files.
    pub async fn assert_sound(&self) {
        let since = chrono::DateTime::UNIX_EPOCH;
        let violations = postgres::invariants::violations(&self.postgres.pool, since, PATIENCE * 2)
            .await
            .unwrap();
        assert_eq!(violations, []);
        let manifests = postgres::manifests::verified_rows(&self.postgres.pool).await.unwrap();
        let mut expected: Vec<(Uuid, u64)> = manifests
            .into_iter()
            .map(|(id, rows)| (id.0, u64::from(rows)))
            .collect();
        expected.sort_by_key(|(id, _)| id.to_string());
        assert_eq!(
            self.stored_rows().await,
            expected,
            "ClickHouse holds what the manifests say"
        );
        let files = "select array_agg(page_sha256) || array_agg(view_sha256) from capture";
        for digest in self.postgres.fetch::<Vec<Vec<u8>>>(files).await {
            assert!(
                self.blobs.contains(&digest.try_into().unwrap()).await.unwrap(),
                "every page is kept"
            );
        }
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        self.stop_engine.cancel();
    }
}
