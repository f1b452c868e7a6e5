//! One file per subcommand.

mod up;

use std::process::ExitCode;

use runtime::Settings;
use runtime::settings::BadSettings;
use thiserror::Error;

use crate::cli::Command;
use crate::stack::StackError;
use crate::stack::unprivileged::HandOverError;

/// Why a command ended badly.
#[derive(Debug, Error)]
pub enum Failure {
    /// The settings.
    #[error(transparent)]
    Settings(#[from] BadSettings),
    /// Root could not become the system user.
    #[error(transparent)]
    HandOver(#[from] HandOverError),
    /// The stack could not be brought up.
    #[error(transparent)]
    Stack(#[from] StackError),
    /// The system refused something basic.
    #[error("the process cannot run: {0}")]
    System(#[from] std::io::Error),
}

/// Runs a command to its end.
pub fn run(command: Command) -> Result<ExitCode, Failure> {
    match command {
        Command::Up => up::run(),
        Command::EmbeddedClickhouse | Command::SerpSim => Ok(ExitCode::FAILURE),
    }
}

/// The settings of this process, with logs started.
fn settings() -> Result<Settings, Failure> {
    let settings = runtime::settings::from_environment()?;
    // Fails only where logs were started before, which is as good.
    let _ = runtime::logs::start(&settings.logs);
    Ok(settings)
}
