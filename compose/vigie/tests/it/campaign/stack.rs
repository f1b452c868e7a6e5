//! A stack whose processes reach their stores through relays: two APIs behind a balancer and three workers, on the stores of the test run. They share a
//! machine and a folder, or nothing at all.

use std::fs::{self, File, OpenOptions};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::DateTime;
use reqwest::StatusCode;
use runtime::Clock;
use serde_json::json;
use serp_sim::Simulator;
use tempfile::TempDir;
use testkit::{ClickHouse, Pooler, Postgres, Runner};
use tokio_util::sync::{CancellationToken, DropGuard};
use url::Url;

use super::ads_relay::AdsRelay;
use super::balancer;
use super::ledger_relay::LedgerRelay;
use super::link::{self, LinkState, LinkSwitch};
use super::receiver;
use crate::bucket::{self, Bucket};
use crate::client::Administrator;
use crate::ledger::Ledger;
use crate::machines::{Machines, Server};
use crate::mail_server::MailServer;
use crate::part::Part;
use crate::tally::Tally;
use crate::trap::Trap;

/// Searches at this hour (2026-11-25 21:00 UTC) show three ads or more.
const HOUR_OF_ADS: i64 = 1_795_640_400;
const PROGRAM: &str = env!("CARGO_BIN_EXE_vigie");
const APIS: usize = 2;
const WORKERS: usize = 3;
/// The port of an API that has a machine of its own.
const PORT: u16 = 8080;
/// Time for an API to be there.
const UP_WITHIN: Duration = Duration::from_secs(30);
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);
/// How much of each log is shown.
const LAST_LINES: usize = 5;
/// What the clock of the processes is ahead by, as the library reads it.
const CLOCK: &str = "clock";
pub const RIGHT: &str = "+0";
/// Below one of these, Debian and others keep the library that turns the clock of a process.
const LIBRARIES: [&str; 2] = ["/usr/lib", "/usr/local/lib"];
const CLOCK_LIBRARY: &str = "faketime/libfaketimeMT.so.1";
/// What a mail server that posts mails has to know.
pub const INBOUND_SECRET: &str = "the-mail-server-knows";
/// What is the same for every stack.
const SETTINGS: [(&str, &str); 8] = [
    ("VIGIE__ENGINES__GOOGLE__PER_MINUTE", "6000"),
    ("VIGIE__WORKERS__TICK_MILLIS", "200"),
    ("VIGIE__SMTP__SECURITY", "none"),
    ("VIGIE__ACTIONS__MAIL_DAILY_MAX", "100000"),
    ("VIGIE__INBOUND__SECRET", INBOUND_SECRET),
    ("VIGIE__WEBHOOKS__ALLOW_PRIVATE", "true"),
    ("FAKETIME_CACHE_DURATION", "1"),
    // Timers go on as before: only the time of day is another.
    ("FAKETIME_DONT_FAKE_MONOTONIC", "1"),
];

pub struct Stack {
    pub ledger: Ledger,
    pub administrator: Administrator,
    /// Where the balancer is, and each API behind it.
    pub site: String,
    pub sites: Vec<String>,
    pub mails: MailServer,
    /// What the receiver of the webhook took.
    pub messages: Tally,
    pub trap: Arc<Trap>,
    pub apis: Vec<Arc<Part>>,
    pub workers: Vec<Arc<Part>>,
    /// The links to the ledger and to the store of ads.
    pub ledger_link: LinkSwitch,
    pub ads_link: LinkSwitch,
    pub redis: String,
    data: TempDir,
    apart: Option<Apart>,
    _engine: DropGuard,
    _postgres: Postgres,
    _pooler: Option<Pooler>,
}

impl Stack {
    /// Starts it, with an administrator, and returns once the APIs answer.
    pub async fn start() -> Self {
        Self::on(Postgres::new().await, None, None).await
    }

    /// Like [`Self::start`], with a folder of its own for each process, files in a bucket, and, where the test may make networks, a machine of its own for
    /// each process.
    pub async fn start_apart() -> Self {
        Self::on(Postgres::new().await, None, Some(Apart::new())).await
    }

    /// Like [`Self::start`], with a pooler in transaction mode in front of PostgreSQL.
    pub async fn start_behind_pooler() -> Self {
        let kit = Postgres::new().await;
        postgres::set_role_limits(&kit.pool).await.unwrap();
        let (pooler, _) = kit.behind_pooler();
        Self::on(kit, Some(pooler), None).await
    }

    async fn on(kit: Postgres, pooler: Option<Pooler>, apart: Option<Apart>) -> Self {
        let ads = ClickHouse::new().await;
        let trap = Arc::<Trap>::default();
        let (ledger_link, ads_link) = (link::up(), link::up());
        let (apis, workers) = (parts("api", APIS), parts("workers", WORKERS));
        let mails = MailServer(Tally::new(&trap, &workers));
        let messages = Tally::new(&trap, &workers);
        let simulator = Simulator::bind(serp_sim::Settings {
            clock: Clock::by_hand(DateTime::from_timestamp(HOUR_OF_ADS, 0).unwrap()),
            ..serp_sim::Settings::default()
        })
        .await
        .unwrap();
        let (engine, stop_engine) = (simulator.address(), CancellationToken::new());
        tokio::spawn(simulator.serve(stop_engine.clone().cancelled_owned()));

        let runner = Runner::unprivileged();
        let data = folder_with(&runner, &["blobs", "logs"]);
        let machines = apart.as_ref().and_then(|apart| apart.machines.as_ref());
        let addresses: Vec<SocketAddr> = (0..APIS).map(|index| address_of_api(machines, index)).collect();
        let sites: Vec<String> = addresses.iter().map(|address| format!("http://{address}/")).collect();
        let balancer = balancer::start(addresses.clone()).await;
        let site = format!("http://{}/", reached(machines, loopback(balancer)).await);
        let mail_server = reached(machines, loopback(mails.start().await)).await;
        let redis = testkit::redis();
        let settings = [
            ("VIGIE__API__PUBLIC_URL", site.clone()),
            ("VIGIE__CLICKHOUSE__USER", ads.user.clone()),
            ("VIGIE__CLICKHOUSE__PASSWORD", ads.password.clone()),
            ("VIGIE__CLICKHOUSE__DATABASE", ads.database.clone()),
            ("VIGIE__REDIS__URL", reached_redis(machines, &redis).await),
            ("VIGIE__SECRETS__KEYS", "5a".repeat(32)),
            ("VIGIE__ENGINES__SIMULATOR", reached(machines, engine).await.to_string()),
            ("VIGIE__CAPTURE__CHROMIUM", testkit::chromium().display().to_string()),
            ("VIGIE__SMTP__HOST", mail_server.ip().to_string()),
            ("VIGIE__SMTP__PORT", mail_server.port().to_string()),
            ("FAKETIME_TIMESTAMP_FILE", data.path().join(CLOCK).display().to_string()),
        ];
        fs::write(data.path().join(CLOCK), RIGHT).unwrap();
        let stores = Relayed {
            ledger: &kit,
            pooler: pooler.as_ref(),
            ads: &ads,
            trap: &trap,
            links: (ledger_link.subscribe(), ads_link.subscribe()),
            machines,
        };
        for (index, part) in apis.iter().chain(&workers).enumerate() {
            let mut launch = match machines {
                Some(machines) => machines.command(index, &runner, Path::new(PROGRAM)),
                None => with_clock(runner.command(Path::new(PROGRAM))),
            };
            begin(&mut launch, part, data.path());
            launch.envs(settings.iter().map(|(name, value)| (*name, value)));
            let own = apart.as_ref().map(|apart| apart.folders[index].path());
            launch.env("VIGIE__DATA", own.unwrap_or(data.path()));
            if let Some(apart) = &apart {
                launch.envs(bucket::settings(reached(machines, apart.bucket.address).await));
            }
            if let Some(address) = addresses.get(index) {
                launch.env("VIGIE__API__LISTEN", address.to_string());
            }
            launch.envs(stores.addresses_for(part).await);
            for name in ["API", "WORKERS"] {
                launch.env(format!("VIGIE__{name}__OPERATIONS_LISTEN"), free_address().to_string());
            }
            part.start(launch);
        }
        let ledger = Ledger::on(kit.pool.clone(), analytics::Client::new(&ads.options()).unwrap());
        for site in &sites {
            wait_for(site).await;
        }
        let administrator = Administrator::sign_in_at(&site, String::new(), &ledger).await;
        let receiver = reached(machines, receiver::start(messages.clone()).await).await;
        let webhook = json!({ "url": format!("http://{receiver}/"), "events": ["advertiser.new", "case.changed"] });
        let made = administrator.post("/webhooks", &webhook).await.unwrap();
        assert_eq!(made, StatusCode::CREATED);
        Self {
            administrator,
            ledger,
            site,
            sites,
            mails,
            messages,
            trap,
            apis,
            workers,
            ledger_link,
            ads_link,
            redis,
            data,
            apart,
            _engine: stop_engine.drop_guard(),
            _postgres: kit,
            _pooler: pooler,
        }
    }

    /// The APIs and the workers.
    pub fn parts(&self) -> impl Iterator<Item = &Arc<Part>> {
        self.apis.iter().chain(&self.workers)
    }

    /// What keeps the processes apart.
    pub fn apart(&self) -> Option<&Apart> {
        self.apart.as_ref()
    }

    /// The folder of the processes.
    pub fn data(&self) -> &Path {
        self.data.path()
    }

    /// Where captured pages are.
    pub fn blobs(&self) -> PathBuf {
        self.data.path().join("blobs")
    }

    /// Turns the clock of all processes; they see it within a second.
    pub fn turn_clock(&self, by: &str) {
        assert!(
            self.apart.is_none(),
            "processes on machines of their own have the right time"
        );
        fs::write(self.data.path().join(CLOCK), by).unwrap();
    }

    /// The last lines of each log, for where the logs themselves are out of reach.
    pub fn last_words(&self) -> String {
        let logs = self.parts().map(|part| {
            let log = self.data.path().join("logs").join(format!("{}.log", part.name));
            format!("{}:\n{}", part.name, last_lines(&log))
        });
        logs.collect::<Vec<_>>().join("\n")
    }

    /// Keeps the logs, to investigate a failure, and says where they are.
    pub fn keep_logs(&mut self) -> PathBuf {
        self.data.disable_cleanup(true);
        self.data.path().join("logs")
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        for part in self.parts() {
            part.end();
        }
    }
}

/// What keeps the processes of a stack apart.
pub struct Apart {
    /// The machine of each process; none where the test may make no networks.
    pub machines: Option<Machines>,
    /// The folder of each process.
    pub folders: Vec<TempDir>,
    pub bucket: Bucket,
}

impl Apart {
    #[expect(
        clippy::print_stderr,
        reason = "whoever reads a test's output has to know what it did not try"
    )]
    fn new() -> Self {
        let machines = Machines::new(APIS + WORKERS);
        if machines.is_none() {
            eprintln!("the processes share the network of the test, as this user may make no other");
        }
        let runner = Runner::unprivileged();
        Self {
            machines,
            folders: (0..APIS + WORKERS).map(|_| folder_with(&runner, &[])).collect(),
            bucket: Bucket::new(),
        }
    }
}

/// The stores of a stack, as its processes reach them.
struct Relayed<'a> {
    ledger: &'a Postgres,
    pooler: Option<&'a Pooler>,
    ads: &'a ClickHouse,
    trap: &'a Arc<Trap>,
    /// The links to the ledger and to the store of ads.
    links: (LinkState, LinkState),
    machines: Option<&'a Machines>,
}

impl Relayed<'_> {
    /// Starts relays for one process, and returns the settings that lead it there.
    async fn addresses_for(&self, part: &Arc<Part>) -> Vec<(&'static str, String)> {
        let server = socket_of(&self.ledger.url);
        let ledger = LedgerRelay {
            socket: self.pooler.map_or(server, |pooler| pooler.socket.clone()),
            part: Arc::clone(part),
            trap: Arc::clone(self.trap),
            link_state: self.links.0.clone(),
        };
        let ads = AdsRelay {
            server: address_of(&self.ads.url),
            part: Arc::clone(part),
            trap: Arc::clone(self.trap),
            link_state: self.links.1.clone(),
        };
        let database = self.ledger.url.split(['/', '?']).nth(3).unwrap();
        let ledger = reached(self.machines, loopback(ledger.listen().await)).await;
        let ads = reached(self.machines, loopback(ads.listen().await)).await;
        let direct = self
            .pooler
            .map(|_| ("VIGIE__POSTGRES__DIRECT_URL", self.ledger.url.clone()));
        let relays = [
            (
                "VIGIE__POSTGRES__URL",
                format!("postgres://vigie@{ledger}/{database}?sslmode=disable"),
            ),
            ("VIGIE__CLICKHOUSE__URL", format!("http://{ads}")),
        ];
        relays.into_iter().chain(direct).collect()
    }
}

/// The last lines of a log, the newest first.
fn last_lines(log: &Path) -> String {
    let text = fs::read_to_string(log).unwrap_or_else(|error| error.to_string());
    text.lines().rev().take(LAST_LINES).collect::<Vec<_>>().join("\n")
}

/// So many parts of one kind, which are not running yet.
fn parts(kind: &str, count: usize) -> Vec<Arc<Part>> {
    (1..=count)
        .map(|number| Arc::new(Part::new(&format!("{kind} {number}"))))
        .collect()
}

/// A folder that the user of the stores may write to, with these in it.
fn folder_with(runner: &Runner, folders: &[&str]) -> TempDir {
    // A short name: the path of Chromium's socket below it has little room.
    let made = tempfile::tempdir().unwrap();
    for folder in [""].iter().chain(folders) {
        let folder = made.path().join(folder);
        fs::create_dir_all(&folder).unwrap();
        if let Some((user, group)) = runner.switch {
            chown(&folder, Some(user), Some(group)).unwrap();
        }
    }
    made
}

/// Gives the process a clock that can be turned. Not for a process on another machine: it is begun by root, whose shared memory it could not open.
fn with_clock(mut command: Command) -> Command {
    command.env("LD_PRELOAD", clock_library());
    command
}

/// Gives the command the subcommand of a part, its log and the [`SETTINGS`], and none of the caller's settings.
fn begin(command: &mut Command, part: &Part, data: &Path) {
    let log = data.join("logs").join(format!("{}.log", part.name));
    let log: File = OpenOptions::new().create(true).append(true).open(log).unwrap();
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("VIGIE__")) {
        command.env_remove(name);
    }
    command
        .envs(SETTINGS)
        .arg(part.name.split(' ').next().unwrap())
        .stdout(Stdio::from(log.try_clone().unwrap()))
        .stderr(Stdio::from(log));
}

fn clock_library() -> PathBuf {
    let folders = LIBRARIES
        .iter()
        .flat_map(|folder| fs::read_dir(folder).into_iter().flatten().flatten());
    let mut candidates = folders.map(|entry| entry.path().join(CLOCK_LIBRARY));
    candidates
        .find(|library| library.exists())
        .expect("libfaketime is installed: compose/install/install.sh does that")
}

/// An address of loopback that nobody listens on.
fn free_address() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

fn loopback(port: u16) -> SocketAddr {
    (Ipv4Addr::LOCALHOST, port).into()
}

/// Where an API listens, and the test reaches it.
fn address_of_api(machines: Option<&Machines>, index: usize) -> SocketAddr {
    machines.map_or_else(free_address, |machines| (machines.address(index), PORT).into())
}

/// Where processes reach a server of the test run.
async fn reached(machines: Option<&Machines>, server: SocketAddr) -> SocketAddr {
    match machines {
        Some(machines) => machines.address_of(Server::Port(server)).await,
        None => server,
    }
}

/// The address of a Redis database of the testkit, as processes reach it.
async fn reached_redis(machines: Option<&Machines>, address: &str) -> String {
    let Some(machines) = machines else {
        return address.to_owned();
    };
    let address = Url::parse(address).unwrap();
    let server = Server::Socket(address.path().into());
    format!(
        "redis://{}/{}",
        machines.address_of(server).await,
        parameter(&address, "db")
    )
}

/// The socket of PostgreSQL in an address of the testkit.
fn socket_of(address: &str) -> PathBuf {
    let folder = parameter(&Url::parse(address).unwrap(), "host");
    Path::new(&folder).join(".s.PGSQL.5432")
}

/// A parameter in an address of the testkit.
pub fn parameter(address: &Url, wanted: &str) -> String {
    let mut parameters = address.query_pairs();
    parameters.find(|(name, _)| name == wanted).unwrap().1.into_owned()
}

fn address_of(url: &Url) -> SocketAddr {
    *url.socket_addrs(|| None).unwrap().first().unwrap()
}

async fn wait_for(site: &str) {
    let deadline = Instant::now() + UP_WITHIN;
    while reqwest::get(site).await.is_err() {
        assert!(Instant::now() < deadline, "{site} does not come up");
        tokio::time::sleep(BETWEEN_LOOKS).await;
    }
}
