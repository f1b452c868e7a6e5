//! A running engine with a migrated database of its own.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use analytics::{Client, Store, migrate};

const LIBRARY: &str = "chdb/26.7.3-stable.1/node_modules/@chdb/lib-linux-x64-gnu/libchdb.so";
const SECRET: &str = "tests";

/// Ends with its value.
pub struct Engine {
    process: Child,
    store: Store,
    _data: tempfile::TempDir,
}

impl Engine {
    pub fn start() -> Self {
        let data = tempfile::tempdir().unwrap();
        let program = program();
        let mut process = Command::new(&program)
            .arg("--library")
            .arg(cache().join(LIBRARY))
            .arg("--data")
            .arg(data.path())
            .env("VIGIE_CLICKHOUSE_SECRET", SECRET)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {error}; run: cargo build -p embedded-clickhouse", program.display()));
        let mut address = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut address).unwrap();
        let url = if address.starts_with("http") { address.trim().to_owned() } else { format!("http://{}", address.trim()) };
        let store = Store {
            url: url.parse().unwrap_or_else(|error| panic!("the engine did not start: '{url}' {error}")),
            user: "default".to_owned(),
            password: SECRET.to_owned(),
            database: "vigie_test".to_owned(),
            cluster: None,
        };
        Self { process, store, _data: data }
    }

    pub async fn migrated() -> (Self, Client) {
        let engine = Self::start();
        let client = Client::connect(&engine.store).await.unwrap();
        migrate::run(&client).await.unwrap();
        (engine, client)
    }

    pub fn store(&self) -> &Store {
        &self.store
    }

    /// A plain client, for questions that do not go through the crate.
    pub fn plain(&self) -> clickhouse::Client {
        clickhouse::Client::default()
            .with_url(self.store.url.as_str())
            .with_user(&self.store.user)
            .with_password(&self.store.password)
            .with_database(&self.store.database)
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Beside the folder of the test programs.
fn program() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.parent().and_then(|deps| deps.parent()).unwrap().join("embedded-clickhouse")
}

fn cache() -> PathBuf {
    if nix::unistd::Uid::effective().is_root() {
        return PathBuf::from("/var/cache/vigie");
    }
    let home = || PathBuf::from(std::env::var_os("HOME").unwrap()).join(".cache");
    std::env::var_os("XDG_CACHE_HOME").map_or_else(home, PathBuf::from).join("vigie")
}
