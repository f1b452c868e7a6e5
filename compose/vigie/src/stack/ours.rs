//! The parts that run this same program with another subcommand.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use nix::sys::signal::Signal;

use super::data_folder::DataFolder;
use crate::supervisor::{Launch, Part, Ready, Step};

/// Settings that the supervisor passes to the parts.
pub type Environment = Vec<(&'static str, OsString)>;

/// Makes parts and steps from subcommands.
#[derive(Debug)]
pub struct OwnParts<'a> {
    program: PathBuf,
    data: &'a DataFolder,
    environment: Environment,
}

impl<'a> OwnParts<'a> {
    /// Makes parts and steps of `program`, the `vigie` binary, on a data folder; their first variables are that folder and logs in JSON.
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

    /// Sets a variable for all parts and steps made afterwards; those made before do not get it.
    pub fn set(&mut self, name: &'static str, value: impl Into<OsString>) {
        self.environment.push((name, value.into()));
    }

    /// The variables set so far.
    pub fn environment(&self) -> &[(&'static str, OsString)] {
        &self.environment
    }

    /// Describes the part that runs the embedded ClickHouse; starts nothing. `address` does not set where it listens: it is only asked, at `/ping`,
    /// whether the part is ready.
    pub fn clickhouse(&self, address: SocketAddr) -> Part {
        self.subcommand(
            "ClickHouse",
            "embedded-clickhouse",
            Ready::Http(format!("http://{address}/ping")),
            4,
        )
    }

    /// Describes the part that runs the search simulator; starts nothing. `address` does not set where it listens: the part is ready when it accepts
    /// connections there.
    pub fn simulator(&self, address: SocketAddr) -> Part {
        self.subcommand("search simulator", "serp-sim", Ready::Port(address), 3)
    }

    /// Describes the part that runs the mail catcher; starts nothing. `page` does not set where its page listens: it is only asked, at `/livez`,
    /// whether the part is ready.
    pub fn catcher(&self, page: SocketAddr) -> Part {
        self.subcommand(
            "mail catcher",
            "mail-catcher",
            Ready::Http(format!("http://{page}/livez")),
            3,
        )
    }

    /// Describes the part that runs the simulated Google; starts nothing. `address` does not set where it listens: it is only asked, at `/livez`, whether
    /// the part is ready.
    pub fn google(&self, address: SocketAddr) -> Part {
        self.subcommand(
            "simulated Google",
            "google-sim",
            Ready::Http(format!("http://{address}/livez")),
            3,
        )
    }

    /// Describes the part that runs the HTTP server (`vigie api`); starts nothing. `operations` does not set where its health checks listen: they are
    /// only asked, at `/livez`, whether the part is ready.
    pub fn api(&self, operations: SocketAddr) -> Part {
        self.subcommand("API", "api", Ready::Http(format!("http://{operations}/livez")), 10)
    }

    /// Describes the part that runs `vigie workers`; starts nothing. `operations` does not set where its health checks listen: they are only asked,
    /// at `/livez`, whether the part is ready.
    pub fn workers(&self, operations: SocketAddr) -> Part {
        self.subcommand(
            "workers",
            "workers",
            Ready::Http(format!("http://{operations}/livez")),
            10,
        )
    }

    /// Describes one run of a subcommand to its end; starts nothing.
    pub fn step(&self, name: &'static str, arguments: &[&str]) -> Step {
        Step {
            name,
            launch: self.launch(arguments),
            input: None,
        }
    }

    /// Describes the part that runs a subcommand with the variables set so far; it ends on SIGTERM and is killed `grace_seconds` later. Starts
    /// nothing.
    fn subcommand(&self, name: &'static str, command: &str, ready: Ready, grace_seconds: u64) -> Part {
        Part {
            name,
            launch: self.launch(&[command]),
            ready,
            end: Signal::SIGTERM,
            grace: Duration::from_secs(grace_seconds),
        }
    }

    /// Describes how this program is started with these arguments and the variables set so far; its log is named after the first argument. Starts
    /// nothing.
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
