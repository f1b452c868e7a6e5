//! The parts that are this same program under another subcommand.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use nix::sys::signal::Signal;

use super::data_folder::DataFolder;
use crate::supervisor::{Launch, Part, Ready, Step};

/// What the supervisor decided, as settings for the parts.
pub type Environment = Vec<(&'static str, OsString)>;

/// Makes parts and steps out of subcommands.
#[derive(Debug)]
pub struct OwnParts<'a> {
    program: PathBuf,
    data: &'a DataFolder,
    environment: Environment,
}

impl<'a> OwnParts<'a> {
    /// Parts of `program` on `data`.
    pub fn new(program: &Path, data: &'a DataFolder) -> Self {
        let environment = vec![
            ("VIGIE__DATA", data.path().into()),
            ("VIGIE__LOGS__FORMAT", "json".into()),
        ];
        Self {
            program: program.to_owned(),
            data,
            environment,
        }
    }

    /// Sets something for all that are made from now on.
    pub fn set(&mut self, name: &'static str, value: impl Into<OsString>) {
        self.environment.push((name, value.into()));
    }

    /// What was set so far.
    pub fn environment(&self) -> &[(&'static str, OsString)] {
        &self.environment
    }

    /// The embedded ClickHouse.
    pub fn clickhouse(&self, address: SocketAddr) -> Part {
        self.part(
            "ClickHouse",
            "embedded-clickhouse",
            Ready::Http(format!("http://{address}/ping")),
            4,
        )
    }

    /// The simulated search engine.
    pub fn simulator(&self, address: SocketAddr) -> Part {
        self.part("search simulator", "serp-sim", Ready::Port(address), 3)
    }

    /// The mail catcher.
    pub fn catcher(&self, page: SocketAddr) -> Part {
        self.part(
            "mail catcher",
            "mail-catcher",
            Ready::Http(format!("http://{page}/livez")),
            3,
        )
    }

    /// The HTTP server.
    pub fn api(&self, operations: SocketAddr) -> Part {
        self.part("API", "api", Ready::Http(format!("http://{operations}/livez")), 10)
    }

    /// The queue consumers.
    pub fn workers(&self, operations: SocketAddr) -> Part {
        self.part(
            "workers",
            "workers",
            Ready::Http(format!("http://{operations}/livez")),
            10,
        )
    }

    /// One run of a subcommand.
    pub fn step(&self, name: &'static str, arguments: &[&str]) -> Step {
        Step {
            name,
            launch: self.launch(arguments),
            input: None,
        }
    }

    fn part(&self, name: &'static str, command: &str, ready: Ready, grace_seconds: u64) -> Part {
        Part {
            name,
            launch: self.launch(&[command]),
            ready,
            end: Signal::SIGTERM,
            grace: Duration::from_secs(grace_seconds),
        }
    }

    fn launch(&self, arguments: &[&str]) -> Launch {
        Launch {
            program: self.program.clone(),
            arguments: arguments.iter().map(OsString::from).collect(),
            environment: self.environment.clone(),
            folder: None,
            log: self.data.log(arguments.first().copied().unwrap_or("vigie")),
        }
    }
}
