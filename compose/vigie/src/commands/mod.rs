//! One file per subcommand.

mod api;
mod backfill;
pub mod backup;
mod browsers;
pub mod create_admin;
pub mod demo_data;
pub mod detect;
pub mod doctor;
mod embedded_clickhouse;
pub mod evidence;
mod google_sim;
mod mail_catcher;
mod migrate;
mod openapi;
pub mod read_page;
pub mod reattribute;
pub mod reread;
pub mod restore;
mod serp_sim;
mod smoke;
pub mod try_capture;
mod up;
mod workers;

use std::process::ExitCode;

use runtime::Settings;
use runtime::settings::{Logs, SettingsError};
use thiserror::Error;

use crate::cli::Command;
use crate::connections::ConnectError;
use crate::listening::ListenError;
use crate::programs::NoLibraryError;
use crate::stack::unprivileged::HandOverError;
use crate::stack::{Running, StackError};

/// Why a command failed.
#[derive(Debug, Error)]
pub enum CommandError {
    /// The settings are wrong.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// Root could not become the system user.
    #[error(transparent)]
    HandOver(#[from] HandOverError),
    /// The stack could not start or go on.
    #[error(transparent)]
    Stack(#[from] StackError),
    /// A store is not set, or its address is wrong.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// Postgres returned an error.
    #[error(transparent)]
    Postgres(#[from] postgres::Error),
    /// Stored credentials could not be encrypted.
    #[error(transparent)]
    Dashboards(#[from] ::api::dashboards::DashboardsError),
    /// ClickHouse returned an error.
    #[error(transparent)]
    Analytics(#[from] analytics::Error),
    /// The library of the embedded ClickHouse was not found.
    #[error(transparent)]
    Library(#[from] NoLibraryError),
    /// The embedded ClickHouse failed.
    #[error(transparent)]
    EmbeddedClickHouse(#[from] ::embedded_clickhouse::Error),
    /// The simulated search engine failed.
    #[error(transparent)]
    SerpSim(#[from] ::serp_sim::Error),
    /// The queue's schema could not be set up.
    #[error(transparent)]
    Schedules(#[from] schedules::Error),
    /// The smoke test could not compare.
    #[error(transparent)]
    Smoke(#[from] crate::smoke::SmokeError),
    /// What sends to webhooks cannot read the certificates of the system.
    #[error("the certificates of the system cannot be read: {0}; install ca-certificates")]
    Certificates(#[source] std::io::Error),
    /// No browser is installed.
    #[error(transparent)]
    NoChromium(#[from] crate::browsing::NoChromiumError),
    /// The browsers could not start.
    #[error("no captures can be taken: {0}")]
    Browser(#[from] ::capture::browsing::StartError),
    /// No setting names the browser host's socket.
    #[error(transparent)]
    Browsers(#[from] browsers::SocketError),
    /// A backup could not be made or used.
    #[error(transparent)]
    Backup(#[from] ::backup::Error),
    /// What a backup needs is missing.
    #[error(transparent)]
    BackupNeeds(#[from] crate::backup_stores::NeedsError),
    /// A capture failed.
    #[error("the search was not captured: {0}")]
    Capture(#[from] ::capture::browsing::CaptureError),
    /// The history of a term could not be moved.
    #[error(transparent)]
    Corrections(#[from] ::corrections::Error),
    /// The evidence could not be checked or packed.
    #[error(transparent)]
    Evidence(#[from] ::evidence::Error),
    /// The workers failed.
    #[error(transparent)]
    Workers(#[from] ::workers::Error),
    /// The settings of the mail server are wrong.
    #[error(transparent)]
    MailServer(#[from] ::workers::smtp::MailServerError),
    /// The mailbox that replies are read from cannot be used.
    #[error(transparent)]
    Mailbox(#[from] ::workers::case_mails::receiving::imap::MailboxError),
    /// The service of search volumes cannot be used.
    #[error(transparent)]
    VolumeService(#[from] ::workers::volumes::VolumeServiceError),
    /// Google cannot be spoken to.
    #[error(transparent)]
    Google(#[from] ::google::GoogleError),
    /// The key for stored credentials is wrong.
    #[error(transparent)]
    Keys(#[from] runtime::sealing::SealError),
    /// The simulated Google failed.
    #[error(transparent)]
    GoogleSim(#[from] ::google_sim::Error),
    /// The mail catcher failed.
    #[error(transparent)]
    MailCatcher(#[from] ::mail_catcher::Error),
    /// An HTTP server failed.
    #[error(transparent)]
    Serve(#[from] ::api::ServeError),
    /// An address cannot be listened on.
    #[error(transparent)]
    Listen(#[from] ListenError),
    /// The account was not created.
    #[error(transparent)]
    CreateAdmin(#[from] create_admin::NotCreatedError),
    /// Demonstration data could not be loaded.
    #[error(transparent)]
    Demo(#[from] crate::demo::DemoError),
    /// A loop of the process ended.
    #[error(transparent)]
    Loop(#[from] runtime::LoopError),
    /// The country or the language is no code.
    #[error(transparent)]
    Locale(#[from] vocabulary::LocaleError),
    /// Metrics could not be recorded.
    #[error("metrics cannot be recorded: {0}")]
    Metrics(#[from] runtime::metrics::StartError),
    /// Something could not be written as JSON.
    #[error("the answer cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The system refused something basic.
    #[error("the process cannot run: {0}")]
    System(#[from] std::io::Error),
}

/// Runs a command to its end; server commands end on a signal. Without an error the exit code can still be a failure: the command ran and found
/// faults.
pub fn run(command: &Command) -> Result<ExitCode, CommandError> {
    match command {
        Command::Up => up::run(),
        Command::Api => api::run(),
        Command::Workers => workers::run(),
        Command::Browsers => browsers::run(),
        Command::TryCapture(arguments) => try_capture::run(arguments),
        Command::Migrate => migrate::run(),
        Command::Doctor(arguments) => doctor::run(arguments),
        Command::CreateAdmin(arguments) => create_admin::run(arguments),
        Command::DemoData(arguments) => demo_data::run(arguments),
        Command::Detect(arguments) => detect::run(arguments),
        Command::Backup(arguments) => backup::run(arguments),
        Command::Restore(arguments) => restore::run(arguments),
        Command::Backfill => backfill::run(),
        Command::Evidence(arguments) => evidence::run(arguments),
        Command::ReadPage(arguments) => read_page::run(arguments),
        Command::Reattribute(arguments) => reattribute::run(arguments),
        Command::Reread(arguments) => reread::run(arguments),
        Command::Openapi => openapi::run(),
        Command::Smoke { s3 } => smoke::run(s3.as_ref()),
        Command::SerpSim => serp_sim::run(),
        Command::MailCatcher => mail_catcher::run(),
        Command::GoogleSim => google_sim::run(),
        Command::EmbeddedClickhouse => embedded_clickhouse::run(),
    }
}

/// Reads the settings of a server process from the environment, starts its logs, and raises its limit of open files.
fn settings() -> Result<Settings, CommandError> {
    crate::open_files::raise();
    let settings = runtime::settings::from_environment()?;
    start_logs(&settings.logs);
    Ok(settings)
}

/// Reads the settings of an interactive command. What the environment does not set comes from the private stack that runs on the data folder, if one
/// does. Starts no logs.
fn settings_of_stack() -> Result<Settings, CommandError> {
    let alone = runtime::settings::from_environment()?;
    Ok(runtime::settings::from_environment_over(Running::read(&alone.data))?)
}

fn start_logs(logs: &Logs) {
    // Fails only when logs were already started, which is fine.
    let _ = runtime::logs::start(logs);
}

/// Starts recording metrics; the handle renders them.
fn metrics() -> Result<runtime::metrics::Handle, CommandError> {
    Ok(runtime::metrics::start()?)
}

/// Runs a future to its end on an async runtime with a thread for each core.
fn block_on<T>(work: impl Future<Output = Result<T, CommandError>>) -> Result<T, CommandError> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?
        .block_on(work)
}

/// Runs a future to its end on this thread alone: the signal that a part gets when its parent dies follows the thread that started it.
fn on_one_thread<T>(work: impl Future<Output = Result<T, CommandError>>) -> Result<T, CommandError> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?
        .block_on(work)
}
