//! `vigie`: the one binary. Each subcommand is a file of `commands`.

mod cli;
mod commands;
mod programs;
mod stack;
mod supervisor;
mod terminal;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    commands::run(cli::Cli::parse().command).unwrap_or_else(|failure| {
        terminal::complain(format!("vigie: {failure}"));
        ExitCode::FAILURE
    })
}
