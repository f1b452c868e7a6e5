//! A ClickHouse database per test, in one embedded engine, made like a migrated template.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::net::TcpStream;

use url::Url;

use crate::folder::Folder;
use crate::programs::{Runner, chdb, embedded_clickhouse};
use crate::running::{detach, is_alive, wait_for, watch};

const SECRET: &str = "tests";
const USER: &str = "default";
const ADDRESS: &str = "clickhouse.address";
/// The table that says which migrations were applied.
const JOURNAL: &str = "schema_migrations";

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
    /// A new database with the whole schema and no rows. Starts the engine if it is not running.
    pub async fn new() -> Self {
        let (made, template) = Self::create().await;
        let tables: Vec<String> = made
            .client(&template)
            .query("SELECT name FROM system.tables WHERE database = currentDatabase()")
            .fetch_all()
            .await
            .unwrap_or_else(|error| panic!("testkit: the tables of {template}: {error}"));
        // A fifth of the time that the migrations take.
        for table in tables {
            made.run(&format!("CREATE TABLE {table} AS {template}.{table}")).await;
        }
        made.run(&format!("INSERT INTO {JOURNAL} SELECT * FROM {template}.{JOURNAL}"))
            .await;
        made
    }

    /// A new, empty database, without the schema. Starts the engine if it is not running.
    pub async fn empty() -> Self {
        Self::create().await.0
    }

    /// A new, empty database, and the name of the template.
    async fn create() -> (Self, String) {
        let (url, template) = tokio::task::spawn_blocking(ready).await.expect("the engine starts");
        let made = Self {
            url,
            user: USER.to_owned(),
            password: SECRET.to_owned(),
            database: format!("t_{}", uuid::Uuid::new_v4().simple()),
        };
        execute(&made.client(""), &format!("CREATE DATABASE {}", made.database)).await;
        (made, template)
    }

    async fn run(&self, statement: &str) {
        execute(&self.plain(), statement).await;
    }

    /// How the product connects to the test's database.
    pub fn options(&self) -> analytics::ConnectOptions {
        analytics::ConnectOptions {
            url: self.url.clone(),
            user: self.user.clone(),
            password: self.password.clone(),
            database: self.database.clone(),
            authorities: None,
            cluster: None,
        }
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

/// Runs one statement; panics if it fails.
async fn execute(client: &clickhouse::Client, statement: &str) {
    client
        .query(statement)
        .execute()
        .await
        .unwrap_or_else(|error| panic!("testkit: {statement}: {error}"));
}

/// Starts the engine and the watchdog unless they are running, creates the template database with this version's schema unless it exists, and
/// returns the engine's address and the template's name.
fn ready() -> (Url, String) {
    let folder = Folder::of_this_user();
    let runner = Runner::unprivileged();
    folder.with_lock(&runner, || {
        if !is_alive(&folder, "embedded-clickhouse") {
            start(&folder, &runner);
        }
        watch(&folder, &runner);
        let address = fs::read_to_string(folder.join(ADDRESS)).expect("the engine writes its address");
        let address = parse(address.trim())
            .unwrap_or_else(|| panic!("testkit: the embedded ClickHouse wrote '{address}' as its address"));
        let template = template_name();
        migrate(&address, &template);
        (address, template)
    })
}

/// The name of the template database, with a hash of the schema's version: each change of a migration needs a new template.
fn template_name() -> String {
    let mut hasher = DefaultHasher::new();
    analytics::migrate::schema_version().hash(&mut hasher);
    format!("template_{:016x}", hasher.finish())
}

/// Creates a database with the schema unless there is one, and completes what an interrupted run left. Blocks, on a runtime of its own.
fn migrate(address: &Url, database: &str) {
    let work = async {
        let options = analytics::ConnectOptions {
            url: address.clone(),
            user: USER.to_owned(),
            password: SECRET.to_owned(),
            database: database.to_owned(),
            authorities: None,
            cluster: None,
        };
        let client = analytics::Client::connect(&options).await.expect("the engine is ready");
        let pending = analytics::migrate::pending(&client).await;
        if pending.expect("the engine answers") > 0 {
            analytics::migrate::run(&client)
                .await
                .expect("the schema applies to an empty database");
        }
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime can be made");
    runtime.block_on(work);
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
