//! A separate server for each test, run by the binary in its own folder.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use clickhouse::Client;
use tempfile::TempDir;

/// The password of every server here.
pub const SECRET: &str = "open-sesame";
/// How long a test waits for something that must come.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// A running server; killed when it is dropped.
pub struct Server {
    child: Child,
    /// Kept open: the server may write to it.
    _stdout: BufReader<ChildStdout>,
    pub url: String,
}

/// The pinned library: from `VIGIE_CHDB_LIBRARY`, else from the cache.
fn library() -> PathBuf {
    let output = Command::new("./fetch-library.sh")
        .arg("--offline")
        .output()
        .expect("fetch-library.sh runs");
    let path = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    assert!(
        output.status.success() && path.is_file(),
        "{}the chDB library is missing: run compose/embedded-clickhouse/fetch-library.sh once (it downloads 180 MB), or set VIGIE_CHDB_LIBRARY to libchdb.so",
        String::from_utf8_lossy(&output.stderr),
    );
    path
}

/// The command that starts a server on a data folder.
pub fn command(data: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_embedded-clickhouse"));
    command
        .arg("--library")
        .arg(library())
        .arg("--data")
        .arg(data)
        .env("VIGIE_CLICKHOUSE_SECRET", SECRET);
    command
}

impl Server {
    /// Starts a server on a data folder that outlives it.
    pub fn on(data: &Path) -> Self {
        Self::run(&mut command(data))
    }

    /// Starts a server with more arguments.
    pub fn with(data: &Path, arguments: &[&str]) -> Self {
        Self::run(command(data).args(arguments))
    }

    fn run(command: &mut Command) -> Self {
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let mut stdout = BufReader::new(child.stdout.take().expect("its output"));
        let mut address = String::new();
        stdout.read_line(&mut address).expect("its address");
        if address.is_empty() {
            let mut errors = String::new();
            child
                .stderr
                .take()
                .expect("its errors")
                .read_to_string(&mut errors)
                .expect("its errors");
            panic!("the server did not start: {errors}");
        }
        Self {
            child,
            _stdout: stdout,
            url: format!("http://{}", address.trim()),
        }
    }

    /// The official client in its default settings.
    pub fn client(&self) -> Client {
        Client::default().with_url(&self.url).with_password(SECRET)
    }

    /// A plain request without the client's conveniences.
    pub fn post(&self, pairs: &[(&str, &str)], body: impl Into<reqwest::Body>) -> reqwest::RequestBuilder {
        plain()
            .post(&self.url)
            .query(pairs)
            .header("X-ClickHouse-Key", SECRET)
            .body(body)
    }

    /// Runs a statement and returns its output.
    pub async fn text(&self, statement: &str) -> String {
        let response = self.post(&[], statement.to_owned()).send().await.expect("an answer");
        let status = response.status();
        let text = response.text().await.expect("its text");
        assert!(status.is_success(), "{statement}: {status} {text}");
        text
    }

    /// Kills the process at once.
    pub fn kill(mut self) {
        self.child.kill().expect("it is killed");
        self.child.wait().expect("it has ended");
    }

    /// Terminates the server; returns its exit status and standard error.
    pub fn terminate(mut self) -> (ExitStatus, String) {
        let id = self.child.id().to_string();
        assert!(
            Command::new("kill")
                .args(["-TERM", &id])
                .status()
                .expect("kill runs")
                .success()
        );
        let mut errors = String::new();
        self.child
            .stderr
            .take()
            .expect("its errors")
            .read_to_string(&mut errors)
            .expect("its errors");
        (self.child.wait().expect("it has ended"), errors)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A server on a folder that is removed with it.
pub fn start() -> (Server, TempDir) {
    start_with(&[])
}

/// The same with more arguments.
pub fn start_with(arguments: &[&str]) -> (Server, TempDir) {
    let data = tempfile::tempdir().expect("a folder");
    (Server::with(data.path(), arguments), data)
}

/// An HTTP client that leaves bodies as they are.
pub fn plain() -> reqwest::Client {
    reqwest::Client::builder()
        .no_gzip()
        .tcp_nodelay(true)
        .build()
        .expect("a client")
}

/// Retries until the condition holds.
pub async fn until<F: Future<Output = bool>>(what: &str, mut holds: impl FnMut() -> F) {
    let deadline = Instant::now() + PATIENCE;
    while !holds().await {
        assert!(Instant::now() < deadline, "{what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// The header of a response; empty when absent.
pub fn header<'a>(response: &'a reqwest::Response, name: &str) -> &'a str {
    response
        .headers()
        .get(name)
        .map_or("", |value| value.to_str().expect("a text"))
}
