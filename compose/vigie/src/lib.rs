//! The commands of `vigie`, one file each in `commands`. Public is what the binary calls and what `vigie-bench` (`tools/bench`) needs to
//! measure a stack from outside.

mod backup_stores;
mod browsing;
mod cli;
mod commands;
mod connections;
mod demo;
mod doctor;
mod listening;
pub mod open_files;
mod probe;
mod programs;
pub mod random;
mod smoke;
mod stack;
mod supervisor;
pub mod terminal;
pub mod trial;
mod web_client;

use std::process::ExitCode;

use clap::Parser;

/// Runs the command that the process's arguments name. A failure is one line on standard error; arguments that name no command end the
/// process with a usage message.
pub fn run() -> ExitCode {
    commands::run(&cli::Cli::parse().command).unwrap_or_else(|failure| {
        terminal::complain(format!("vigie: {failure}"));
        ExitCode::FAILURE
    })
}
