//! A separate stack: `vigie up` in a temporary folder, on free ports, without demo data.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use postgres::brands::NewBrand;
use tempfile::TempDir;
use thiserror::Error;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;
use url::Url;

use crate::stack::{READY, Running};
use crate::terminal::say;

/// Time for the stack to stop; it promises 15 s.
const STOP_PATIENCE: Duration = Duration::from_secs(20);
/// Time for its last lines to arrive.
const OUTPUT_PATIENCE: Duration = Duration::from_secs(2);
/// Milliseconds between two checks of what is due.
const TICK_MILLIS: &str = "1000";
const FREE: &str = "127.0.0.1:0";

/// The brand of a fictional company that is watched on such a stack.
pub const BRAND: NewBrand<'static> = NewBrand {
    name: "alba",
    label: "Alba",
    validated: true,
    create_notification: true,
    create_shopping_notification: true,
};

/// Why a stack cannot be used.
#[derive(Debug, Error)]
pub enum TrialError {
    /// The `vigie` binary is missing.
    #[error("{} is missing; `cargo build -p vigie` makes it, with --release among the release builds", .0.display())]
    NoProgram(PathBuf),
    /// The stack ended before it was ready, or with a failure.
    #[error("the stack did not come up: it ended with {how}")]
    NotUp {
        /// Its exit status.
        how: String,
    },
    /// The stack started without announcing a setting.
    #[error("the stack did not tell {0}")]
    Unannounced(&'static str),
    /// The system refused to start it, to read its output or to signal it.
    #[error("the stack cannot be started or stopped: {0}")]
    Process(#[from] std::io::Error),
    /// The stack did not stop in time.
    #[error("the stack did not end within {} s", STOP_PATIENCE.as_secs())]
    NotDown,
}

/// A running stack. Its folder is removed with it; if dropped without [`TrialStack::stop`], its processes stay.
#[derive(Debug)]
pub struct TrialStack {
    folder: TempDir,
    child: Child,
    /// Forwards its output.
    output: JoinHandle<()>,
    announced: BTreeMap<String, String>,
}

impl TrialStack {
    /// Starts `program up`, where `program` is the `vigie` binary, in a temporary folder, and waits without a limit until it reports that it is
    /// ready; fails when it ends before. Forwards its output, also later. No settings of the caller's environment reach it, only `VIGIE_CACHE`.
    pub async fn start(program: &Path) -> Result<Self, TrialError> {
        Self::start_with(program, &[]).await
    }

    /// Starts a stack as [`TrialStack::start`] does, with these settings, given by the names of their variables.
    pub async fn start_with(program: &Path, settings: &[(&str, &str)]) -> Result<Self, TrialError> {
        Self::start_in(data_folder()?, program, settings).await
    }

    /// Starts a stack as [`TrialStack::start_with`] does, in this folder.
    pub async fn start_in(folder: TempDir, program: &Path, settings: &[(&str, &str)]) -> Result<Self, TrialError> {
        let mut child = without_settings(program)
            .arg("up")
            .env("VIGIE__DATA", folder.path())
            .env("VIGIE__API__LISTEN", FREE)
            .env("VIGIE__API__OPERATIONS_LISTEN", FREE)
            .env("VIGIE__WORKERS__OPERATIONS_LISTEN", FREE)
            .env("VIGIE__WORKERS__TICK_MILLIS", TICK_MILLIS)
            .env("VIGIE__EMBEDDED__DEMO_ROWS", "0")
            .envs(settings.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| match error.kind() {
                std::io::ErrorKind::NotFound => TrialError::NoProgram(program.to_owned()),
                _ => TrialError::Process(error),
            })?;
        let Some(output) = child.stdout.take() else {
            return Err(TrialError::Unannounced("anything"));
        };
        let mut lines = BufReader::new(output).lines();
        loop {
            match lines.next_line().await? {
                Some(line) => {
                    say(&line);
                    if line.starts_with(READY) {
                        break;
                    }
                }
                None => {
                    return Err(TrialError::NotUp {
                        how: child.wait().await?.to_string(),
                    });
                }
            }
        }
        // Later output is forwarded as well, so that its pipe never fills.
        let output = tokio::spawn(async move {
            while let Ok(Some(line)) = lines.next_line().await {
                say(line);
            }
        });
        let announced = Running::read(folder.path()).into_iter().collect();
        Ok(Self {
            folder,
            child,
            output,
            announced,
        })
    }

    /// Returns a setting that the stack passed to its parts, by the name of its variable; `what` describes it in the error when it is missing.
    pub fn setting(&self, name: &str, what: &'static str) -> Result<&str, TrialError> {
        self.announced
            .get(name)
            .map(String::as_str)
            .ok_or(TrialError::Unannounced(what))
    }

    /// Returns a setting as [`TrialStack::setting`] does, parsed as an address; one that is no address counts as missing.
    pub fn setting_url(&self, name: &str, what: &'static str) -> Result<Url, TrialError> {
        Url::parse(self.setting(name, what)?).map_err(|_| TrialError::Unannounced(what))
    }

    /// Returns how to connect to the stack's ClickHouse, from what the stack announced; fails when the address or the password was not announced.
    pub fn analytics(&self) -> Result<analytics::ConnectOptions, TrialError> {
        Ok(analytics::ConnectOptions {
            url: self.setting_url("VIGIE__CLICKHOUSE__URL", "where ClickHouse is")?,
            user: self
                .setting("VIGIE__CLICKHOUSE__USER", "the user of ClickHouse")
                .unwrap_or("default")
                .to_owned(),
            password: self
                .setting("VIGIE__CLICKHOUSE__PASSWORD", "the password of ClickHouse")?
                .to_owned(),
            database: self
                .setting("VIGIE__CLICKHOUSE__DATABASE", "the database of ClickHouse")
                .unwrap_or("vigie")
                .to_owned(),
            authorities: None,
            cluster: None,
        })
    }

    /// Path of its data folder.
    pub fn data(&self) -> &Path {
        self.folder.path()
    }

    /// Path of its captured pages.
    pub fn blobs(&self) -> PathBuf {
        self.folder.path().join("blobs")
    }

    /// Lists process id and command line of each running part: the children of `vigie up`. As root it starts a second `vigie up` under another user;
    /// that is no part, and its children are listed too.
    pub fn parts(&self) -> Result<Vec<(u32, String)>, TrialError> {
        let mut levels = vec![self.child.id().ok_or(TrialError::Unannounced("its process"))?];
        let mut parts = Vec::new();
        while let Some(up) = levels.pop() {
            for (pid, line) in children(up)? {
                if subcommand(&line) == Some("up") {
                    levels.push(pid);
                } else {
                    parts.push((pid, line));
                }
            }
        }
        Ok(parts)
    }

    /// Returns the process id of the part that runs this subcommand; fails when none does.
    pub fn process_of(&self, name: &'static str) -> Result<u32, TrialError> {
        let parts = self.parts()?;
        let found = parts.iter().find(|(_, line)| subcommand(line) == Some(name));
        found.map(|(pid, _)| *pid).ok_or(TrialError::Unannounced(name))
    }

    /// Path of the folder with its logs.
    pub fn logs(&self) -> PathBuf {
        self.folder.path().join("logs")
    }

    /// Keeps the folder, to investigate a failure.
    pub fn keep_folder(&mut self) {
        self.folder.disable_cleanup(true);
    }

    /// Asks the stack to end and waits; fails, leaving its processes, if that takes longer than [`STOP_PATIENCE`], or if the stack ends with a
    /// failure. Its folder is removed in every case, unless [`TrialStack::keep_folder`] was called.
    pub async fn stop(mut self) -> Result<(), TrialError> {
        if let Some(pid) = self.child.id().and_then(|pid| i32::try_from(pid).ok()) {
            kill(Pid::from_raw(pid), Signal::SIGTERM).map_err(std::io::Error::from)?;
        }
        let ended = tokio::time::timeout(STOP_PATIENCE, self.child.wait())
            .await
            .map_err(|_| TrialError::NotDown)??;
        // Of its own output nothing is to come after this; a process that it left behind may keep the pipe open.
        let _over = tokio::time::timeout(OUTPUT_PATIENCE, self.output).await;
        if ended.success() {
            Ok(())
        } else {
            Err(TrialError::NotUp { how: ended.to_string() })
        }
    }
}

/// Makes a temporary data folder for a stack.
pub fn data_folder() -> std::io::Result<TempDir> {
    tempfile::Builder::new().prefix("vigie-smoke.").tempdir()
}

/// Returns a command that runs `program` without the settings of the caller's environment, only with `VIGIE_CACHE`.
pub fn without_settings(program: &Path) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("VIGIE_")) {
        // The cache holds no settings, only downloads.
        if name != "VIGIE_CACHE" {
            command.env_remove(name);
        }
    }
    command
}

/// Returns the subcommand in a command line: its second word.
fn subcommand(line: &str) -> Option<&str> {
    line.split_whitespace().nth(1)
}

/// Lists the direct children of a process, with their command lines, the arguments separated by spaces; fails when there is no such process.
fn children(pid: u32) -> std::io::Result<Vec<(u32, String)>> {
    let mut children = String::new();
    for thread in std::fs::read_dir(format!("/proc/{pid}/task"))? {
        children.push_str(&std::fs::read_to_string(thread?.path().join("children")).unwrap_or_default());
    }
    let pids = children.split_whitespace().filter_map(|pid| pid.parse().ok());
    let with_line = pids.map(|pid: u32| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        (pid, String::from_utf8_lossy(&line).replace('\0', " "))
    });
    Ok(with_line.collect())
}
