//! `vigie stress`

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;

use super::CommandError;
use crate::stress;
use crate::terminal::say;

/// For how long.
#[derive(Debug, Args)]
pub struct Stress {
    /// Seconds; what is asked of a run of 600 is asked of a shorter one too, but for the number of requests
    #[arg(long, default_value_t = 600)]
    seconds: u64,
}

/// Attacks a stack of its own. The last line tells the figures.
pub fn run(arguments: &Stress) -> Result<ExitCode, CommandError> {
    crate::open_files::raise();
    let length = Duration::from_secs(arguments.seconds);
    let verdict = super::block_on(async { Ok(stress::run(length).await?) })?;
    let faults = verdict.faults();
    faults.iter().for_each(say);
    say(verdict.line());
    Ok(if faults.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
