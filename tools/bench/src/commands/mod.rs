//! One file per command.

pub mod bench;
pub mod load;
pub mod stress;

use std::process::ExitCode;

use thiserror::Error;

use crate::cli::{Cli, Command};

/// Why a command failed.
#[derive(Debug, Error)]
pub enum CommandError {
    /// Nothing could be measured, or a target was missed.
    #[error(transparent)]
    Bench(#[from] crate::bench::BenchError),
    /// The stress run has no verdict.
    #[error(transparent)]
    Stress(#[from] crate::stress::StressError),
    /// The system refused something basic.
    #[error("the process cannot run: {0}")]
    System(#[from] std::io::Error),
}

/// Runs a command to its end.
pub fn run(cli: &Cli) -> Result<ExitCode, CommandError> {
    match &cli.command {
        Some(Command::Load(arguments)) => load::run(arguments),
        Some(Command::Stress(arguments)) => stress::run(arguments),
        None => bench::run(&cli.bench),
    }
}

/// Runs a future to its end on all cores.
fn block_on<T>(work: impl Future<Output = Result<T, CommandError>>) -> Result<T, CommandError> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?
        .block_on(work)
}
