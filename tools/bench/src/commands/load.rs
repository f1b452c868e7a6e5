//! `vigie-bench load`: a stack with many users.

use std::num::NonZeroU32;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use vigie::open_files;
use vigie::terminal::say;

use super::CommandError;
use crate::load::{self, Plan};

/// Users, what they work on, and how long.
#[derive(Debug, Args)]
pub struct Load {
    /// Seconds of the steady part; then the pages a second rise until users wait
    #[arg(long, default_value_t = 3_600)]
    seconds: u64,
    /// Users at work
    #[arg(long, default_value = "200")]
    users: NonZeroU32,
    /// Ad results behind the lists
    #[arg(long, default_value_t = 10_000_000)]
    rows: u64,
    /// Cases of outreach, with five times as many mails
    #[arg(long, default_value_t = 100_000)]
    cases: u64,
    /// Seed: the same seed draws the same pages
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Lets the users work on a separate stack and prints what was missed; the last line has the figures. The exit code is 1 if a target was missed.
pub fn run(arguments: &Load) -> Result<ExitCode, CommandError> {
    open_files::raise();
    let plan = Plan {
        length: Duration::from_secs(arguments.seconds),
        users: arguments.users.get(),
        rows: arguments.rows,
        cases: arguments.cases,
        seed: arguments.seed,
    };
    let report = super::block_on(async { Ok(load::run(&plan).await?) })?;
    say(&report.line);
    Ok(if report.missed.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
