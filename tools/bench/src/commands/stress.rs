//! `vigie-bench stress`: a stack under attack.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use vigie::open_files;
use vigie::terminal::say;

use super::CommandError;
use crate::stress;

/// How long to run.
#[derive(Debug, Args)]
pub struct Stress {
    /// Seconds; a shorter run than 600 has the same requirements, except for the number of requests
    #[arg(long, default_value_t = 600)]
    seconds: u64,
}

impl Stress {
    /// The length of the run.
    pub fn length(&self) -> Duration {
        Duration::from_secs(self.seconds)
    }
}

/// Attacks a separate stack and prints what was missed; the last line has the figures. The exit code is 1 if a requirement was missed.
pub fn run(arguments: &Stress) -> Result<ExitCode, CommandError> {
    open_files::raise();
    let verdict = super::block_on(async { Ok(stress::run(arguments.length()).await?) })?;
    let faults = verdict.faults();
    faults.iter().for_each(say);
    say(verdict.line());
    Ok(if faults.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
