//! A ClickHouse database per test, in one embedded engine.

use std::fs;
use std::net::TcpStream;

use url::Url;

use crate::folder::Folder;
use crate::programs::{Runner, chdb, embedded_clickhouse};
use crate::running::{detach, is_alive, wait_for, watch};

const SECRET: &str = "tests";
const USER: &str = "default";
const ADDRESS: &str = "clickhouse.address";

/// A database of one test in the embedded engine; it is dropped with the engine.
#[derive(Clone, Debug)]
pub struct ClickHouse {
    /// Address of the HTTP interface.
    pub url: Url,
    /// The name of the user.
    pub user: String,
    /// The password of that user.
    pub password: String,
    /// The name of the test's database.
    pub database: String,
}

impl ClickHouse {
    /// A new, empty database, without the schema. Starts the engine if it is not running.
    pub async fn new() -> Self {
        let url = tokio::task::spawn_blocking(ready).await.expect("the engine starts");
        let database = format!("t_{}", uuid::Uuid::new_v4().simple());
        let made = Self {
            url,
            user: USER.to_owned(),
            password: SECRET.to_owned(),
            database,
        };
        let create = format!("CREATE DATABASE {}", made.database);
        made.client("")
            .query(&create)
            .execute()
            .await
            .unwrap_or_else(|error| panic!("testkit: {create}: {error}"));
        made
    }

    /// The official client, on the test's database.
    pub fn plain(&self) -> clickhouse::Client {
        self.client(&self.database)
    }

    /// The official client on a database, or on none for an empty name.
    fn client(&self, database: &str) -> clickhouse::Client {
        clickhouse::Client::default()
            .with_url(self.url.as_str())
            .with_user(&self.user)
            .with_password(&self.password)
            .with_database(database)
    }
}

/// Starts the engine and the watchdog unless they are running, and returns the engine's address.
fn ready() -> Url {
    let folder = Folder::of_this_user();
    let runner = Runner::new();
    folder.with_lock(&runner, || {
        if !is_alive(&folder, "embedded-clickhouse") {
            start(&folder, &runner);
        }
        watch(&folder, &runner);
    });
    let address = fs::read_to_string(folder.join(ADDRESS)).expect("the engine writes its address");
    parse(address.trim()).unwrap_or_else(|| panic!("testkit: the embedded ClickHouse wrote '{address}' as its address"))
}

/// The address that the engine writes, with `http://` or without; `None` if it is no address.
fn parse(address: &str) -> Option<Url> {
    let address = if address.starts_with("http") {
        address.to_owned()
    } else {
        format!("http://{address}")
    };
    Url::parse(&address).ok()
}

/// Starts the engine with an empty data folder and waits until it accepts connections. The caller holds the lock on the folder.
fn start(folder: &Folder, runner: &Runner) {
    // The unprivileged user may not be able to read the folder the program was built in.
    let program = folder.join("embedded-clickhouse");
    let _ = fs::remove_file(&program);
    fs::copy(embedded_clickhouse(), &program).unwrap_or_else(|error| panic!("testkit: {}: {error}", program.display()));
    let data = folder.join("clickhouse");
    let _ = fs::remove_dir_all(&data);
    let output = fs::File::create(folder.join(ADDRESS)).expect("the folder is ours");
    let log = fs::File::create(folder.join("clickhouse.log")).expect("the folder is ours");
    let mut server = runner.command(&program);
    server
        .arg("--library")
        .arg(chdb())
        .arg("--data")
        .arg(&data)
        .env("VIGIE_CLICKHOUSE_SECRET", SECRET)
        .stdout(output)
        .stderr(log);
    detach(folder, "embedded-clickhouse", &mut server);
    wait_for("the embedded ClickHouse", folder, || {
        let output = fs::read_to_string(folder.join(ADDRESS)).unwrap_or_default();
        let url = output.ends_with('\n').then(|| parse(output.trim())).flatten();
        url.and_then(|url| url.socket_addrs(|| None).ok())
            .is_some_and(|addresses| TcpStream::connect(&addresses[..]).is_ok())
    });
}
