//! The private PostgreSQL cluster.

use std::ffi::OsString;
use std::io;
use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use nix::sys::signal::Signal;
use runtime::settings::Embedded;
use thiserror::Error;

use super::data_folder::DataFolder;
use crate::programs::{POSTGRES_LEAST, PostgresPrograms};
use crate::supervisor::{Launch, Part, Processes, Ready, Step, StepError};

/// Name of the database and of its owner.
const NAME: &str = "vigie";
/// The longest path of a socket's folder: the system's limit, less the name Postgres adds.
const LONGEST_SOCKET_FOLDER: usize = 107 - ".s.PGSQL.65535.lock".len();
/// MiB of tables kept in memory, unless set: this share of the machine's, within these bounds. A million cases with their mails are 5.6 GB, and a list is
/// read 1.6 times as fast from 4 GB as from 256 MB.
const CACHE_SHARE: u64 = 8;
const CACHE_MIB: RangeInclusive<u64> = 256..=4_096;

/// Why the private cluster cannot start.
#[derive(Debug, Error)]
pub enum PostgresError {
    /// PostgreSQL is not installed.
    #[error(
        "no PostgreSQL {POSTGRES_LEAST} or later was found. Install it (Debian and Ubuntu: apt-get install postgresql), name its folder with VIGIE__EMBEDDED__POSTGRES_PROGRAMS, or use a server with VIGIE__POSTGRES__URL"
    )]
    Missing,
    /// The configured folder has no such programs.
    #[error("VIGIE__EMBEDDED__POSTGRES_PROGRAMS names {}, which has no `postgres` and `initdb` of PostgreSQL {POSTGRES_LEAST} or later", .0.display())]
    NotThere(PathBuf),
    /// The data are of a version that is not installed.
    #[error("the cluster in {} was made by PostgreSQL {made_by}, which is not installed. Install postgresql-{made_by}, or move the data with pg_upgrade", .folder.display())]
    OtherVersion {
        /// Folder of the cluster.
        folder: PathBuf,
        /// Major version of the cluster.
        made_by: u32,
    },
    /// The cluster could not be created.
    #[error(transparent)]
    NotMade(#[from] StepError),
    /// A file could not be written.
    #[error("the private PostgreSQL cluster cannot be kept: {0}")]
    Files(#[from] io::Error),
}

/// A private cluster whose files exist; [`Cluster::server`] describes how to start it.
#[derive(Debug)]
pub struct Cluster {
    programs: PostgresPrograms,
    folder: PathBuf,
    password: String,
    cache_mib: u64,
}

impl Cluster {
    /// Finds the cluster in the data folder and the programs of its major version, or creates a cluster with the configured programs, else the newest
    /// installed; generates its password at the first call. Fails if there are no fitting programs. Does not start the server.
    pub async fn find_or_create(
        settings: &Embedded,
        data: &DataFolder,
        processes: &Processes,
    ) -> Result<Self, PostgresError> {
        let folder = data.path().join("postgres");
        let made_by = std::fs::read_to_string(folder.join("PG_VERSION"))
            .ok()
            .and_then(|text| text.trim().parse().ok());
        let programs = choose_programs(settings.postgres_programs.as_deref(), made_by, &folder)?;
        let cluster = Self {
            programs,
            folder,
            password: data.password("postgres")?,
            cache_mib: settings.postgres_cache_mib.unwrap_or_else(cache_of_machine),
        };
        if made_by.is_none() {
            cluster.create(data, processes).await?;
        }
        Ok(cluster)
    }

    /// Creates the cluster and its database in a temporary folder, by `initdb` and a single-user server, and moves it into place when complete. An
    /// interrupted start thus leaves nothing half made in place; the next one deletes what it left in the temporary folder.
    async fn create(&self, data: &DataFolder, processes: &Processes) -> Result<(), PostgresError> {
        let half_made = self.folder.with_extension("new");
        let password_file = data.path().join("postgres.initial");
        if half_made.exists() {
            std::fs::remove_dir_all(&half_made)?;
        }
        write_secret(&password_file, &self.password)?;
        let step = |name, program, arguments: Vec<OsString>, input: Option<&str>| Step {
            name,
            launch: Launch {
                program: self.programs.program(program),
                arguments,
                environment: Vec::new(),
                folder: Some(data.path().to_owned()),
                log: data.log("postgres"),
            },
            input: input.map(str::to_owned),
        };
        let folder = OsString::from(&half_made);
        let mut pwfile = OsString::from("--pwfile=");
        pwfile.push(&password_file);
        let options = [
            "--encoding=UTF8",
            "--locale=C.UTF-8",
            "--auth=scram-sha-256",
            "--data-checksums",
            "--no-instructions",
        ];
        let arguments = options
            .into_iter()
            .map(OsString::from)
            .chain([format!("--username={NAME}").into(), pwfile, "-D".into(), folder.clone()])
            .collect();
        let made = step("initdb", "initdb", arguments, None).run(processes).await;
        std::fs::remove_file(&password_file)?;
        made?;
        let single_user = vec!["--single".into(), "-D".into(), folder, "postgres".into()];
        step(
            "making the database",
            "postgres",
            single_user,
            Some(&format!("create database {NAME}\n")),
        )
        .run(processes)
        .await?;
        Ok(std::fs::rename(half_made, &self.folder)?)
    }

    /// Describes the server process, on `address` and on a socket in the data folder if its path is short enough; creates the socket's folder, but
    /// starts nothing.
    pub fn server(&self, address: SocketAddr, data: &DataFolder) -> io::Result<Part> {
        let sockets = data.for_part("postgres-socket")?;
        let sockets = if sockets.as_os_str().len() <= LONGEST_SOCKET_FOLDER {
            sockets
        } else {
            PathBuf::new()
        };
        let mut arguments: Vec<OsString> = vec!["-D".into(), OsString::from(&self.folder)];
        let mut unix_sockets = OsString::from("unix_socket_directories=");
        unix_sockets.push(sockets);
        let options = [
            format!("listen_addresses={}", address.ip()).into(),
            format!("port={}", address.port()).into(),
            unix_sockets,
            "unix_socket_permissions=0700".into(),
            "max_connections=100".into(),
            format!("shared_buffers={}MB", self.cache_mib).into(),
            // Compiling a query takes longer than the lists may, and on solid state drives a page anywhere costs about as much as the next one.
            "jit=off".into(),
            "random_page_cost=1.1".into(),
        ];
        for option in options {
            arguments.extend(["-c".into(), option]);
        }
        Ok(Part {
            name: "PostgreSQL",
            launch: Launch {
                program: self.programs.program("postgres"),
                arguments,
                environment: Vec::new(),
                folder: Some(self.folder.clone()),
                log: data.log("postgres"),
            },
            ready: Ready::Postmaster(self.folder.join("postmaster.pid")),
            // A fast shutdown: connections are dropped, nothing written is lost.
            end: Signal::SIGINT,
            grace: Duration::from_secs(4),
        })
    }

    /// The server's URL for clients.
    pub fn url(&self, address: SocketAddr) -> String {
        format!("postgres://{NAME}:{}@{address}/{NAME}", self.password)
    }
}

/// [`CACHE_MIB`] for this machine; the least where its memory is not known.
fn cache_of_machine() -> u64 {
    let mib = nix::sys::sysinfo::sysinfo().map_or(0, |machine| machine.ram_total() >> 20);
    (mib / CACHE_SHARE).clamp(*CACHE_MIB.start(), *CACHE_MIB.end())
}

/// Chooses the programs to use: those in the folder `set`, else the newest installed. They must be of [`POSTGRES_LEAST`] or later and, if `made_by`
/// is given, of exactly that major version, which made the cluster. `cluster` is its folder, for the error.
fn choose_programs(
    set: Option<&Path>,
    made_by: Option<u32>,
    cluster: &Path,
) -> Result<PostgresPrograms, PostgresError> {
    let candidates = match set {
        Some(folder) => vec![PostgresPrograms::at(folder).ok_or_else(|| PostgresError::NotThere(folder.to_owned()))?],
        None => PostgresPrograms::all(),
    };
    let mut fit = candidates
        .into_iter()
        .filter(|programs| programs.major >= POSTGRES_LEAST)
        .peekable();
    if fit.peek().is_none() {
        return Err(set.map_or(PostgresError::Missing, |folder| {
            PostgresError::NotThere(folder.to_owned())
        }));
    }
    fit.find(|programs| made_by.is_none_or(|version| version == programs.major))
        .ok_or_else(|| PostgresError::OtherVersion {
            folder: cluster.to_owned(),
            made_by: made_by.unwrap_or_default(),
        })
}

/// Writes a file, replacing its content. A new file can be read and written by its owner only; an existing one keeps its mode.
pub fn write_secret(path: &Path, text: &str) -> io::Result<()> {
    use std::io::Write;
    let mut file = std::fs::OpenOptions::new()
        .create(true)
        .truncate(true)
        .write(true)
        .mode(0o600)
        .open(path)?;
    file.write_all(text.as_bytes())
}
