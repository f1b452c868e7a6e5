//! PostgreSQL's own programs, which copy and restore its databases.

use std::path::Path;
use std::process::Stdio;

use bytes::Bytes;
use futures::{Stream, StreamExt};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdout, Command};
use url::Url;

use crate::{Error, Stores};

const DUMP: &str = "pg_dump";
const RESTORE: &str = "pg_restore";
/// As much of a program's complaints as an error shows.
const MOST_MESSAGE_BYTES: usize = 4000;

/// A running `pg_dump`.
#[derive(Debug)]
pub(crate) struct Dump {
    child: Child,
    /// What it writes.
    pub(crate) output: ChildStdout,
}

impl Dump {
    /// Starts to copy the database, as of this moment.
    pub(crate) fn start(stores: &Stores<'_>) -> Result<Self, Error> {
        let mut child = command(stores, DUMP)?
            // Uncompressed: pieces are, and equal ones are found only before.
            .args(["--format=custom", "--compress=0", "--no-owner", "--no-privileges"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| failed(DUMP, &error))?;
        let output = child.stdout.take();
        Ok(Self {
            child,
            output: output.ok_or_else(|| failed(DUMP, &"it has no output"))?,
        })
    }

    /// Waits for its end, after its output was read. Without success, the output is not to be used.
    pub(crate) async fn finish(self) -> Result<(), Error> {
        drop(self.output);
        finish(DUMP, self.child).await
    }
}

/// Restores a dump in one transaction. Nothing of it stays if the stream fails.
pub(crate) async fn restore(stores: &Stores<'_>, dump: impl Stream<Item = Result<Bytes, Error>>) -> Result<(), Error> {
    let database = decoded(parsed(stores.postgres_url)?.path().trim_start_matches('/'));
    let mut child = command(stores, RESTORE)?
        .args([
            "--exit-on-error",
            "--single-transaction",
            "--no-owner",
            "--no-privileges",
            "--dbname",
        ])
        .arg(database)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .map_err(|error| failed(RESTORE, &error))?;
    let mut input = child.stdin.take().ok_or_else(|| failed(RESTORE, &"it has no input"))?;
    let mut dump = std::pin::pin!(dump);
    while let Some(bytes) = dump.next().await {
        let bytes = match bytes {
            Ok(bytes) => bytes,
            Err(error) => {
                // Before the end of its input, so that it cannot commit.
                let _ = child.kill().await;
                return Err(error);
            }
        };
        if input.write_all(&bytes).await.is_err() {
            // It ended early, and says why.
            break;
        }
    }
    // An end that it has reached already.
    let _ = input.shutdown().await;
    drop(input);
    finish(RESTORE, child).await
}

/// A command that finds the database by variables, so that no list of processes shows the password. It is killed when dropped.
fn command(stores: &Stores<'_>, program: &'static str) -> Result<Command, Error> {
    let url = parsed(stores.postgres_url)?;
    let mut command = Command::new(stores.postgres_programs.join(program));
    command
        .current_dir(Path::new("/"))
        .kill_on_drop(true)
        .stderr(Stdio::piped());
    command.env("PGAPPNAME", format!("vigie {program}"));
    let mut set = |name: &str, value: &str| {
        if !value.is_empty() {
            command.env(name, value);
        }
    };
    set("PGHOST", url.host_str().unwrap_or_default());
    set("PGPORT", &url.port().map(|port| port.to_string()).unwrap_or_default());
    set("PGUSER", &decoded(url.username()));
    set("PGPASSWORD", &decoded(url.password().unwrap_or_default()));
    set("PGDATABASE", &decoded(url.path().trim_start_matches('/')));
    for (name, value) in url.query_pairs() {
        let variable = match name.as_ref() {
            "host" => "PGHOST",
            "port" => "PGPORT",
            "user" => "PGUSER",
            "password" => "PGPASSWORD",
            "dbname" => "PGDATABASE",
            "sslmode" | "ssl-mode" => "PGSSLMODE",
            "sslrootcert" | "ssl-root-cert" | "ssl-ca" => "PGSSLROOTCERT",
            "sslcert" | "ssl-cert" => "PGSSLCERT",
            "sslkey" | "ssl-key" => "PGSSLKEY",
            _ => continue,
        };
        set(variable, &value);
    }
    Ok(command)
}

/// A part of the address, without percent signs.
fn decoded(text: &str) -> String {
    percent_encoding::percent_decode_str(text)
        .decode_utf8_lossy()
        .into_owned()
}

/// The address, taken apart.
fn parsed(url: &str) -> Result<Url, Error> {
    Url::parse(url).map_err(|error| Error::PostgresUrl(error.to_string()))
}

/// Waits for the end of a program; what it complained of is the error.
async fn finish(program: &'static str, mut child: Child) -> Result<(), Error> {
    let mut message = Vec::new();
    if let Some(mut complaints) = child.stderr.take() {
        complaints
            .read_to_end(&mut message)
            .await
            .map_err(|error| failed(program, &error))?;
    }
    let status = child.wait().await.map_err(|error| failed(program, &error))?;
    if status.success() {
        return Ok(());
    }
    message.truncate(MOST_MESSAGE_BYTES);
    let message = String::from_utf8_lossy(&message);
    if message.contains("No space left on device") {
        return Err(Error::Full(message.trim().to_owned()));
    }
    Err(failed(program, &format!("{} ({status})", message.trim())))
}

fn failed(program: &'static str, message: &dyn std::fmt::Display) -> Error {
    Error::Program {
        program,
        message: message.to_string(),
    }
}
